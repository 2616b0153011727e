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

// Holds starts back while an agent restores tasks. A driver starts no task before it was asked for
// all the tasks it had, and was informed that this is complete. Each driver has its own barrier, so
// one that hangs delays no other. Control thread only; outlives the task runners.
class RestoreBarrier {
 public:
  explicit RestoreBarrier(Loop* loop) : loop_(loop) {}

  // An earlier agent left this task with RUN, or without a run. Call before the first Found.
  void Expect(const std::string& driver, const std::string& task_id, std::optional<RunId> run);
  // The task was restored with RUN, or without a run. A task that was not expected is ignored.
  void Found(const std::string& driver, const std::string& task_id, std::optional<RunId> run);

  // Returns when the driver's tasks have all been found, or after LIMIT. A standstill of this
  // process does not count against LIMIT.
  Co<Status> WaitFound(Context context, std::string driver, Duration limit);
  // The runs of the driver's tasks: as found, or else as an earlier agent left them.
  std::vector<RunId> RunsOf(const std::string& driver) const;
  // The driver is not loaded yet, so its properties and the schema of its tasks are unknown.
  void Loading(const std::string& driver) { EntryOf(driver).loaded.Reset(); }
  // The driver is loaded now, or will not come.
  void Loaded(const std::string& driver) { EntryOf(driver).loaded.Set(); }
  // Returns when the driver is not loading.
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
    std::map<std::string, RunId> runs;  // by task
    Event loaded;
    Event found;
    Event open;
  };
  Entry& EntryOf(const std::string& driver);

  Loop* const loop_;
  std::map<std::string, std::unique_ptr<Entry>> entries_;
};

}  // namespace drover
