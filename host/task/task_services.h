// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/ids.h"
#include "host/base/result.h"
#include "host/base/time.h"
#include "host/driver/driver.h"
#include "host/process/process_service.h"
#include "host/stats/stats_demand.h"
#include "host/task/restore_barrier.h"
#include "host/task/task_seams.h"

namespace drover {

// The services that all task runners of an agent share. The pointers are not owned. Their objects
// and this struct must outlive the runners. A member may be null only where its comment says so.
struct TaskServices {
  DriverRegistry* drivers = nullptr;
  TaskPreparer* preparer = nullptr;
  // The processes of the runs, which the host controls whatever their driver does. Null if the
  // host has no such processes.
  ProcessService* processes = nullptr;
  // Receives the outcome of a restore. No task starts before the barrier opens. If the barrier is
  // null, no start waits.
  RestoreBarrier* restores = nullptr;
  // The demand of the whole agent for statistics. Null if the agent never demands statistics.
  StatsDemand* stats_demand = nullptr;

  // Receives each run that could not be destroyed. Parts of such a run may be left. May be null.
  std::function<void(RunId)> release_later;
  // Returns when the agent has had contact with a server. A task that could not be re-attached
  // waits for this contact. Null if there is no server. Then no task waits.
  std::function<Co<Status>(Context)> wait_server_contact;
  // Receives the errors that are only logged. May be null.
  std::function<void(const std::string& task_name, const Error& error)> report;
  // Returns a random number below BOUND, for the jitter of restarts. If this function is null,
  // RandomBytes is used.
  std::function<std::uint64_t(std::uint64_t bound)> random;

  Duration max_kill_timeout = 30s;
  Duration stats_interval = 1s;
  Duration start_timeout = 10min;  // the time limit of a driver's start
  // The time limit of what a driver does before a start, if the driver knows no longer one.
  Duration prepare_timeout = 30min;
  // If a plugin does not answer a start, recover, destroy or signal in time, its driver ends the
  // call. The runner waits DRIVER_TIMEOUT longer than the driver's own time limit. DRIVER_TIMEOUT
  // is also the longest time that the runner waits until a record is stored.
  Duration driver_timeout = 30s;
};

}  // namespace drover
