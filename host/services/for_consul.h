// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/services/service_address.h"
#include "host/spec/blocks/service.h"
#include "host/taskenv/task_env.h"

namespace drover {

// What Consul gets of a service beside its registration.
struct ForConsul {
  std::string id;  // that of the registration
  // All variables are replaced but those in the commands of scripts. A canary has the metadata of
  // canaries. Each check has a name.
  Service service;
  // Where the checks of SERVICE connect to, in their order. That of a script is empty.
  std::vector<ServiceAddress> places;
};

// Makes it for the registration with ID. ENV replaces the variables, and SOURCE decides the
// addresses of checks. Returns an error if a check has no port, or if the texts become too long.
// [any thread]
Result<ForConsul> MakeForConsul(const Service& service, const std::string& id, const TaskEnv& env,
                                const ServiceAddressSource& source, bool canary);

}  // namespace drover
