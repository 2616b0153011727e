// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/client/api_path.h"
#include "host/template/template_values.h"

// What the functions of templates ask Consul for, and the form in which templates get it. Answers
// come from the network, so nothing in them is certain. [any thread]
namespace drover {

// A question to Consul.
struct ConsulQuery {
  std::string path;
  Query query;
  bool blocks = true;  // Consul can wait for a change of the answer
};

bool IsConsulFunction(std::string_view function);

// Returns the question for REQUEST. The error says what is wrong with its arguments.
Result<ConsulQuery> ConsulQueryOf(const ValueRequest& request);

// Returns the value of REQUEST that BODY, the answer to its question, shows:
//   key                  the text of the key
//   keyExists            true
//   keyOrDefault         the text of the key
//   ls, safeLs           [{"Key", "Value", "Path", ...}] of the keys directly below the prefix
//   tree, safeTree       the same of all keys below the prefix
//   service              [{"ID", "Name", "Node", "Address", "Port", "Tags", "Status", ...}]
//   services             [{"Name", "Tags"}], by name
//   node                 {"Node", "Services"}
//   nodes                [{"ID", "Node", "Address", "Datacenter", ...}]
//   datacenters          [name]
Result<nlohmann::json> ConsulValueOf(const ValueRequest& request, std::string_view body);

// Returns the value of REQUEST if Consul has nothing at the path; a discarded one if the template
// has to wait until there is something.
nlohmann::json ConsulNothing(const ValueRequest& request);

}  // namespace drover
