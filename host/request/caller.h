// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/acl/acl_resolver.h"

namespace drover {

// Where a request has come in.
enum class Entrance {
  kAgent,  // the address of the agent
  kTask,   // the socket of a task, where each request needs a token, whatever the settings are
};

struct RouteAccess;

// The client of a request.
struct Caller {
  AclPrincipal principal{Acl::Management(), nullptr, "anybody"};
  Entrance entrance = Entrance::kAgent;
  // What the route of the request needs; null for a path that is no route.
  const RouteAccess* access = nullptr;
};

}  // namespace drover
