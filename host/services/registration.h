// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/driver/driver.h"
#include "host/services/for_consul.h"
#include "host/spec/allocation.h"
#include "host/spec/blocks/service_policy.h"
#include "host/spec/blocks/service_registration.h"
#include "host/taskenv/task_env.h"

namespace drover {

// The node whose services are registered.
struct ServiceNode {
  const NodeInfo* info = nullptr;  // not owned; it may change between two calls
  ServicePolicy policy;            // says who keeps which service
  std::string ip;                  // the address on which the node's tasks have ports
};

// The registrations of the services of a group or of a task. Each service has one registration, or
// one error that names the service. Nothing is registered with only a part of its values.
struct Registrations {
  std::vector<ServiceRegistration> all;
  std::vector<ForConsul> for_consul;  // of those in ALL that Consul keeps
  std::vector<Error> errors;
};

// What a task's run adds to the values of its services.
struct ServiceRun {
  const TaskConfig* config = nullptr;      // the run's configuration; null if it is not known
  const DriverNetwork* network = nullptr;  // null if the driver has reported none
};

// All texts of one registration together have at most this many bytes.
inline constexpr std::size_t kMostRegistrationBytes = std::size_t{16} << 10;

// Returns the id of a service. It is the same after every restart of the task and of the agent.
// TASK is empty for a service of the group. NAME and PORT_LABEL have no variables any more.
std::string RegistrationId(const Allocation& alloc, const std::string& task,
                           const std::string& name, const std::string& port_label);
// Returns how the ids of all services of TASK begin. The ids of a task "a-b" begin like those of a
// task "a", too.
std::string RegistrationIdPrefix(const Allocation& alloc, const std::string& task);

// Whether this agent registers any of SERVICES, itself or in Consul.
bool RegistersAny(const ServiceNode& node, const std::vector<Service>& services);

// These functions make the registrations of the services of ALLOC's group, and of TASK in it.
// Variables are replaced as in the task's environment. In tags, an unknown variable stays if it is
// none of the agent: proxies have a use for a text such as "${1}". The services of
// a canary have other tags and metadata, if they name some. [any thread]
Registrations RegistrationsOfGroup(const ServiceNode& node, const Allocation& alloc);
Registrations RegistrationsOfTask(const ServiceNode& node, const Allocation& alloc,
                                  const Task& task, const ServiceRun& run);

}  // namespace drover
