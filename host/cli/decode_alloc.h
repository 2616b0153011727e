// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "host/spec/allocation.h"
#include "host/task/task_state.h"

namespace drover {

// What an agent tells of an allocation, as far as it is shown: its ids, ports and states, without
// the job. What is missing or of another type is empty.
Allocation DecodeAlloc(const nlohmann::json& alloc);
std::map<std::string, TaskStateRecord> DecodeTaskStates(const nlohmann::json& states);

// 0 for what is none, and for the year 1, which stands for no time.
WallTime ParseRfc3339(const std::string& text);

// Cuts objects out of a stream of JSON in which one object follows the other, with or without line
// breaks between them.
class JsonCutter {
 public:
  // Takes BYTES; TAKE gets each object that is complete. What is too large to be kept is dropped.
  template <typename Take>
  void Add(std::string_view bytes, const Take& take) {
    for (const char c : bytes) {
      if (AddOne(c)) take(std::exchange(rest_, std::string()));
    }
  }

 private:
  static constexpr std::size_t kMost = std::size_t{256} << 20;

  // Whether C completes an object.
  bool AddOne(char c);

  std::string rest_;
  int depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
};

}  // namespace drover
