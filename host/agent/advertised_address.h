// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/agent/agent_config.h"

namespace drover {

// Returns the address on which an API listens, as "host:port".
std::string BoundAddress(const AgentConfig::Http& http, int port);

// Returns the address by which clients reach an API that listens on PORT, as "host:port". That is
// the configured address, or else the bound address. An API that is bound to all addresses
// advertises the source address of packets that leave this machine. If there is no such address,
// the API advertises the loopback.
std::string AdvertisedAddress(const AgentConfig::Http& http, int port);

}  // namespace drover
