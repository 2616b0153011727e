// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "host/base/context.h"
#include "host/base/event.h"
#include "host/driver/driver.h"
#include "host/process/dropped_output.h"

namespace drover {

// One run that the driver knows. Shared by the runner's loop, the coroutine that waits for its end,
// and requests from outside.
struct LiveRun {
  LiveRun(Loop* loop, std::shared_ptr<const TaskConfig> of)
      : config(std::move(of)),
        watch(loop),
        exited(loop),
        unhealthy(loop),
        stop_over(loop),
        dropped_more(loop) {}

  const RunId& id() const { return config->run_id; }

  // Sets the result. Only the first one counts.
  void Finish(ExitResult with) {
    if (result) return;
    result = std::move(with);
    exited.Set();
  }
  // The same, when the true result is not known and some of its processes may still be alive.
  void FinishUnknown(std::string error) {
    if (result) return;
    unsure = true;
    Finish(ExitResult{-1, 0, false, std::move(error)});
  }

  const std::shared_ptr<const TaskConfig> config;
  Context watch;  // ends the wait for its end
  Event exited;   // set with the result
  std::optional<ExitResult> result;
  bool unsure = false;        // the host must kill whatever is left
  bool announced = true;      // the event "Started" was emitted
  bool end_reported = false;  // the event "Terminated" was emitted
  Event unhealthy;            // set while the driver is unhealthy
  bool stop_goes_on = false;  // an earlier agent has begun the stop
  bool stopping = false;      // a stop is in progress; others wait for it
  Event stop_over;
  Status stop_status;
  std::optional<TimePoint> recovered_at;  // the last time, after its plugin was gone
  DroppedOutput dropped;                  // so far
  DroppedOutput dropped_reported;         // as of the last event about it
  bool reports_dropped = false;           // a coroutine waits for more
  Event dropped_more;
  Subscription on_dropped;
  Subscription on_health;
  Subscription on_events;
  Subscription on_handle;
};

}  // namespace drover
