// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstdint>

#include "host/base/time.h"
#include "host/spec/job.h"

// The highest values that a job may have. Each bound is far beyond any machine. It is also far
// below the limit of its type, so that derived values (a point in time, bytes, the sum over all
// tasks) fit into that type, too. Code that computes with a value of a job must pass it through
// Bounded first. The reason is that a stored job is not checked again, and it may come from a
// version without these bounds.
namespace drover {

inline constexpr Duration kLongestOfJob = std::chrono::hours(24 * 365 * 100);  // 100 years
inline constexpr std::int64_t kMostMemoryMb = 1LL << 30;                       // 1 PiB
inline constexpr std::int64_t kMostCpuMhz = 1'000'000'000;
inline constexpr std::int64_t kMostCores = 1'000'000;
inline constexpr int kMostLogFiles = 1'000'000;
inline constexpr std::int64_t kMostLogFileMb = 1LL << 20;  // 1 TiB

inline Duration Bounded(Duration of_job) { return std::clamp(of_job, Duration(0), kLongestOfJob); }

inline Resources Bounded(Resources of_job) {
  of_job.cpu_mhz = std::clamp<std::int64_t>(of_job.cpu_mhz, 0, kMostCpuMhz);
  of_job.memory_mb = std::clamp<std::int64_t>(of_job.memory_mb, 0, kMostMemoryMb);
  of_job.memory_max_mb = std::clamp<std::int64_t>(of_job.memory_max_mb, 0, kMostMemoryMb);
  of_job.cores = std::clamp<std::int64_t>(of_job.cores, 0, kMostCores);
  return of_job;
}

}  // namespace drover
