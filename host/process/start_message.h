// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "host/base/result.h"
#include "host/process/boot_id.h"
#include "host/process/process_spec.h"
#include "shim/start_plan.h"

namespace drover {

// A start message for the shim (shim/start_plan.h): one datagram, and the descriptors that are
// sent with it.
struct StartMessage {
  std::vector<char> bytes;
  std::vector<int> fds;  // borrowed from the spec and the environment
  UniqueFd large_plan;   // one of FDS, if the plan is too big for the datagram
  // The names of the steps. Error messages contain them: "cannot NAME: No such file or directory".
  std::vector<std::string> step_names;
};

// The values that the process service adds to a ProcessSpec to compile the start message.
struct StartEnvironment {
  BootId boot_id{};
  int run_directory = -1;
  int cgroup = -1;                    // -1: the shim walks its descendants to find processes
  bool freezer = false;               // CGROUP is a cgroup of the version 1 freezer
  std::vector<int> resource_cgroups;  // the task's processes enter these cgroups, too
  struct Given {
    int cgroup;
    std::string name;
  };
  // The operator's cgroups, which the task's processes also enter.
  std::vector<Given> given_cgroups;
  int own_oom_score_adj = 0;
  int clean_namespace = -1;  // see CleanNamespace::Get
};

// Makes the start message of SPEC. An error says what is wrong with SPEC.
Result<StartMessage> CompileStart(const ProcessSpec& spec, const StartEnvironment& environment);
Result<StartMessage> CompileOutputStart(const OutputSpec& spec,
                                        const StartEnvironment& environment);

// The name of the step that closes all descriptors of the host in the new process.
inline constexpr char kCloseStep[] = "close the descriptors of the host";

// Makes an error from ERROR, the errno of a step or a DROVER_... number of shim/start_plan.h. WHAT
// is the start of the message: "cannot change to ...".
Error StepError(int error, const std::string& what);

// Makes an error from REPLY, the shim's answer to MESSAGE. The error names the step that failed.
Error StartError(const drover_start_reply& reply, const StartMessage& message);

}  // namespace drover
