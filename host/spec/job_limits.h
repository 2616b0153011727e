// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
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

// Of services. One allocation has all services of its group and of the tasks in it.
inline constexpr std::size_t kMostServices = 512;  // of a group and its tasks together
inline constexpr std::size_t kMostChecks = 1024;   // of a group and its tasks together
inline constexpr std::size_t kMostChecksOfService = 64;
inline constexpr std::size_t kMostTags = 256;
inline constexpr std::size_t kMostServiceBytes = 16u << 10;  // of all its texts, without checks
inline constexpr std::size_t kMostCheckBytes = 64u << 10;    // of all its texts

inline Duration Bounded(Duration of_job) { return std::clamp(of_job, Duration(0), kLongestOfJob); }

inline Resources Bounded(Resources of_job) {
  of_job.cpu_mhz = std::clamp<std::int64_t>(of_job.cpu_mhz, 0, kMostCpuMhz);
  of_job.memory_mb = std::clamp<std::int64_t>(of_job.memory_mb, 0, kMostMemoryMb);
  of_job.memory_max_mb = std::clamp<std::int64_t>(of_job.memory_max_mb, 0, kMostMemoryMb);
  of_job.cores = std::clamp<std::int64_t>(of_job.cores, 0, kMostCores);
  return of_job;
}

}  // namespace drover
