// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/process/process_spec.h"

namespace drover {

// What one process uses, by /proc; nothing if it is gone, or is the child of SHIM that holds the
// namespaces of the run, which is not the task's.
std::optional<ProcessUsage::Process> ReadProcessUsage(pid_t pid, pid_t shim);

// The fields of /proc/PID/stat that are used here, by its text.
struct ProcessStat {
  std::string name;
  pid_t parent = 0;
  Duration user_time{0};
  Duration system_time{0};
  Duration started{0};  // since the boot, rounded down to a tick
};
std::optional<ProcessStat> ParseProcessStat(std::string_view text);

// A field of /proc/PID/status that is told in kB, in bytes, by the text of the file; 0 if it is not
// there.
std::uint64_t ParseStatusField(std::string_view text, std::string_view field);

// All living descendants of PID, without itself.
std::vector<pid_t> DescendantsOf(pid_t pid);

}  // namespace drover
