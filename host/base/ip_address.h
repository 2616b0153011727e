// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace drover {

// Returns whether TEXT is an IPv4 or IPv6 address, without a scope or brackets.
bool IsIpAddress(const std::string& text);
// Returns whether TEXT is an IPv6 address, without a scope or brackets.
bool IsIpv6Address(const std::string& text);

}  // namespace drover
