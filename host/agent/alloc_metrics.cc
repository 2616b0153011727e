// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/alloc_metrics.h"

#include <algorithm>

namespace drover {
namespace {

constexpr int kAtOnce = 32;  // allocations before other work may run

using Labels = std::map<std::string, std::string>;

Labels LabelsOf(const Allocation& alloc, const std::string& task) {
  const Job& job = *alloc.job;
  Labels labels = {{"job", job.id},
                   {"task_group", alloc.group_name},
                   {"alloc_id", alloc.id},
                   {"task", task},
                   {"namespace", job.job_namespace}};
  if (job.parent_id.empty()) return labels;
  // The id of such a job is "PARENT/dispatch-REST" or "PARENT/periodic-REST".
  labels["parent_id"] = job.parent_id;
  for (const std::string kind : {"dispatch", "periodic"}) {
    const std::string begin = job.parent_id + "/" + kind + "-";
    if (job.id.starts_with(begin)) labels[kind + "_id"] = job.id.substr(begin.size());
  }
  return labels;
}

class Gauges {
 public:
  Gauges(Labels labels, std::vector<Metric>* out) : labels_(std::move(labels)), out_(out) {}

  void Add(const char* name, double value) {
    out_->push_back(
        {std::string("nomad.client.allocs.") + name, value, Metric::Kind::kGauge, labels_});
  }
  template <typename Value>
  void AddMeasured(const std::vector<std::string>& measured, const char* what, const char* name,
                   Value value) {
    const bool is = std::find(measured.begin(), measured.end(), what) != measured.end();
    if (measured.empty() || is) Add(name, static_cast<double>(value));
  }

 private:
  const Labels labels_;
  std::vector<Metric>* const out_;
};

void AppendUsage(const ResourceUsage& usage, Gauges* gauges) {
  const ResourceUsage::Memory& memory = usage.memory;
  const auto of_memory = [&](const char* what, const char* name, std::uint64_t value) {
    gauges->AddMeasured(memory.measured, what, name, value);
  };
  of_memory("RSS", "memory.rss", memory.rss);
  of_memory("Cache", "memory.cache", memory.cache);
  of_memory("Swap", "memory.swap", memory.swap);
  of_memory("Mapped File", "memory.mapped_file", memory.mapped_file);
  of_memory("Usage", "memory.usage", memory.usage);
  of_memory("Max Usage", "memory.max_usage", memory.max_usage);
  of_memory("Kernel Usage", "memory.kernel_usage", memory.kernel_usage);
  of_memory("Kernel Max Usage", "memory.kernel_max_usage", memory.kernel_max_usage);
  const ResourceUsage::Cpu& cpu = usage.cpu;
  const auto of_cpu = [&](const char* what, const char* name, auto value) {
    gauges->AddMeasured(cpu.measured, what, name, value);
  };
  of_cpu("Percent", "cpu.total_percent", cpu.percent);
  of_cpu("System Mode", "cpu.system", cpu.system_mode);
  of_cpu("User Mode", "cpu.user", cpu.user_mode);
  of_cpu("Throttled Time", "cpu.throttled_time", cpu.throttled_time_ns);
  of_cpu("Throttled Periods", "cpu.throttled_periods", cpu.throttled_periods);
  of_cpu("Total Ticks", "cpu.total_ticks", cpu.total_ticks);
}

}  // namespace

void AppendAllocMetrics(const Allocation& alloc, const AllocUsage& usage,
                        std::vector<Metric>* out) {
  const TaskGroup* const group = alloc.group();
  if (group == nullptr) return;
  constexpr double kMebibyte = 1 << 20;
  for (const Task& task : group->tasks) {
    const auto sample = usage.tasks.find(task.name);
    if (sample == usage.tasks.end()) continue;
    Gauges gauges(LabelsOf(alloc, task.name), out);
    gauges.Add("memory.allocated", static_cast<double>(task.resources.memory_mb) * kMebibyte);
    if (task.resources.memory_max_mb > 0) {
      gauges.Add("memory.max_allocated",
                 static_cast<double>(task.resources.memory_max_mb) * kMebibyte);
    }
    gauges.Add("cpu.allocated", static_cast<double>(task.resources.cpu_mhz));
    AppendUsage(sample->second->total, &gauges);
  }
}

Co<Result<std::vector<Metric>>> RunningAllocMetrics(Context context, const NodeClient* client) {
  std::vector<Metric> metrics;
  const Context no_wait = context.Child();
  Context(no_wait).Cancel("only what is there");
  int done = 0;
  const std::vector<std::string> ids = client->alloc_ids();
  for (const std::string& id : ids) {
    if (++done % kAtOnce == 0) DROVER_CO_TRY(co_await Sleep(context, Duration(0)));
    AllocRunner* const runner = client->Find(id);
    if (runner == nullptr || runner->snapshot()->terminal()) continue;
    const AllocSnapshot snapshot = runner->snapshot();
    const AllocUsage usage = co_await runner->Usage(no_wait, "", UsageDetail::kTotals);
    AppendAllocMetrics(*snapshot->alloc, usage, &metrics);
  }
  co_return metrics;
}

}  // namespace drover
