// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/ids.h"
#include "host/base/time.h"
#include "host/base/unique_fd.h"
#include "host/process/capability_set.h"
#include "host/process/isolation.h"
#include "host/process/resource_cgroups.h"

namespace drover {

// Where the output of a run is written: to files `<task>.stdout.N` and `<task>.stderr.N` in
// DIRECTORY.
struct LogSpec {
  bool disabled = false;  // output is discarded in /dev/null, and the other members are ignored
  UniqueFd directory;     // the open log directory; the shim never resolves its path again
  std::string task;       // the name of the task, one path component
  std::uint32_t max_files = 10;
  std::uint64_t max_file_size = 10u << 20;  // in bytes
};

// The user and groups of a process. They are numbers; the driver has looked up the names.
struct ProcessUser {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary groups; they replace all groups of the agent
};

// The privileges of a process beyond those of its user.
struct Privileges {
  // The capabilities of a process that runs as root. No program of the run can get any others.
  CapabilitySet bounding;
  // The capabilities of a process that runs as another user. They must be a part of BOUNDING.
  CapabilitySet ambient;
  // If true, the default filter of system calls applies. The filter implies no_new_privileges.
  bool filter_calls = true;
};

struct ResourceLimit {
  int resource = 0;  // an RLIMIT_* number
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;
};

// How a shim stops its run when the connection to the agent ends. A run without a BoundSpec
// continues. Foreground runs have a BoundSpec.
struct BoundSpec {
  int kill_signal = 2;
  Duration kill_timeout = 5s;
};

// Descriptors that a process gets in addition to those that every process gets, or in their place.
struct GivenDescriptors {
  bool any() const {
    return standard[0] || standard[1] || standard[2] || terminal || !more.empty();
  }

  // The standard input, output and error. Without an element, the input is /dev/null, and the
  // outputs go to the log files.
  std::array<UniqueFd, 3> standard;
  std::vector<UniqueFd> more;  // become the descriptors 3, 4 and so on
  bool terminal = false;       // the standard input becomes the controlling terminal
};

// Describes the process of one run. The service takes ownership of the descriptors.
struct ProcessSpec {
  RunId run;
  // The run to whose cgroup this process belongs, for a named process that is not the run's own
  // process (process/named/named_processes.h). RUN is then the id of the named process alone.
  std::optional<RunId> group;
  // The program: a path, or a name that is looked up in the PATH of ENV. If empty, it is argv[0].
  std::string executable;
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> env;  // the complete environment
  std::string cwd = "/";
  std::optional<ProcessUser> user;
  std::vector<ResourceLimit> limits;
  int oom_score_adj = 0;  // set for the task, not inherited from the agent
  std::optional<mode_t> umask;
  bool no_new_privileges = false;
  std::optional<NamespaceSpec> namespaces;  // without a value: the agent's namespaces
  // If open, this is the network namespace (process/network_namespace.h) of the process and of its
  // exec sessions. If NAMESPACES has a value, the task's /sys shows this network namespace.
  UniqueFd network;
  // Without a value, the process has the agent's privileges, except those that the change to USER
  // removes.
  std::optional<Privileges> privileges;
  LogSpec logs;
  GivenDescriptors descriptors;
  std::optional<BoundSpec> bound;
  ResourceLimits resources;
  // Cgroups of the operator (process/given_cgroups.h). They must not be combined with RESOURCES.
  // CGROUP is a version 2 cgroup, in which the run's own cgroup is made. Each element of
  // V1_CGROUPS is a version 1 controller and the path of a cgroup, which the run enters.
  std::string cgroup;
  std::vector<std::pair<std::string, std::string>> v1_cgroups;
  // A file of the run's resource cgroup with a line "oom_kill N": memory.events, or
  // memory.oom_control of version 1. If N has grown when the run ends, the run was killed for lack
  // of memory. The service sets this member if RESOURCES limit the memory.
  UniqueFd memory_events;
};

// A run whose process the service does not start: the shim only reads two pipes and writes log
// files. The run ends when both pipes have ended, or after Kill.
struct OutputSpec {
  RunId run;
  UniqueFd stdout_pipe;  // both pipes are read ends
  UniqueFd stderr_pipe;
  LogSpec logs;
  std::optional<BoundSpec> bound;
};

struct ProcessInfo {
  pid_t pid = 0;       // 0 for a run without a process
  pid_t shim_pid = 0;  // for display only; no signal is ever sent to this pid
  WallTime started_at = 0;
  std::int64_t started_boot = 0;  // the same in nanoseconds of CLOCK_BOOTTIME
};

// How a run ended.
struct ProcessExit {
  int exit_code = 0;  // of the process; 128 + SIGNAL after a signal; -1 with an error
  int signal = 0;
  bool oom_killed = false;
  std::string error;  // "supervisor lost", or why the exit record could not be read
  WallTime started_at = 0;
  WallTime finished_at = 0;
  Duration user_time{0};  // both times include children that the process waited for
  Duration system_time{0};
  std::uint64_t max_rss = 0;  // in bytes
  // Output that the shim dropped during the whole run.
  std::uint64_t dropped_lines = 0;
  std::uint64_t dropped_bytes = 0;
};

// Memory usage of a run in bytes, as the memory controller counts it.
struct MemoryUsage {
  std::uint64_t cache = 0, mapped_file = 0, usage = 0;
  std::optional<std::uint64_t> max_usage{}, kernel_usage{};
};

// How often and how long the kernel has prevented a run from running, since the start of the run.
struct Throttling {
  std::uint64_t periods = 0;
  Duration time{0};
};

// The current resource usage of a run.
struct ProcessUsage {
  // Both times are since the start of the run. They include descendants that have ended, if the
  // kernel counts them.
  Duration user_time{0};
  Duration system_time{0};
  // RSS and SWAP are in bytes and come from the run's memory controller. Without this controller
  // they are sums over the processes, so shared memory is counted several times.
  std::uint64_t rss = 0;
  std::uint64_t swap = 0;
  std::optional<MemoryUsage> memory{};     // only with a memory controller
  std::optional<Throttling> throttling{};  // only with a cpu controller
  struct Process {
    pid_t pid = 0;
    Duration user_time{0};
    Duration system_time{0};
    std::uint64_t rss = 0;
    std::uint64_t swap = 0;
  };
  std::vector<Process> processes;
};

// A command to run beside the process of a run. It runs in the cgroup of that process, as its
// user, and with its environment, limits and working directory.
struct ExecSpec {
  std::vector<std::string> argv;
  bool tty = false;
  std::uint16_t rows = 24;  // ROWS and COLUMNS are used only with a terminal
  std::uint16_t columns = 80;
  // The child's ends of the standard streams, used only without a terminal.
  UniqueFd standard_input;
  UniqueFd standard_output;
  UniqueFd standard_error;
};

struct ExecExit {
  // The exit code of the command, or 128 + SIGNAL after a signal. It is 127 if the command was not
  // found and 126 if the command cannot be executed; in both cases ERROR is set.
  int exit_code = 0;
  int signal = 0;
  std::string error;  // one line that is written to the user's stderr
};

}  // namespace drover
