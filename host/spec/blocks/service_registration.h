// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace drover {

// A service of an allocation as others find it.
struct ServiceRegistration {
  std::string id;    // the same after every restart; see RegistrationId
  std::string name;  // ServiceName in JSON
  std::string service_namespace;
  std::string node_id;
  std::string datacenter;
  std::string job_id;
  std::string alloc_id;
  std::vector<std::string> tags;
  std::string address;
  int port = 0;
  std::uint64_t create_index = 0;
  std::uint64_t modify_index = 0;
  bool operator==(const ServiceRegistration&) const = default;
};

}  // namespace drover
