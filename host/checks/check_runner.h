// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>

#include "host/base/gate.h"
#include "host/base/loop.h"
#include "host/checks/check_asker.h"
#include "host/checks/check_results.h"
#include "host/checks/tick_timers.h"

namespace drover {

struct CheckRunnerOptions {
  Loop* loop = nullptr;           // the loop of the thread that asks
  CheckAsker* network = nullptr;  // for checks that connect to a port
  CheckAsker* scripts = nullptr;  // for scripts
  // Receives each result. Called on the thread of LOOP.
  std::function<void(const std::shared_ptr<CheckSlot>&, CheckResult)> put;
  // How many runs may be under way, so that hanging checks do not use up all descriptors. A run
  // that has to wait starts late, and its timeout counts from its start.
  int most_at_once = 512;
  int most_of_alloc = 64;  // so that the checks of one allocation do not delay those of others
  // So many runs of an allocation never wait for those of others, which may hang for as long as
  // their jobs say.
  int least_of_alloc = 4;
  Duration tick = 50ms;  // see TickTimers
};

// Runs checks: each for the first time after half of its interval, and then once per interval. A
// check has at most one run under way; it skips the runs that become due meanwhile. The first runs
// of checks that begin together are spread. Belongs to the thread of its loop.
class CheckRunner {
 public:
  explicit CheckRunner(CheckRunnerOptions options);
  ~CheckRunner();

  void Add(std::shared_ptr<CheckSlot> slot);
  // Ends the run under way, if there is one, and drops its answer. Returns at once.
  void Remove(const CheckSlot* slot);
  // Removes all checks, and returns when no run is under way.
  Co<void> Close();

  // For tests.
  std::size_t checks() const { return checks_.size(); }
  int running() const { return running_; }

  // When the first run of a check is due after its begin.
  static Duration FirstDelay(const CheckPlan& plan);

 private:
  struct Check;
  // The checks of one allocation that run, or wait for others to end.
  struct Share {
    int running = 0;
    std::deque<std::shared_ptr<Check>> waiting;
  };

  void Schedule(const std::shared_ptr<Check>& check);
  void Due(const std::shared_ptr<Check>& check);
  void Start(const std::shared_ptr<Check>& check);
  static Co<void> Run(CheckRunner* self, std::shared_ptr<Check> check);
  void Ended(const std::shared_ptr<Check>& check, CheckAnswer answer);
  bool MayStart(const Share& share) const;
  void StartWaiting();
  bool StartOneOf(const std::string& alloc_id);

  const CheckRunnerOptions options_;
  TickTimers timers_;
  std::map<const CheckSlot*, std::shared_ptr<Check>> checks_;
  std::map<std::string, Share> shares_;  // by allocation; only those with a run or a waiting check
  std::deque<std::string> turns_;        // the allocations with waiting checks
  int running_ = 0;
  Gate runs_;
};

}  // namespace drover
