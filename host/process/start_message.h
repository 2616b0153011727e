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

// A start message for the shim (shim/start_plan.h): one datagram with its descriptors.
struct StartMessage {
  std::vector<char> bytes;
  std::vector<int> fds;  // borrowed from the spec and the environment
  UniqueFd large_plan;   // among FDS, if the plan is too big for the datagram
  // A name of each step, for the message of a failure: "cannot NAME: No such file or directory".
  std::vector<std::string> step_names;
};

// The values that the service adds to a spec.
struct StartEnvironment {
  BootId boot_id{};
  int run_directory = -1;
  int cgroup = -1;                    // -1: the shim walks its descendants
  bool freezer = false;               // CGROUP is of the freezer of version 1
  std::vector<int> resource_cgroups;  // the task's processes enter these, too
  struct Given {
    int cgroup;
    std::string name;
  };
  std::vector<Given> given_cgroups;  // cgroups of the operator, entered as well
  int own_oom_score_adj = 0;
  int clean_namespace = -1;  // of a run with namespaces: see process/clean_namespace.h
};

// Checks the spec: an error says what is wrong with it.
Result<StartMessage> CompileStart(const ProcessSpec& spec, const StartEnvironment& environment);
Result<StartMessage> CompileOutputStart(const OutputSpec& spec,
                                        const StartEnvironment& environment);

// The name of the step after which no descriptor of the host is open in the new process.
inline constexpr char kCloseStep[] = "close the descriptors of the host";

// Makes an error of a step's ERROR: an errno, or a DROVER_... number of shim/start_plan.h. WHAT:
// "cannot change to ...".
Error StepError(int error, const std::string& what);

// Makes an error of the shim's REPLY to MESSAGE; it names the step that failed.
Error StartError(const drover_start_reply& reply, const StartMessage& message);

}  // namespace drover
