// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "host/api/http_server.h"
#include "host/api/routes/api_request.h"

namespace drover {

// Whether a route needs the token where there is one.
enum class Access { kToken, kOpen };

// Whether a route is taken as soon as it fits, or only for a path that no other pattern fits: then
// it does not stand for a wrong method of another one.
enum class Fit { kFirst, kNoOther };

// Whether a route changes things, even for a GET, as some clients ask for it.
enum class Effect { kAsItsMethod, kChanges };

// One entry of the table of routes. In PATTERN a "*" stands for one part of the path and "**" for
// one or more: the id of a job may hold slashes, so such a route is recognised by its end. METHODS
// are those that are let in, "" lets all in. A handler returns what is to be replied; one whose
// answer goes on talks to the exchange itself, until its context ends, and returns
// StreamedAnswer().
struct Route {
  std::string_view methods;  // "GET", "PUT POST"
  std::string_view pattern;  // "/v1/job/**/plan"
  std::function<Co<Answer>(ApiRequest*)> handler;
  Access access = Access::kToken;
  Fit fit = Fit::kFirst;
  Effect effect = Effect::kAsItsMethod;
};

// The routes in their files. The first that fits is taken, so longer patterns stand first.
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
// What the API that clients know has and this version has not: 501 and a sentence.
std::vector<Route> UnsupportedRoutes();
// All of them, in the order in which they are tried. docs/compatibility.md lists them.
std::vector<Route> AllRoutes();

// What the stars of PATTERN stand for in PATH; nothing when they do not fit.
std::optional<std::vector<std::string>> MatchPath(std::string_view pattern, std::string_view path);

// Answers all requests. AGENT outlives the handler.
HttpHandler MakeApiHandler(const ApiAgent* agent);

// Whether a request's body is read and kept, as HttpServerOptions::wants_body. Only clients with
// the token may send one, and only to a route that reads it: the room for bodies is everybody's.
// AGENT outlives it.
std::function<Result<bool>(const HttpRequest&)> MakeBodyCheck(const ApiAgent* agent);

}  // namespace drover
