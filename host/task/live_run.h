// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>

#include "host/base/context.h"
#include "host/base/event.h"
#include "host/driver/driver.h"
#include "host/process/dropped_output.h"

namespace drover {

// One run of a task, from its start or recovery to its end. The main coroutine of the runner shares
// this object with the coroutine that waits for the end of the run, and with requests from outside
// the runner.
struct LiveRun {
  LiveRun(Loop* loop, std::shared_ptr<const TaskConfig> of)
      : config(std::move(of)),
        watch(loop),
        exited(loop),
        unhealthy(loop),
        stop_over(loop),
        dropped_more(loop),
        news_more(loop) {}

  const RunId& id() const { return config->run_id; }

  // Sets the result and the event EXITED. Does nothing if there is a result already.
  void Finish(ExitResult with) {
    if (result) return;
    result = std::move(with);
    exited.Set();
  }
  // Like Finish, for a run whose true result is unknown and whose processes may still be alive.
  void FinishUnknown(std::string error) {
    if (result) return;
    unsure = true;
    Finish(ExitResult{-1, 0, false, std::move(error)});
  }

  const std::shared_ptr<const TaskConfig> config;
  Context watch;  // cancelled to stop waiting for the end of the run
  Event exited;   // set together with the result
  std::optional<ExitResult> result;
  bool unsure = false;        // true: the host must kill any processes that are left
  bool announced = true;      // the event "Started" was emitted
  bool end_reported = false;  // the event "Terminated" was emitted
  Event unhealthy;            // set while the driver is unhealthy
  bool stop_goes_on = false;  // an earlier agent has begun the stop of this run
  bool stopping = false;      // a stop is in progress; a second stop waits for its end
  Event stop_over;
  Status stop_status;
  // The time at which the run was last recovered after a loss of the plugin.
  std::optional<TimePoint> recovered_at;
  DroppedOutput dropped;           // all dropped output of the run so far
  DroppedOutput dropped_reported;  // the value of DROPPED in the last event about dropped output
  bool reports_dropped = false;    // true: a coroutine waits for more dropped output
  Event dropped_more;
  TaskNews::What news;      // news of the driver that are not carried out yet
  bool new_handle = false;  // true: the handle of the news is not stored yet
  bool hears_news = false;  // true: a coroutine waits for more news
  Event news_more;
  Subscription on_dropped;
  Subscription on_health;
  Subscription on_events;
  Subscription on_handle;
  Subscription on_news;
};

}  // namespace drover
