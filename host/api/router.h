// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/api/api_request.h"
#include "host/http/http_server.h"

namespace drover {

// Whether a route needs a client that is not refused; see RouteAccess for what else it needs. A
// route that is open keeps no body.
enum class Access { kToken, kOpen };

// How a route is chosen for a path. A route with kFirst is chosen as soon as it matches. A route
// with kNoOther is chosen only if no other pattern matches the path, even a pattern for other
// methods.
enum class Fit { kFirst, kNoOther };

// Whether a request to a route changes something. With kChanges, even a GET changes something,
// because some clients send a GET for a change.
enum class Effect { kAsItsMethod, kChanges };

// One entry of the table of routes. In PATTERN, "*" matches one part of the path, and "**" matches
// one or more parts. "**" matches the id of a job, which may contain slashes. METHODS are the
// accepted methods, and "" accepts all methods. A handler returns its answer. A handler with a
// streamed answer uses the exchange itself until the context of the exchange ends, and then returns
// StreamedAnswer().
struct Route {
  std::string_view methods;  // such as "GET" or "PUT POST"
  std::string_view pattern;  // such as "/v1/job/**/plan"
  std::function<Co<Answer>(ApiRequest*)> handler;
  Access access = Access::kToken;
  Fit fit = Fit::kFirst;
  Effect effect = Effect::kAsItsMethod;
};

// Each function returns the routes of one file. The first route that matches a path is taken, so
// longer patterns come first.
std::vector<Route> JobRoutes();
std::vector<Route> JobParseRoutes();
std::vector<Route> JobChangeRoutes();
std::vector<Route> JobVersionRoutes();
std::vector<Route> JobStatusesRoutes();
std::vector<Route> AllocRoutes();
std::vector<Route> EvalRoutes();
std::vector<Route> ServiceRoutes();
std::vector<Route> NodeRoutes();
std::vector<Route> ClientRoutes();
std::vector<Route> ExecRoutes();
std::vector<Route> FileRoutes();
std::vector<Route> FollowRoutes();
std::vector<Route> AgentRoutes();
std::vector<Route> NamespaceRoutes();
std::vector<Route> PluginRoutes();
std::vector<Route> SearchRoutes();
std::vector<Route> MetricsRoutes();
std::vector<Route> EventRoutes();
std::vector<Route> MonitorRoutes();
std::vector<Route> VariableRoutes();
std::vector<Route> KeyringRoutes();
std::vector<Route> AclRoutes();
std::vector<Route> AclTokenRoutes();
std::vector<Route> AclRoleRoutes();
// Returns routes for the parts of Nomad's API that this version does not have. These routes answer
// 501 with a sentence that says why.
std::vector<Route> UnsupportedRoutes();
// Returns all routes in the order in which they are tried. docs/compatibility.md lists them.
std::vector<Route> AllRoutes();

// Returns the parts of PATH that match the stars of PATTERN, or nothing if PATH does not match.
std::optional<std::vector<std::string>> MatchPath(std::string_view pattern, std::string_view path);

// Returns a handler that answers all requests. AGENT must outlive the handler.
HttpHandler MakeApiHandler(const ApiAgent* agent, Entrance entrance = Entrance::kAgent);

// Makes the function HttpServerOptions::wants_body. The function refuses the bodies of clients that
// may not use the route. It discards bodies that the route does not use, because all clients share
// the room for bodies. AGENT must outlive the function.
using BodyCheck = std::function<Result<bool>(const HttpRequest& request, Loop* loop)>;
BodyCheck MakeBodyCheck(const ApiAgent* agent, Entrance entrance = Entrance::kAgent);

}  // namespace drover
