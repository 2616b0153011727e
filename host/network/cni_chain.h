// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/network/conflist.h"

namespace drover {

// How an allocation is attached to a network. The call that detaches it must get the same values.
struct CniAttachment {
  std::string container;          // the id of the allocation
  std::string network_namespace;  // the path of its file; empty if it is gone
  std::string interface_name = "eth0";
  std::string args;  // "KEY=VALUE;KEY=VALUE"
  std::string path;  // the directories of plugins, with ":" between them
  nlohmann::json runtime = nlohmann::json::object();  // by capability, such as "portMappings"
  int descriptor = -1;                                // see ProgramRun
  int stop = -1;                                      // see CniCall
  Duration limit = 60s;                               // of all plugins together
};

// Looks at the result of a plugin; CALLED plugins have been called until then. An error ends the
// chain.
using CniLook = std::function<Status(const nlohmann::json& result, std::size_t called)>;

// Attaches an allocation to NETWORK by calling its plugins in their order, each with the result of
// the one before. Calls LOOK, which may be null, after each plugin. Returns the last result. After
// an error, some plugins may have done their work: the caller must call Detach. Blocks. [any
// thread]
Result<nlohmann::json> Attach(const Conflist& network, const CniAttachment& attachment,
                              const CniLook& look = nullptr);

// Undoes Attach, also one that has failed or was interrupted, by calling the plugins in the
// opposite order. RESULT is what Attach returned, or null. Calls all plugins, whatever fails; the
// error is the first one. Succeeds if nothing is there any more. Blocks. [any thread]
Status Detach(const Conflist& network, const CniAttachment& attachment,
              const nlohmann::json& result);

}  // namespace drover
