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

// Keeps the newest sample of one task. It requests one stream at a time from its source, and only
// while somebody wants samples. A client wants samples for ten seconds after its last Look. The
// whole agent wants samples while metrics are on. The stream contains processes only while a client
// wants samples with processes. When the demand for processes begins or ends, the collector
// requests a new stream. Control thread only.
class StatsCollector {
 public:
  // A Source is Driver::Stats for one run. The source passes samples to the sink until the stream
  // ends.
  using Sink = std::function<void(TaskUsage)>;
  using Source = std::function<Co<Status>(Context, StatsRequest, Sink)>;
  using Sample = std::shared_ptr<const TaskUsage>;

  struct Options {
    Duration interval = 1s;
    Duration linger = 10s;      // how long one Look keeps the stream open
    Duration min_backoff = 1s;  // the first pause after an error; each error doubles it
    Duration max_backoff = 5s;
  };

  // AGENT is the demand of the whole agent, or null if there is no such demand. AGENT must outlive
  // the collector.
  StatsCollector(Loop* loop, StatsDemand* agent, Options options);
  StatsCollector(const StatsCollector&) = delete;
  StatsCollector& operator=(const StatsCollector&) = delete;

  // Collects samples until CONTEXT ends, or until the driver returns an error after which a new
  // request is useless. If a stream was closed or has failed, Run requests a new stream after a
  // pause. When Run returns, the collector drops the newest sample. Only one Run may be in
  // progress at a time.
  Co<void> Run(Context context, Source source);

  // Returns the newest sample and demands more samples. If there is no sample yet, or no sample
  // with DETAIL, Look waits for such a sample until CONTEXT ends. When CONTEXT ends, Look returns
  // a sample with less detail if there is one. Returns kUnimplemented if the driver has no
  // samples, and kFailedPrecondition if the task does not run.
  Co<Result<Sample>> Look(Context context, UsageDetail detail);

  // The following methods are for tests.
  Sample latest() const { return latest_; }        // may be null; unlike Look, demands no samples
  bool collecting() const { return collecting_; }  // whether Run is in progress
  std::uint64_t streams() const { return streams_; }  // how many streams were requested
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
  LingeringDemand process_demand_;  // the demand for samples with processes
  Sample latest_;
  UsageDetail latest_detail_ = UsageDetail::kTotals;  // the detail of latest_
  Event changed_;                                     // set when a sample arrives or Run ends
  bool collecting_ = false;
  std::optional<Error> ended_;  // the error of the driver that ended Run
  std::uint64_t streams_ = 0;
  std::uint64_t samples_ = 0;
};

}  // namespace drover
