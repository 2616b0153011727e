// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "drover/drover.h"
#include "host/driver/driver.h"

// Lays the host's own types out for a driver. What is made here points into its source, which must
// live as long as it is used.
namespace drover {

inline drover_str ToStr(std::string_view text) { return {text.data(), text.size()}; }

template <typename T>
drover_array ToArray(const std::vector<T>& elements) {
  return {elements.data(), elements.size(), sizeof(T)};
}

// A struct of the ABI, zero but for its size.
template <typename T>
T NewStruct() {
  T made{};
  made.struct_size = static_cast<std::uint32_t>(sizeof made);
  return made;
}

drover_run_id ToRunId(const RunId& run);

// Writes ERROR into OUT, which the driver made: not a byte behind its struct_size. OUT may be null.
void WriteError(const Error& error, drover_error* out);
// The same; returns the code of ERROR, as a function of the header does that fails.
std::int32_t Refuse(const Error& error, drover_error* out);

// A task configuration in the form of the ABI. It holds the host's own, so its texts are not
// copied.
class TaskConfigView {
 public:
  explicit TaskConfigView(std::shared_ptr<const TaskConfig> config);
  TaskConfigView(const TaskConfigView&) = delete;
  TaskConfigView& operator=(const TaskConfigView&) = delete;

  const drover_task_config* get() const { return &view_; }

 private:
  std::shared_ptr<const TaskConfig> config_;
  std::vector<drover_pair> env_;
  std::vector<drover_pair> device_env_;
  std::vector<drover_port> ports_;
  std::vector<drover_mount> mounts_;
  std::vector<drover_device> devices_;
  drover_task_config view_;
};

}  // namespace drover
