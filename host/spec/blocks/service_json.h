// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "host/spec/blocks/service.h"
#include "host/spec/job_members.h"

namespace drover {

// Reads one service of OWNER with its checks, and fills in the defaults. [part of ParseJob]
void ReadService(const JobMembers& in, const ServiceOwner& owner, Service* service);

// Returns the list of SERVICES as ReadService reads it; null if there are none. A service without a
// provider has an empty text there. [part of JobToJson]
nlohmann::json ServicesToJson(const std::vector<Service>& services);

}  // namespace drover
