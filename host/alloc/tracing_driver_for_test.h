// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/task/fake_driver.h"

namespace drover {

// Something that happened to one task. A trace holds such entries in their order.
struct TraceEntry {
  enum class Kind {
    kBegin,  // the driver was asked to start it
    kStart,  // it runs
    kStop,   // the driver was asked to stop it
    kEnd,    // it has ended
  };
  Kind kind;
  std::string task;
  TimePoint at;
  bool success = false;  // of an end
};

// A fake driver that records what happens to its tasks.
class TracingDriver : public FakeDriver {
 public:
  explicit TracingDriver(Loop* loop) : FakeDriver(loop), on_(loop) {}
  Co<Result<StartedTask>> Start(Context context, std::shared_ptr<const TaskConfig> config) override;
  Co<Result<ExitResult>> Wait(Context context, RunId run) override;
  Co<Status> Stop(Context context, RunId run, Duration timeout, std::string signal) override;
  std::vector<TraceEntry> trace;
  std::map<std::string, std::string> networks;  // of each task's newest start
  // The starts and ends in words: "+main -main".
  std::string TraceText() const;

 private:
  void Note(TraceEntry::Kind kind, const std::string& task, bool success = false) {
    trace.push_back({kind, task, on_->Now(), success});
  }

  Loop* const on_;
  std::map<RunId, std::string> open_;
};

}  // namespace drover
