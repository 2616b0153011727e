// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// Returns the input for iptables-restore that removes the masquerading of CONTAINER: those rules of
// RULES, which `iptables -t nat -S POSTROUTING` has printed, whose comment names CONTAINER, and the
// chains to which they lead. Empty if there are none.
std::string MasqueradeRemoval(std::string_view rules, const std::string& container);

// Removes the masquerading that the plugin bridge has made for CONTAINER. The plugin does it
// itself, but only while the network namespace and the addresses in it are there. Does nothing if
// iptables is not installed. Blocks. [any thread]
Status RemoveMasquerade(const std::string& container);

}  // namespace drover
