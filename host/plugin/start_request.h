// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "drover/drover.h"
#include "host/base/co.h"
#include "host/base/context.h"
#include "host/driver/driver.h"
#include "host/plugin/plugin_host.h"
#include "host/process/process_spec.h"
#include "host/process/task_root.h"

// What the services drover.process/1 and /2 do with a driver's request to start a process.
namespace drover {

// The driver's request to start a process. The host opens the task's root and network later,
// because only the host has their paths.
struct StartRequest {
  ProcessSpec spec;
  TaskRootOptions root;
  std::string network;    // path of the network namespace; empty for the host's network
  std::string root_path;  // directory whose entries are in the root; empty: ROOT has them
  std::string task_dir;   // directory whose owner becomes the process's user
  bool limited = false;   // if true, the resource limits of the task's configuration apply
  bool hard_cpu = false;
};

// Reads the arguments of a program, or other texts, in ARRAY.
Result<std::vector<std::string>> ReadTexts(const drover_array& array);
// Reads and checks the request of a driver. [any thread]
Result<StartRequest> ReadStart(const drover_process_start_args* args);

// Copies the network from the task's configuration to REQUEST. For an isolated task, also copies
// the directories, mounts, devices and limits.
void TakeFromConfig(const TaskConfig& config, StartRequest* request);

// Returns where the output of a run is stored. The driver has no influence on this place.
Result<LogSpec> LogsOf(const TaskConfig& config);

// Returns how the shim must stop the run when the agent has ended, or nothing if the run must
// continue. Only a foreground run is stopped. The shim uses the kill signal and the kill timeout of
// the task, as the host does.
std::optional<BoundSpec> BoundOf(const PluginHost& host, const TaskConfig& config);

// Opens the directories of the task's root and the network, and makes the task's user the owner of
// the task directory. This happens on a thread of the plugin's pool, because a file system may be
// slow. If CONTEXT ends first, the coroutine ends, but that thread may still use REQUEST.
Co<Status> OpenPlacesOnThread(Context context, std::shared_ptr<PluginHost> host,
                              std::shared_ptr<StartRequest> request);

}  // namespace drover
