// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/agent/agent_config.h"

namespace drover {

// The "host:port" on which an API listens.
std::string BoundAddress(const AgentConfig::Http& http, int port);

// The "host:port" by which clients reach an API that listens on PORT: the configured one, else the
// bound one. An API bound to all addresses advertises the address that leads out of this machine,
// or the loopback if there is none.
std::string AdvertisedAddress(const AgentConfig::Http& http, int port);

}  // namespace drover
