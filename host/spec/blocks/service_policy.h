// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "host/spec/job.h"
#include "host/spec/job_faults.h"

namespace drover {

// Where an agent registers services, as its configuration says.
struct ServicePolicy {
  bool consul_configured = false;  // the agent has a Consul to register with
  bool consul_is_builtin = false;  // services of the provider Consul are registered here instead
  // That of a service that names none.
  ServiceProvider default_provider = ServiceProvider::kConsul;
  // The clusters of Consul with which the agent registers services. If it is empty, any is
  // accepted.
  std::set<std::string> clusters = {};

  bool operator==(const ServicePolicy&) const = default;
};

// Returns who keeps the registration of SERVICE: Consul, or this agent.
ServiceProvider RegistryOf(const ServicePolicy& policy, const Service& service);

// Gives each service of JOB that names no provider the default of POLICY, so that the stored job
// keeps its meaning when the configuration changes. If services name Consul and are registered here
// instead, adds one warning. If services name Consul and nobody can register them, adds one fault,
// which names both ways out. Both are at the first such service. Each service of another cluster
// than those of the agent is a fault. Each check that Consul runs and that has a CheckRestart is a
// warning: it restarts nothing. POINTER is the JSON pointer of the job in its text. [any thread]
void ApplyServicePolicy(const ServicePolicy& policy, const std::string& pointer, Job* job,
                        JobFaults* faults, JobFaults* warnings);

}  // namespace drover
