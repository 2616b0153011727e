// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <thread>

#include "host/stats/metric_registry.h"
#include "host/stats/prometheus_text.h"

namespace drover {
namespace {

TEST(MetricRegistryTest, CountersGrowFromAnyThreadAndSourcesAreAskedWhenSomebodyLooks) {
  MetricRegistry registry;
  int asked = 0;
  registry.AddSource([&](std::vector<Metric>* out) {
    ++asked;
    out->push_back({"gauge", 7, Metric::Kind::kGauge, {{"cpu", "0"}}});
  });
  registry.Count("starts", 0);
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int k = 0; k < 1000; ++k) registry.Count("starts");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(asked, 0);
  const std::vector<Metric> metrics = registry.Look();
  EXPECT_EQ(asked, 1);
  ASSERT_EQ(metrics.size(), 2u);
  EXPECT_EQ(metrics[0].value, 4000);
  EXPECT_EQ(metrics[0].kind, Metric::Kind::kCounter);
  EXPECT_EQ(metrics[1].labels.at("cpu"), "0");
}

TEST(PrometheusTextTest, NamesStandTogetherAndLabelsAreQuoted) {
  const auto gauge = Metric::Kind::kGauge;
  EXPECT_EQ(PrometheusText({{"b.x-y", 0.5, gauge, {{"job", "a\"b\\c\nd"}, {"task group", "g"}}},
                            {"a", 3, Metric::Kind::kCounter, {}},
                            {"b.x-y", 12345678901, gauge, {}},
                            {"9", std::numeric_limits<double>::infinity(), gauge, {}}}),
            "# HELP _9 9\n# TYPE _9 gauge\n_9 +Inf\n"
            "# HELP a a\n# TYPE a counter\na 3\n"
            "# HELP b_x_y b.x-y\n# TYPE b_x_y gauge\n"
            "b_x_y 12345678901\n"
            "b_x_y{job=\"a\\\"b\\\\c\\nd\",task_group=\"g\"} 0.5\n");
  EXPECT_EQ(PrometheusText({}), "");
}

}  // namespace
}  // namespace drover
