// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "host/spec/job_place.h"

// What the checks of services and those of their health checks share. [part of CheckServices]
namespace drover {

// What the services of a group and of its tasks may name, and which ones there are so far.
struct KnownToServices {
  std::string group;
  std::set<std::string> tasks;
  std::set<std::string> labels;  // of the ports of the group
  std::size_t services = 0;
  std::size_t checks = 0;
  // By the end of the id of its registration, after that of the allocation: the place of a service.
  std::map<std::string, std::string> ids;
};

// A service, and what its checks depend on.
struct ServicePlace {
  const Service* service = nullptr;
  const Task* task = nullptr;  // null for a service of the group
  const KnownToServices* known = nullptr;
  std::set<std::string> own_labels;  // of ports that belong to the task, in the older place
  bool builtin = false;              // the provider is "nomad"

  bool HasLabel(const std::string& label) const {
    return known->labels.count(label) > 0 || own_labels.count(label) > 0;
  }
};

namespace job_checks {

// What is wrong with a field that only Consul carries out.
inline constexpr char kOnlyConsul[] = "is for the provider \"consul\"; remove it";

// Returns whether TEXT holds a variable. Its value is not known before the registration.
bool HasVariable(const std::string& text);
// Returns TEXT with one letter in the place of each variable.
std::string WithoutVariables(const std::string& text);
// Returns whether TEXT is the number of a port.
bool IsPort(const std::string& text);

std::size_t BytesOf(const std::vector<std::string>& texts);
std::size_t BytesOf(const std::map<std::string, std::string>& texts);
// Adds a fault if BYTES, the size of all texts at AT, is more than MOST.
void CheckBytes(std::size_t bytes, std::size_t most, const JobPlace& at);

// Checks the values of a check_restart block. BUILTIN: the provider is "nomad".
void CheckCheckRestart(const CheckRestart& restart, bool builtin, const JobPlace& at);

}  // namespace job_checks

// Adds the faults of the checks of PLACE's service. AT is the place of the service.
void CheckHealthChecks(const ServicePlace& place, const JobPlace& at);

}  // namespace drover
