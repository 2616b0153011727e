// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/process/process_spec.h"

namespace drover {

class ProcessService;

// A run can have several processes, each with a name. The process "main" is the run's own process,
// the one that every function of ProcessService means by the run's id. Each other process has a
// shim, an exit record and log files of its own. It lives in a cgroup below that of the run, so the
// limits of the run hold for all processes together, and a kill of the run kills them all. Control
// thread only.
inline constexpr char kMainProcess[] = "main";

// Returns the id by which SERVICE knows the process NAME of RUN. Fails with kNotFound if the run
// has no such process.
Result<RunId> FindNamed(const ProcessService& service, const RunId& run, const std::string& name);

// Starts SPEC as the process NAME of RUN, and sets the run, the group and the log name of SPEC. The
// process may start before "main". After an error, nothing of the process is left.
Co<Result<ProcessInfo>> StartNamed(ProcessService* service, Context context, RunId run,
                                   std::string name, ProcessSpec spec);

// Kills the process NAME of RUN and forgets it. If NAME is "main", does so with all processes of
// RUN. Succeeds if there is no such process.
Co<Status> ReleaseNamed(ProcessService* service, Context context, RunId run, std::string name);

}  // namespace drover
