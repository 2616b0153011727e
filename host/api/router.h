// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/api/api_request.h"
#include "host/http/http_server.h"

namespace drover {

// Whether a route needs the token, if one is configured.
enum class Access { kToken, kOpen };

// Whether a route is taken as soon as it fits, or only for a path that no other pattern fits. Such
// a route does not answer requests with a wrong method for another route.
enum class Fit { kFirst, kNoOther };

// Whether a route changes something even for a GET, which some clients use for it.
enum class Effect { kAsItsMethod, kChanges };

// One entry of the table of routes. In PATTERN a "*" stands for one part of the path and "**" for
// one or more: the id of a job may hold slashes, so such a route is recognised by its end. METHODS
// are the accepted ones; "" accepts all. A handler returns its answer. A handler with a streamed
// answer uses the exchange itself, until its context ends, and returns StreamedAnswer().
struct Route {
  std::string_view methods;  // "GET", "PUT POST"
  std::string_view pattern;  // "/v1/job/**/plan"
  std::function<Co<Answer>(ApiRequest*)> handler;
  Access access = Access::kToken;
  Fit fit = Fit::kFirst;
  Effect effect = Effect::kAsItsMethod;
};

// The routes of each file. The first that fits is taken, so longer patterns come first.
std::vector<Route> JobRoutes();
std::vector<Route> JobChangeRoutes();
std::vector<Route> JobVersionRoutes();
std::vector<Route> AllocRoutes();
std::vector<Route> EvalRoutes();
std::vector<Route> NodeRoutes();
std::vector<Route> ClientRoutes();
std::vector<Route> ExecRoutes();
std::vector<Route> FileRoutes();
std::vector<Route> FollowRoutes();
std::vector<Route> AgentRoutes();
std::vector<Route> PluginRoutes();
std::vector<Route> SearchRoutes();
std::vector<Route> MetricsRoutes();
std::vector<Route> EventRoutes();
std::vector<Route> MonitorRoutes();
// The parts of Nomad's API that this version does not have: they answer 501 and a sentence.
std::vector<Route> UnsupportedRoutes();
// All of them, in the order in which they are tried. docs/compatibility.md lists them.
std::vector<Route> AllRoutes();

// The parts of PATH that match the stars of PATTERN; nothing if PATH does not fit.
std::optional<std::vector<std::string>> MatchPath(std::string_view pattern, std::string_view path);

// Answers all requests. AGENT outlives the handler.
HttpHandler MakeApiHandler(const ApiAgent* agent);

// Makes HttpServerOptions::wants_body. It refuses the bodies of clients without the token, and
// discards bodies that the route does not use, since all clients share the room for bodies. AGENT
// outlives it.
std::function<Result<bool>(const HttpRequest&)> MakeBodyCheck(const ApiAgent* agent);

}  // namespace drover
