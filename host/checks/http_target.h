// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/checks/check_plan.h"

namespace drover {

// Where a request of a check goes.
struct HttpTarget {
  bool tls = false;
  std::string host;  // a name or an IP address, without brackets
  int port = 0;
  std::string authority;  // the host and the port as they are in the URL
  std::string path;       // begins with "/"; with the query; every byte may be in a request

  std::string Url() const { return (tls ? "https://" : "http://") + authority + path; }
  bool operator==(const HttpTarget&) const = default;
};

HttpTarget TargetOf(const CheckPlan& plan);

// Returns the target that LOCATION, the header of a redirect by FROM, leads to. Returns an error if
// it leads to another scheme than HTTP, or cannot be read.
Result<HttpTarget> FollowLocation(const HttpTarget& from, std::string_view location);

}  // namespace drover
