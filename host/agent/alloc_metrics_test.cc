// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/alloc_metrics.h"

#include <gtest/gtest.h>

#include <set>

namespace drover {
namespace {

class AllocMetricsTest : public ::testing::Test {
 protected:
  AllocMetricsTest() {
    job_.id = "web/dispatch-1700-ab";
    job_.parent_id = "web";
    job_.job_namespace = "ops";
    TaskGroup group;
    group.name = "g";
    Task task;
    task.name = "t";
    task.resources = {.cpu_mhz = 250, .memory_mb = 64, .memory_max_mb = 128};
    group.tasks.push_back(task);
    task.name = "not running";
    group.tasks.push_back(task);
    job_.groups.push_back(group);
  }

  std::vector<Metric> Metrics(const ResourceUsage& used) {
    Allocation alloc;
    alloc.id = "a1";
    alloc.group_name = "g";
    alloc.job = std::make_shared<const Job>(job_);
    AllocUsage usage;
    auto sample = std::make_shared<TaskUsage>();
    sample->total = used;
    usage.tasks["t"] = sample;
    std::vector<Metric> metrics;
    AppendAllocMetrics(alloc, usage, &metrics);
    return metrics;
  }

  Job job_;
};

TEST_F(AllocMetricsTest, OnlyWhatWasMeasuredIsReportedWithTheLabelsOfTheTask) {
  ResourceUsage used;
  used.memory.rss = 4096;
  used.cpu.percent = 12.5;
  used.measured = StatSet(Stat::kRss, Stat::kPercent);
  std::map<std::string, double> values;
  for (const Metric& metric : Metrics(used)) {
    values[metric.name] = metric.value;
    EXPECT_EQ(metric.labels, (std::map<std::string, std::string>{{"job", "web/dispatch-1700-ab"},
                                                                 {"task_group", "g"},
                                                                 {"alloc_id", "a1"},
                                                                 {"task", "t"},
                                                                 {"namespace", "ops"},
                                                                 {"parent_id", "web"},
                                                                 {"dispatch_id", "1700-ab"}}));
  }
  EXPECT_EQ(values,
            (std::map<std::string, double>{{"nomad.client.allocs.memory.rss", 4096},
                                           {"nomad.client.allocs.memory.allocated", 64 << 20},
                                           {"nomad.client.allocs.memory.max_allocated", 128 << 20},
                                           {"nomad.client.allocs.cpu.total_percent", 12.5},
                                           {"nomad.client.allocs.cpu.allocated", 250}}));
}

TEST_F(AllocMetricsTest, ADriverThatDoesNotSayWhatItMeasuresHasMeasuredAll) {
  std::set<std::string> names;
  for (const Metric& metric : Metrics(ResourceUsage())) names.insert(metric.name.substr(20));
  EXPECT_EQ(names, (std::set<std::string>{
                       "memory.rss", "memory.cache", "memory.swap", "memory.mapped_file",
                       "memory.usage", "memory.max_usage", "memory.kernel_usage",
                       "memory.kernel_max_usage", "memory.allocated", "memory.max_allocated",
                       "cpu.total_percent", "cpu.system", "cpu.user", "cpu.throttled_time",
                       "cpu.throttled_periods", "cpu.total_ticks", "cpu.allocated"}));
}

}  // namespace
}  // namespace drover
