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

// The services that an agent lends to all its task runners. Pointers are not owned. They and this
// struct must outlive the runners. Only members that say so may be null.
struct TaskServices {
  DriverRegistry* drivers = nullptr;
  TaskPreparer* preparer = nullptr;
  // The processes of the runs, whatever their driver does. May be null: the host has none.
  ProcessService* processes = nullptr;
  // Receives the outcome of a restore; no task starts before the barrier opens. May be null: no
  // start waits.
  RestoreBarrier* restores = nullptr;
  // The demand of the whole agent for statistics. May be null: there is none.
  StatsDemand* stats_demand = nullptr;

  // Receives a run that could not be destroyed, so parts of it may be left. May be null.
  std::function<void(RunId)> release_later;
  // Returns once a server was heard: a task that could not be re-attached waits for it. Null: there
  // is no server, so nothing waits.
  std::function<Co<Status>(Context)> wait_server_contact;
  // Receives errors that are only worth a line in the log. May be null.
  std::function<void(const std::string& task_name, const Error& error)> report;
  // Returns a random number below BOUND, for the jitter of restarts. Null: RandomBytes is used.
  std::function<std::uint64_t(std::uint64_t bound)> random;

  Duration max_kill_timeout = 30s;
  Duration stats_interval = 1s;
  Duration start_timeout = 10min;  // for a driver's start
  // A backstop above the limits by which a driver itself ends a call that its plugin does not
  // answer: those of start, recover, destroy and signal. Also limits the storing of a record.
  Duration driver_timeout = 30s;
};

}  // namespace drover
