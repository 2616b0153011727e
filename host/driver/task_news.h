// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace drover {

// What a driver tells about a running task. What is absent has not changed.
template <typename Handle, typename Network>
struct TaskNewsParts {
  std::optional<Handle> handle{};
  std::optional<Network> network{};
  std::optional<bool> healthy{};
  std::optional<bool> paused{};
  std::vector<std::string> texts{};

  bool empty() const { return !handle && !network && !healthy && !paused && texts.empty(); }
  // Adds what came later. Of the texts, the first kMostTexts are kept.
  void Merge(TaskNewsParts later) {
    if (later.handle) handle = std::move(later.handle);
    if (later.network) network = std::move(later.network);
    if (later.healthy) healthy = later.healthy;
    if (later.paused) paused = later.paused;
    for (std::string& text : later.texts) {
      if (texts.size() < kMostTexts) texts.push_back(std::move(text));
    }
  }
  static constexpr std::size_t kMostTexts = 3;
};

}  // namespace drover
