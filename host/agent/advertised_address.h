// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/agent/agent_config.h"

namespace drover {

// Returns the address on which an API listens, as "host:port".
std::string BoundAddress(const AgentConfig::Http& http, int port);

// Returns the address by which clients reach an API that listens on PORT, as "host:port". The
// result is HTTP.advertise if that is set, and otherwise the bound address. If the API is bound to
// all addresses, the result is the source address of packets that leave this machine, instead of
// the bound address. If this machine has no route, the result is then the loopback address.
std::string AdvertisedAddress(const AgentConfig::Http& http, int port);

}  // namespace drover
