// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "host/base/loop.h"
#include "host/base/loop_port.h"
#include "host/driver/task_progress.h"
#include "host/plugin/call_table.h"

namespace drover {

// The newest report of progress of each open call, for the extension drover.progress. A driver may
// report as often as it likes: the control thread gets at most one report of a call each second,
// and the last one when the call ends. Held by shared_ptr.
class ProgressTable : public std::enable_shared_from_this<ProgressTable> {
 public:
  static constexpr Duration kEach = 1s;

  // CALLS must outlive the last call of Report.
  ProgressTable(Loop* loop, std::shared_ptr<LoopPort> port, const CallTable* calls)
      : loop_(loop), port_(std::move(port)), calls_(calls) {}

  // Stores the report, and passes it to PendingCall::hear_progress soon. Returns false, and drops
  // the report, if the call is not open or nobody hears its progress. [any thread]
  bool Report(std::uint64_t id, TaskProgress progress);
  // Passes on the last report of a call that has ended, if it was not passed on before. Control
  // thread.
  void End(std::uint64_t id);
  // Drops all reports, and all later ones. Control thread.
  void Close();
  std::size_t size() const;

 private:
  struct Entry {
    std::shared_ptr<PendingCall> call;
    std::optional<TaskProgress> latest;  // not passed on yet
    bool posted = false;                 // Drain will run for this entry
    std::optional<TimePoint> shown;      // when the last report was passed on
    Loop::TimerId timer = 0;             // control thread only
  };
  void Drain(std::uint64_t id);

  Loop* const loop_;
  const std::shared_ptr<LoopPort> port_;
  const CallTable* const calls_;
  mutable std::mutex mutex_;
  bool closed_ = false;
  std::map<std::uint64_t, Entry> entries_;
};

}  // namespace drover
