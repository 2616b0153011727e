// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/agent_metrics.h"

#include "host/base/cpu_timer_for_test.h"
#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

class StateMetricsTest : public SchedulerFixture {
 protected:
  StateMetricsTest() {
    NodeRecord node;
    node.id = "node";
    node.cpu_mhz = node.memory_mb = node.disk_mb = 1'000'000'000;
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, node)).ok());
    EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  }
  std::map<std::string, double> Values() const {
    std::vector<Metric> metrics;
    AppendStateMetrics(store, "node", &metrics);
    std::map<std::string, double> values;
    for (const Metric& metric : metrics) values[metric.name] = metric.value;
    return values;
  }
};

TEST_F(StateMetricsTest, CountNodesByTheirStatus) {
  const auto nodes = [this] {
    std::vector<Metric> metrics;
    AppendStateMetrics(store, "node", &metrics);
    std::map<std::string, double> counts;
    for (const Metric& metric : metrics) {
      if (metric.name == "drover.state.nodes") counts[metric.labels.at("status")] = metric.value;
    }
    return counts;
  };
  using Counts = std::map<std::string, double>;
  EXPECT_EQ(nodes(), (Counts{{"disconnected", 0}, {"down", 0}, {"initializing", 0}, {"ready", 1}}));
  NodeRecord other;
  other.id = "other";
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Register(context, other)).ok());
  EXPECT_EQ(nodes(), (Counts{{"disconnected", 0}, {"down", 0}, {"initializing", 1}, {"ready", 1}}));
  EXPECT_EQ(Values().at("drover.state.draining_nodes"), 0);
  MustRegister(Registration("web", 1, 1));
  EXPECT_TRUE(scheduler.Drain("node", DrainSpec{1h}, false, {}).ok());
  EXPECT_EQ(Values().at("drover.state.draining_nodes"), 1);
}

TEST_F(StateMetricsTest, CountWhatThereIs) {
  const std::string running = "nomad.client.allocations.running";
  const std::string blocked = "nomad.blocked_evals.total_blocked";
  EXPECT_EQ(Values().at(running), 0);
  MustRegister(Registration("web", 3, 1));
  MustRegister(Registration("large", 1, 2'000'000'000));
  Report(Live()[0]->id(), ClientStatus::kRunning);
  Report(Live()[1]->id(), ClientStatus::kRunning);
  Report(Live()[1]->id(), ClientStatus::kFailed);
  const auto values = Values();
  EXPECT_EQ(values.at(running), 1);
  EXPECT_EQ(values.at("nomad.client.allocations.failed"), 1);
  EXPECT_EQ(values.at("nomad.client.allocations.pending"), 1);
  EXPECT_EQ(values.at(blocked), 1);
  EXPECT_EQ(values.at("drover.state.jobs"), 2);
  ASSERT_TRUE(scheduler.Deregister({"default", "large"}, true, false).ok());
  EXPECT_EQ(Values().at(blocked), 0);
}

// A writer waits while they are counted.
TEST_F(StateMetricsTest, CostTheSameHoweverMuchThereIs) {
  const auto time_of = [this] {
    const CpuTimer timer;
    for (int i = 0; i < 200; ++i) (void)Values();
    return timer.Seconds();
  };
  MustRegister(Registration("few", 5, 1));
  const double few = LeastOf(time_of);
  MustRegister(Registration("many", 10'000, 1));
  EXPECT_LT(LeastOf(time_of), few * 5 * kSanitizerFactor);
}

}  // namespace
}  // namespace drover
