// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/request/api_request.h"
#include "host/request/route_access.h"

namespace drover {

// Whether a client may use a route.
struct Admission {
  Caller caller;
  std::optional<Answer> refusal;
  // Whether the client has shown that it may use the server; see HttpExchange::Trust.
  bool trusted = false;
};

// Decides whether the client that has sent HTTP may use the route with ACCESS. ACCESS is null for a
// path that is no route: then the client only must not be refused. STARS are the parts of the path
// that match the stars of the route's pattern. Reads no body. LOOP is that of this thread. [any
// thread]
Admission Admit(const ApiAgent& agent, Entrance entrance, const HttpRequest& http,
                const RouteAccess* access, const std::vector<std::string>& stars, Loop* loop);

// Returns the client that has sent HTTP with TOKEN, which is empty if it has sent none. The errors
// are those of AclResolver::Resolve. [any thread]
Result<AclPrincipal> WhoAsks(const ApiAgent& agent, Entrance entrance, const HttpRequest& http,
                             std::string_view token, Loop* loop);

// Returns whether ACL meets what ACCESS needs for HTTP. [any thread]
bool MayUse(const ApiAgent& agent, const Acl& acl, const RouteAccess& access,
            const HttpRequest& http, const std::vector<std::string>& stars);

}  // namespace drover
