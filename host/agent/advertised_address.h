// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/agent/agent_config.h"

namespace drover {

// "host:port" that an API listens on.
std::string BoundAddress(const AgentConfig::Http& http, int port);

// "host:port" that clients are told for an API which listens on PORT: what is configured, else the
// address that it is bound to. Nobody can connect to "all addresses", so in their place it is the
// one that leads out of this machine, or the loopback if none does.
std::string AdvertisedAddress(const AgentConfig::Http& http, int port);

}  // namespace drover
