// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/scale_collection.h"

#include <algorithm>
#include <atomic>
#include <thread>

#include "bench/agent_jobs.h"
#include "bench/proc_facts.h"

namespace drover::bench {
namespace {

constexpr Duration kLook = 2s;
constexpr Duration kSettled = 5s;  // directories are removed after the records
// Two clients without pauses would take the processors from the agent.
constexpr Duration kBetween = std::chrono::microseconds(500);

// Sends small requests to the control thread, one after the other, and keeps the longest wait.
class Asker {
 public:
  explicit Asker(const AgentProcess& agent)
      : asking_([this, client = agent.Connect()]() mutable {
          while (!over_) {
            const auto start = Clock::now();
            Must(client.Get("/v1/client/metadata"));
            longest_ = std::max(longest_, Since(start));
            std::this_thread::sleep_for(kBetween);
          }
        }) {}

  double EndMs() {
    over_ = true;
    asking_.join();
    return longest_ * 1e3;
  }

 private:
  std::atomic<bool> over_{false};
  double longest_ = 0;
  std::thread asking_;
};

// The agent gives its connections to its two threads in turn.
class ControlPauses {
 public:
  explicit ControlPauses(const AgentProcess& agent) : one_(agent), other_(agent) {}

  Pauses End() {
    const double one = one_.EndMs(), other = other_.EndMs();
    return {std::max(one, other), std::min(one, other)};
  }

 private:
  Asker one_, other_;
};

void CollectAll(ApiClient* client) {
  Collect(client);
  Await(client, "/v1/allocations", [](const Json& left) { return left.empty(); });
  std::this_thread::sleep_for(kSettled);
}

double Kib(const AgentProcess& agent) {
  return static_cast<double>(ReadProcFacts(agent.pid()).pss_kib);
}

}  // namespace

CollectionCost MeasureCollection(const AgentProcess& agent, int allocs) {
  ApiClient client = agent.Connect();
  CollectionCost cost;
  RunShortTasks(&client, "first", std::max(allocs / 20, 1));  // the growth by any work
  CollectAll(&client);
  const double before = Kib(agent);
  RunShortTasks(&client, "ended", allocs);
  ControlPauses idle(agent);
  std::this_thread::sleep_for(kLook);
  cost.idle = idle.End();
  const double grown = Kib(agent) - before;
  MustHold(&client, allocs);
  cost.ended_kib = grown / allocs;
  ControlPauses pauses(agent);
  CollectAll(&client);
  cost.busy = pauses.End();
  const double kept = Kib(agent) - before;
  cost.kept_percent = 100 * std::max(0.0, kept) / std::max(grown, 1.0);
  RunShortTasks(&client, "again", allocs);
  std::this_thread::sleep_for(kLook);
  cost.again_ended_kib = (Kib(agent) - before - grown) / allocs;
  CollectAll(&client);
  cost.again_kept_kib = (Kib(agent) - before - kept) / allocs;
  return cost;
}

}  // namespace drover::bench
