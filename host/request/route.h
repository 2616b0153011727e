// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string_view>

#include "host/request/api_request.h"

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

}  // namespace drover
