// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "host/services/registration.h"
#include "host/services/service_registrar.h"

namespace drover {

// What the hooks of all groups and tasks share. The pointers are not owned. Their objects, and this
// struct, must outlive the hooks.
struct ServiceHookOptions {
  ServiceRegistrar* registrar = nullptr;
  ServiceNode node;
  // Receives what Consul gets of the services of an owner, just before the registrar receives their
  // registrations. May be null.
  std::function<void(std::vector<ForConsul> services)> for_consul;
  // Receives what is wrong with services of a group. May be null.
  std::function<void(const std::string& alloc_id, const Error& error)> report;
};

}  // namespace drover
