// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "host/request/route.h"

namespace drover {

// Each function returns the routes of one file. The first route that matches a path is taken, so
// longer patterns come first.
std::vector<Route> ExecRoutes();
std::vector<Route> FileRoutes();
std::vector<Route> FollowRoutes();
std::vector<Route> EventRoutes();
std::vector<Route> MonitorRoutes();

}  // namespace drover
