// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/process/process_spec.h"

namespace drover {

// Reads the usage of the process PID from /proc. Returns nothing if the process has ended. Also
// returns nothing for the child of SHIM that holds the namespaces of the run, because that child is
// not part of the task.
std::optional<ProcessUsage::Process> ReadProcessUsage(pid_t pid, pid_t shim);

// The fields of /proc/PID/stat that the agent uses.
struct ProcessStat {
  std::string name;
  pid_t parent = 0;
  Duration user_time{0};
  Duration system_time{0};
  Duration started{0};  // time since the boot, rounded down to a tick
};
// Parses the text of /proc/PID/stat. Returns nothing for a process that has ended.
std::optional<ProcessStat> ParseProcessStat(std::string_view text);

// Returns in bytes the value of FIELD, which is in kB in TEXT, the text of /proc/PID/status.
// Returns 0 if TEXT lacks FIELD.
std::uint64_t ParseStatusField(std::string_view text, std::string_view field);

// Returns all living descendants of PID, without PID itself.
std::vector<pid_t> DescendantsOf(pid_t pid);

}  // namespace drover
