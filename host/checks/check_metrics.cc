// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_metrics.h"

#include <array>
#include <map>
#include <string>

namespace drover {

void AppendCheckMetrics(const CheckResults& results, std::vector<Metric>* out) {
  constexpr std::array kAll = {CheckStatus::kPending, CheckStatus::kSuccess, CheckStatus::kWarning,
                               CheckStatus::kFailure};
  std::map<CheckStatus, int> counts;
  results.ForEach([&](const CheckPlan& plan, CheckStatus status) {
    ++counts[status];
    std::map<std::string, std::string> labels = {
        {"job", plan.job_id},        {"task_group", plan.group},
        {"alloc_id", plan.alloc_id}, {"namespace", plan.job_namespace},
        {"service", plan.service},   {"check", plan.check.name},
        {"check_id", plan.id}};
    if (!plan.task.empty()) labels["task"] = plan.task;
    const double passing = status == CheckStatus::kSuccess ? 1 : 0;
    out->push_back(
        {"nomad.client.allocs.check_passing", passing, Metric::Kind::kGauge, std::move(labels)});
  });
  for (const CheckStatus status : kAll) {
    out->push_back({"nomad.client.checks." + std::string(CheckStatusName(status)),
                    static_cast<double>(counts[status]),
                    Metric::Kind::kGauge,
                    {}});
  }
}

}  // namespace drover
