// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "host/base/result.h"
#include "host/consul/consul_service.h"
#include "host/spec/blocks/service.h"
#include "host/spec/blocks/service_registration.h"

namespace drover {

// Returns where a check connects to. The port is 0 if the check has none.
using CheckPlaceOf = std::function<Result<ConsulAddress>(const ServiceCheck& check)>;

// Returns SERVICE of OWNER, which is a task or empty for the group, as Consul gets it. All
// variables in SERVICE are replaced already, and for a canary its metadata is that of canaries. Id,
// name, tags, address and port are those of REGISTRATION. Returns an error if a check has no place.
Result<ConsulService> MakeConsulService(const Service& service, const std::string& owner,
                                        const ServiceRegistration& registration,
                                        const CheckPlaceOf& place_of);

}  // namespace drover
