// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>

#include "host/base/result.h"

namespace drover {

// A path of the API that a user has written, and the agent to which it belongs.
struct ApiTarget {
  std::string address;  // such as "https://HOST:PORT"; empty if the user has named no agent
  std::string path;     // with its query; characters that no path may contain are escaped
};

// Reads a TEXT such as "/v1/jobs", "HOST:PORT/v1/jobs" or "https://HOST:PORT/v1/jobs". If TEXT has
// a host but no scheme, TLS decides between https and http. Returns Code::kInvalidArgument if TEXT
// is none of these.
Result<ApiTarget> ReadApiTarget(const std::string& text, bool tls);

// Returns whether PATH has the query parameter NAME.
bool HasParameter(const std::string& path, const std::string& name);

// Reads a header such as "Name: value". Returns Code::kInvalidArgument for a text that cannot be a
// header, and for a header on which the end of the request depends.
Result<std::pair<std::string, std::string>> ReadHeader(const std::string& text);

}  // namespace drover
