// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/base/event.h"
#include "host/base/ids.h"

namespace drover {

// Delays the starts of tasks while an agent restores tasks. The agent first recovers all earlier
// tasks of a driver, and then informs the driver that the restore is complete. No task of the
// driver starts before that. Each driver has its own barrier, so a driver that hangs does not delay
// the tasks of other drivers. Control thread only. The barrier must outlive the task runners.
class RestoreBarrier {
 public:
  explicit RestoreBarrier(Loop* loop) : loop_(loop) {}

  // Records that an earlier agent left this task with RUN, or without a run if RUN is absent. Must
  // be called before the first Found.
  void Expect(const std::string& driver, const std::string& task_id, std::optional<RunId> run);
  // Records that the task was restored with RUN, or without a run if RUN is absent. Ignores a task
  // for which Expect was not called.
  void Found(const std::string& driver, const std::string& task_id, std::optional<RunId> run);

  // Returns when all expected tasks of DRIVER have been found, or with an error after LIMIT. Time
  // during which this process is stopped or suspended does not count against LIMIT.
  Co<Status> WaitFound(Context context, std::string driver, Duration limit);
  // Returns the runs of the driver's tasks. For a task that is not found yet, returns the run that
  // the earlier agent left.
  std::vector<RunId> RunsOf(const std::string& driver) const;
  // Records that the driver is not loaded yet. Until the driver is loaded, its properties and the
  // schema of its tasks are unknown.
  void Loading(const std::string& driver) { EntryOf(driver).loaded.Reset(); }
  // Records that the driver is loaded now or will never be loaded.
  void Loaded(const std::string& driver) { EntryOf(driver).loaded.Set(); }
  // Returns when the driver is not being loaded. Returns at once if Loading was never called.
  Co<Status> WaitLoaded(Context context, std::string driver);

  // Lets tasks of the driver start from now on.
  void Open(const std::string& driver);
  // Returns when tasks of the driver may start.
  Co<Status> WaitOpen(Context context, std::string driver);

 private:
  struct Entry {
    explicit Entry(Loop* loop) : loaded(loop), found(loop), open(loop) {
      loaded.Set();
      found.Set();
    }
    std::set<std::string> expected;
    std::map<std::string, RunId> runs;  // the key is the task's id
    Event loaded;
    Event found;
    Event open;
  };
  Entry& EntryOf(const std::string& driver);

  Loop* const loop_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;
};

}  // namespace drover
