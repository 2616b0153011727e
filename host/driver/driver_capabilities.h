// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace drover {

// What a driver says that its tasks may want of it. What is absent, it says nothing about.
struct DriverCapabilities {
  using Names = std::optional<std::vector<std::string>>;
  using Answer = std::optional<bool>;

  Names network_modes;  // "cni" stands for every cni/NAME
  Names mount_kinds;
  Names propagations;
  Names signals;
  Answer users;
  Answer hostname;
  Answer dns;
  Answer labels;
  Answer remote;
  Answer must_create_network;
  unsigned parallel_starts = 0;        // 0 means no limit
  std::vector<std::string> sensitive;  // JSON pointers into the configuration of a task

  bool operator==(const DriverCapabilities&) const = default;
};

}  // namespace drover
