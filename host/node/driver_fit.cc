// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/driver_fit.h"

#include "host/spec/strict_json.h"

namespace drover {
namespace {

// The process service gives a task with a root of its own its name, and a task that sees the files
// of the machine has the name of the machine, of which JobWarnings warns.
bool LacksHostname(const DriverInfo& driver) {
  return driver.fs_isolation == FsIsolation::kImage && !driver.takes_hostname;
}

}  // namespace

std::vector<std::string> DriverMistakes(const DriverInfo& driver, const TaskGroup& group,
                                        const Task& task, const std::string& at_group,
                                        const std::string& at_task) {
  std::vector<std::string> mistakes;
  const std::string whose = "driver " + Quoted(driver.name) + " of the task " + Quoted(task.name);
  if (!group.networks.empty() && !group.networks[0].hostname.empty() && LacksHostname(driver)) {
    mistakes.push_back(at_group + "/Networks/0/Hostname: " + whose +
                       " gives its tasks no hostname: remove it, or use another driver");
  }
  (void)at_task;
  return mistakes;
}

}  // namespace drover
