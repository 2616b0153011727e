// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/gate.h"
#include "host/driver/driver.h"
#include "host/stats/lingering_demand.h"
#include "host/stats/stats_demand.h"

namespace drover {

// Keeps the newest sample of one task. It asks its source for one stream at a time, and only while
// somebody wants samples: a client that looked within the last ten seconds, or the whole agent
// while metrics are on. The stream contains processes only while somebody looks at them. When that
// begins or ends, the collector asks for a new stream. Control thread only.
class StatsCollector {
 public:
  // Driver::Stats with its run bound: feeds the sink until the stream ends.
  using Sink = std::function<void(TaskUsage)>;
  using Source = std::function<Co<Status>(Context, StatsRequest, Sink)>;
  using Sample = std::shared_ptr<const TaskUsage>;

  struct Options {
    Duration interval = 1s;
    Duration linger = 10s;      // how long one look keeps the stream open
    Duration min_backoff = 1s;  // after an error, doubled to the next
    Duration max_backoff = 5s;
  };

  // AGENT is the demand of the whole agent; null: there is none. It outlives the collector.
  StatsCollector(Loop* loop, StatsDemand* agent, Options options);
  StatsCollector(const StatsCollector&) = delete;
  StatsCollector& operator=(const StatsCollector&) = delete;

  // Collects until the context ends or the driver answers that asking again is useless. Asks again,
  // after a pause, for a stream that was closed or has failed. Drops the sample when it returns.
  // Only one Run at a time.
  Co<void> Run(Context context, Source source);

  // Returns the newest sample and demands more. Waits until CONTEXT ends for a first sample and for
  // that DETAIL; after that, any sample will do. kUnimplemented when the driver has none,
  // kFailedPrecondition when the task does not run.
  Co<Result<Sample>> Look(Context context, UsageDetail detail);

  // For tests.
  Sample latest() const { return latest_; }        // null: there is none; does not count as a look
  bool collecting() const { return collecting_; }  // Run is in progress
  std::uint64_t streams() const { return streams_; }  // how often the source was asked
  std::uint64_t samples() const { return samples_; }

 private:
  Co<void> WaitWanted(Context context);
  Co<void> EndWhenUnwanted(Context stream, UsageDetail detail);
  Co<Status> OneStream(Context context, const Source* source, UsageDetail detail);
  bool wanted() const { return demand_.wanted() || (agent_ != nullptr && agent_->wanted() > 0); }
  UsageDetail wanted_detail() const {
    return process_demand_.wanted() ? UsageDetail::kProcesses : UsageDetail::kTotals;
  }
  bool Shows(UsageDetail detail) const {
    return latest_ != nullptr && (detail == UsageDetail::kTotals || latest_detail_ == detail);
  }

  Loop* const loop_;
  StatsDemand* const agent_;
  const Options options_;
  LingeringDemand demand_;
  LingeringDemand process_demand_;  // for samples with processes
  Sample latest_;
  UsageDetail latest_detail_ = UsageDetail::kTotals;  // of its stream
  Event changed_;                                     // a sample has come, or Run has ended
  bool collecting_ = false;
  std::optional<Error> ended_;  // why Run ended before its context
  std::uint64_t streams_ = 0;
  std::uint64_t samples_ = 0;
};

}  // namespace drover
