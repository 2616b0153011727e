// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "drover/drover.h"
#include "host/driver/driver.h"

// Converts the host's own types to structs for a driver. The structs point into their source, which
// must live as long as the structs are used.
namespace drover {

inline drover_str ToStr(std::string_view text) { return {text.data(), text.size()}; }

template <typename T>
drover_array ToArray(const std::vector<T>& elements) {
  return {elements.data(), elements.size(), sizeof(T)};
}

// Makes a struct of the ABI in which all members except struct_size are zero.
template <typename T>
T NewStruct() {
  T made{};
  made.struct_size = static_cast<std::uint32_t>(sizeof made);
  return made;
}

drover_run_id ToRunId(const RunId& run);

// Writes ERROR into OUT, which the driver allocated. Writes at most OUT's struct_size bytes. OUT
// may be null.
void WriteError(const Error& error, drover_error* out);
// Writes ERROR into OUT like WriteError, and returns the code of ERROR, which a function of the
// ABI returns when it fails.
std::int32_t Refuse(const Error& error, drover_error* out);

// A task configuration in the form of the ABI. It holds a reference to the host's configuration,
// so the texts are not copied.
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
  std::vector<drover_pair> labels_;
  std::vector<drover_str> dns_servers_;
  std::vector<drover_str> dns_searches_;
  std::vector<drover_str> dns_options_;
  drover_task_config view_;
};

}  // namespace drover
