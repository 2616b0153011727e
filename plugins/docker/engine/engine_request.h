// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "drover/error.hpp"
#include "engine/http_message.h"

namespace drover_docker {

// Returns a request without a body.
inline HttpRequest Request(std::string method, std::string target) {
  HttpRequest out;
  out.method = std::move(method);
  out.target = std::move(target);
  return out;
}

// Returns a POST request with BODY. Texts of jobs may be no UTF-8, which JSON cannot carry: their
// bytes become U+FFFD.
inline HttpRequest PostJson(std::string target, const nlohmann::json& body) {
  HttpRequest out = Request("POST", std::move(target));
  out.content_type = "application/json";
  out.body = body.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return out;
}

// Returns NAME as one part of a path. Throws Error(kInvalidArgument) for a name that would lead
// elsewhere: an empty one, "." and "..".
inline std::string PathPart(std::string_view name) {
  if (name.empty() || name == "." || name == "..") {
    throw drover::Error(drover::Code::kInvalidArgument,
                        "\"" + std::string(name) + "\" is no name or id of an engine's object");
  }
  return PercentEncode(name);
}

// Returns the path of a container, such as /containers/ID/start.
inline std::string ContainerPath(std::string_view id, std::string_view verb) {
  std::string out = "/containers/" + PathPart(id);
  if (!verb.empty()) out += "/" + std::string(verb);
  return out;
}

}  // namespace drover_docker
