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

// What an agent that takes tasks over waits for: no driver starts a task before it has been asked
// for all that it has, and has been told so. Each driver by itself, so that one that hangs holds up
// nobody else. Control thread only; outlives the task runners.
class RestoreBarrier {
 public:
  explicit RestoreBarrier(Loop* loop) : loop_(loop) {}

  // A task that an earlier agent left; RUN is what it had then. Before the first Found.
  void Expect(const std::string& driver, const std::string& task_id, std::optional<RunId> run);
  // It has been found again, RUN, or it has none now. One that nobody expects is fine.
  void Found(const std::string& driver, const std::string& task_id, std::optional<RunId> run);

  // Returns when nothing more is expected of the driver, or after LIMIT, in which a standstill of
  // this process does not count.
  Co<Status> WaitFound(Context context, std::string driver, Duration limit);
  // The runs that its tasks have, or had when they are not found yet.
  std::vector<RunId> RunsOf(const std::string& driver) const;
  // The driver is not loaded yet: what it is, and how tasks are configured for it, is not known.
  void Loading(const std::string& driver) { EntryOf(driver).loaded.Reset(); }
  // Now it is, or is known not to come.
  void Loaded(const std::string& driver) { EntryOf(driver).loaded.Set(); }
  // Returns when the driver is not being loaded.
  Co<Status> WaitLoaded(Context context, std::string driver);

  // From now on its tasks may start.
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
