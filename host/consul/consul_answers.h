// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string_view>

#include "host/base/result.h"
#include "host/consul/consul_api.h"

// The answers of Consul. They come from the network, so nothing in them is certain. An entry
// without the form of one of ours is left out. A text that is no list at all is an error. [any
// thread]
namespace drover {

// The longest answer that is read. A service has about 600 bytes.
inline constexpr std::size_t kMostConsulAnswer = std::size_t{32} << 20;

Result<ConsulServices> ReadConsulServices(std::string_view text);
Result<ConsulCheckStateMap> ReadConsulChecks(std::string_view text);

}  // namespace drover
