// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/alloc_metrics.h"

#include <algorithm>
#include <iterator>

namespace drover {
namespace {

constexpr int kAtOnce = 32;  // the number of allocations after which other work may run

using Labels = std::map<std::string, std::string>;

Labels LabelsOf(const Allocation& alloc, const std::string& task) {
  const Job& job = *alloc.job;
  Labels labels = {{"job", job.id},
                   {"task_group", alloc.group_name},
                   {"alloc_id", alloc.id},
                   {"task", task},
                   {"namespace", job.job_namespace}};
  if (job.parent_id.empty()) return labels;
  // A job with a parent has the id "PARENT/dispatch-REST" or "PARENT/periodic-REST".
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

 private:
  const Labels labels_;
  std::vector<Metric>* const out_;
};

// Appends the measured values of PART, which is the memory part or the CPU part of a task's usage.
// If ALL is true, also appends the values that were not measured.
template <typename Fields, typename Part>
void AppendPart(const Fields& fields, const Part& part, StatSet measured, bool all,
                Gauges* gauges) {
  for (const auto& field : fields) {
    if (all || measured.Has(field.stat)) {
      gauges->Add(field.metric, static_cast<double>(part.*field.member));
    }
  }
}

template <typename Fields>
bool HasAny(StatSet measured, const Fields& fields) {
  return std::any_of(std::begin(fields), std::end(fields),
                     [measured](const auto& field) { return measured.Has(field.stat); });
}

void AppendUsage(const ResourceUsage& usage, Gauges* gauges) {
  const StatSet measured = usage.measured;
  AppendPart(kMemoryStats, usage.memory, measured, !HasAny(measured, kMemoryStats), gauges);
  const bool all_cpu = !HasAny(measured, kCpuStats) && !HasAny(measured, kThrottlingStats);
  AppendPart(kCpuStats, usage.cpu, measured, all_cpu, gauges);
  AppendPart(kThrottlingStats, usage.cpu, measured, all_cpu, gauges);
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
