// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "shim/start_plan.h"

namespace drover {

// Collects the steps of a start plan, aligned as the shim requires. Also collects the descriptors,
// which the steps name by their index.
class PlanBuilder {
 public:
  // Sets which processes execute the steps that are added after this call. FLAGS are
  // DROVER_STEP_FOR_... values.
  void For(std::uint16_t flags) { flags_ = flags; }

  // Adds a step that consists of FIXED and TAIL. FIXED must begin with a member of type
  // drover_step. NAME appears in the error message if the step fails: "cannot NAME: No such file
  // or directory".
  template <typename T>
  void Add(std::uint16_t kind, T fixed, std::string_view tail, std::string name) {
    const std::size_t size = (sizeof fixed + tail.size() + 7) / 8 * 8;
    drover_step* step = reinterpret_cast<drover_step*>(&fixed);
    step->kind = kind;
    step->flags = flags_;
    step->size = static_cast<std::uint32_t>(size);
    const std::size_t at = bytes_.size();
    bytes_.resize(at + size);
    std::memcpy(bytes_.data() + at, &fixed, sizeof fixed);
    if (!tail.empty()) std::memcpy(bytes_.data() + at + sizeof fixed, tail.data(), tail.size());
    names_.push_back(std::move(name));
  }
  void Add(std::uint16_t kind, std::string name) { Add(kind, drover_step{}, {}, std::move(name)); }
  void AddNumber(std::uint16_t kind, std::int64_t number, std::string name) {
    drover_step_number step{};
    step.number = number;
    Add(kind, step, {}, std::move(name));
  }

  // Adds the borrowed descriptor FD and returns its index.
  std::int32_t Descriptor(int fd) {
    fds_.push_back(fd);
    return static_cast<std::int32_t>(fds_.size() - 1);
  }

  std::vector<char>& bytes() { return bytes_; }
  std::vector<std::string>& names() { return names_; }
  std::vector<int>& fds() { return fds_; }

 private:
  std::vector<int> fds_;
  std::uint16_t flags_ = DROVER_STEP_FOR_TASK | DROVER_STEP_FOR_SESSION;
  std::vector<char> bytes_;
  std::vector<std::string> names_;
};

}  // namespace drover
