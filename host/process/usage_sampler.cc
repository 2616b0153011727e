// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/usage_sampler.h"

#include <utility>

namespace drover {
namespace {

constexpr Duration kIdle = 10s;  // how long the files of a run stay open, at least

}  // namespace

ProcessUsage UsageSampler::Sample(const RunId& run, UsageDetail detail) {
  const RunUsage& files = FilesOf(run);
  ProcessUsage usage;
  if (detail == UsageDetail::kProcesses || !files.counts_all()) {
    std::vector<ProcessUsage::Process> processes = walk_(run);
    for (const ProcessUsage::Process& process : processes) {
      usage.user_time += process.user_time;
      usage.system_time += process.system_time;
      usage.rss += process.rss;
      usage.swap += process.swap;
    }
    if (detail == UsageDetail::kProcesses) usage.processes = std::move(processes);
  }
  files.Read(&usage);
  return usage;
}

const RunUsage& UsageSampler::FilesOf(const RunId& run) {
  const auto [entry, is_new] = runs_.try_emplace(run);
  if (is_new) entry->second.files = open_(run);
  entry->second.used = loop_->Now();
  if (timer_ == 0) timer_ = loop_->After(kIdle, [this] { CloseIdle(); });
  return entry->second.files;
}

void UsageSampler::CloseIdle() {
  timer_ = 0;
  const TimePoint since = loop_->Now() - kIdle;
  std::erase_if(runs_, [&](const auto& entry) { return entry.second.used <= since; });
  if (!runs_.empty()) timer_ = loop_->After(kIdle, [this] { CloseIdle(); });
}

}  // namespace drover
