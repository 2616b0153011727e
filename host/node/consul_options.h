// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/config/agent_config.h"
#include "host/consul/consul_agent.h"

namespace drover {

// Returns how to reach the agent of Consul that CONFIG names.
ConsulOptions ConsulOptionsOf(const AgentConfig::Consul& config);

}  // namespace drover
