// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/config/agent_config.h"

namespace drover {

// Returns the address on which an API listens, as "host:port".
std::string BoundAddress(const AgentConfig::Http& http, int port);

// Returns the address by which clients reach an API that listens on PORT, as "host:port". If
// HTTP.advertise is set, the result is that address. Otherwise it is the bound address. An API
// that is bound to all addresses advertises the source address of packets that leave this machine.
// If this machine has no route, such an API advertises the loopback address.
std::string AdvertisedAddress(const AgentConfig::Http& http, int port);

}  // namespace drover
