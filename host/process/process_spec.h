// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

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

// Where the output of a run goes: files `<task>.stdout.N` and `<task>.stderr.N` in DIRECTORY.
struct LogSpec {
  bool disabled = false;  // output goes to /dev/null, the other members are ignored
  UniqueFd directory;     // the log directory, opened once; the shim never resolves its path again
  std::string task;       // one path component
  std::uint32_t max_files = 10;
  std::uint64_t max_file_size = 10u << 20;  // bytes
};

// Numbers only: names are looked up by the driver.
struct ProcessUser {
  uid_t uid = 0;
  gid_t gid = 0;
  std::vector<gid_t> groups;  // supplementary; they replace all groups of the agent
};

// The rights of a process beyond those that its user gives it.
struct Privileges {
  CapabilitySet bounding;    // all that a process of root has; no program can get more
  CapabilitySet ambient;     // all that a process of another user has; a part of BOUNDING
  bool filter_calls = true;  // by the default filter of system calls; implies no_new_privileges
};

struct ResourceLimit {
  int resource = 0;  // RLIMIT_*
  std::uint64_t soft = 0;
  std::uint64_t hard = 0;
};

// How a shim stops its run when the agent's connection ends. A run without a BoundSpec lives on.
// Foreground runs are bound.
struct BoundSpec {
  int kill_signal = 2;
  Duration kill_timeout = 5s;
};

// Everything about the process of one run. The service consumes the descriptors.
struct ProcessSpec {
  RunId run;
  // The program: a path, or a name that is looked up in the PATH of ENV. Empty means argv[0].
  std::string executable;
  std::vector<std::string> argv;
  std::vector<std::pair<std::string, std::string>> env;  // the whole environment
  std::string cwd = "/";
  std::optional<ProcessUser> user;
  std::vector<ResourceLimit> limits;
  int oom_score_adj = 0;  // not inherited from the agent
  std::optional<mode_t> umask;
  bool no_new_privileges = false;
  std::optional<NamespaceSpec> namespaces;  // none: the agent's
  // If open: the network namespace (process/network_namespace.h) of the process and of its exec
  // sessions. With NAMESPACES, the task's /sys describes it.
  UniqueFd network;
  std::optional<Privileges> privileges;  // none: the agent's, as far as USER keeps them
  LogSpec logs;
  std::optional<BoundSpec> bound;
  ResourceLimits resources;
  // Cgroups of the operator (process/given_cgroups.h), not together with RESOURCES. CGROUP is of
  // version 2; the run's own cgroup is made in it. V1_CGROUPS are pairs of a version 1 controller
  // and a path; the run enters them.
  std::string cgroup;
  std::vector<std::pair<std::string, std::string>> v1_cgroups;
  // A file with a line "oom_kill N" (memory.events, or memory.oom_control of version 1) of the
  // run's resource cgroup; the run was killed for memory if N has grown by its end. Set by the
  // service where RESOURCES limit the memory.
  UniqueFd memory_events;
};

// A run whose process is not ours: the shim only reads two pipes and writes log files. It ends when
// both pipes have ended, or by Kill.
struct OutputSpec {
  RunId run;
  UniqueFd stdout_pipe;  // read ends
  UniqueFd stderr_pipe;
  LogSpec logs;
  std::optional<BoundSpec> bound;
};

struct ProcessInfo {
  pid_t pid = 0;       // 0 for a run without a process
  pid_t shim_pid = 0;  // for people; nothing is ever signalled by it
  WallTime started_at = 0;
};

// How a run has ended.
struct ProcessExit {
  int exit_code = 0;  // of the process; 128 + signal when a signal ended it; -1 with an error
  int signal = 0;
  bool oom_killed = false;
  std::string error;  // "supervisor lost", or why the exit record could not be read
  WallTime started_at = 0;
  WallTime finished_at = 0;
  Duration user_time{0};  // of the process and the children it waited for
  Duration system_time{0};
  std::uint64_t max_rss = 0;  // bytes
  // Output that was lost, over the whole run.
  std::uint64_t dropped_lines = 0;
  std::uint64_t dropped_bytes = 0;
};

// Bytes, as the memory controller of a run counts them.
struct MemoryUsage {
  std::uint64_t cache = 0, mapped_file = 0, usage = 0;
  std::optional<std::uint64_t> max_usage{}, kernel_usage{};
};

// How often and how long the kernel kept a run from running since its start.
struct Throttling {
  std::uint64_t periods = 0;
  Duration time{0};
};

// The current resource usage of a run.
struct ProcessUsage {
  Duration user_time{0};  // since the start, with ended descendants where the kernel counts them
  Duration system_time{0};
  // Bytes: as the run's memory controller counts, else the sums over the processes, which count
  // shared memory several times.
  std::uint64_t rss = 0;
  std::uint64_t swap = 0;
  std::optional<MemoryUsage> memory{};     // if the run has a memory controller
  std::optional<Throttling> throttling{};  // if it has a cpu controller
  struct Process {
    pid_t pid = 0;
    Duration user_time{0};
    Duration system_time{0};
    std::uint64_t rss = 0;
    std::uint64_t swap = 0;
  };
  std::vector<Process> processes;
};

// A command to run beside the process of a run: in its cgroup, as its user, with its environment,
// limits and working directory.
struct ExecSpec {
  std::vector<std::string> argv;
  bool tty = false;
  std::uint16_t rows = 24;  // with a terminal
  std::uint16_t columns = 80;
  UniqueFd standard_input;  // without a terminal: the child's ends
  UniqueFd standard_output;
  UniqueFd standard_error;
};

struct ExecExit {
  int exit_code = 0;  // 128 + signal; 127: not found, 126: not executable (then with an error)
  int signal = 0;
  std::string error;  // one line for the user's stderr
};

}  // namespace drover
