// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/http/http_server.h"
#include "host/request/route.h"

namespace drover {

// Each function returns the routes of one file, as those of streams/stream_routes.h do. The first
// route that matches a path is taken, so longer patterns come first.
std::vector<Route> JobRoutes();
std::vector<Route> JobParseRoutes();
std::vector<Route> JobChangeRoutes();
std::vector<Route> PeriodicRoutes();
std::vector<Route> JobVersionRoutes();
std::vector<Route> JobStatusesRoutes();
std::vector<Route> JobRestartRoutes();
std::vector<Route> AllocRoutes();
std::vector<Route> EvalRoutes();
std::vector<Route> DeploymentRoutes();
std::vector<Route> ServiceRoutes();
std::vector<Route> NodeRoutes();
std::vector<Route> ClientRoutes();
std::vector<Route> AgentRoutes();
std::vector<Route> NamespaceRoutes();
std::vector<Route> PluginRoutes();
std::vector<Route> SearchRoutes();
std::vector<Route> ScalingRoutes();
std::vector<Route> MetricsRoutes();
std::vector<Route> VariableRoutes();
std::vector<Route> VolumeRoutes();
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
