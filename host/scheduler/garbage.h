// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>

#include "host/scheduler/tables.h"

namespace drover {

// Decides which ended allocations, evaluations and jobs may be removed.
//
// An ended allocation holds two things: its runner and files on the node, and its record, from
// which its job knows that it has run. `collected` makes the node remove the first. The record goes
// when the job does not need it any more, or with the job.
struct GarbageRule {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  WallTime ended_before = std::numeric_limits<WallTime>::max();
  std::size_t keep = kAll;  // how many that ended later may stay, the newest ones
  bool living = true;       // also runners and files of allocations that living jobs still need
  bool jobs = true;         // also evaluations, and jobs that are over
};

// Whether an evaluation must be kept: it is open, it is the newest of an existing job, or an
// allocation that it made still has a record.
bool IsNeeded(const Tables& tables, const Evaluation& eval);

// How many ended allocations still hold something on their node.
std::size_t CountEnded(const Tables& tables);

// Collects by a rule, in slices, so that nobody waits long for the tables. It keeps everything that
// has not ended, and everything that a job needs which may still be evaluated: a service that
// nobody has stopped, or a batch job that has not ended.
class GarbageCollection {
 public:
  explicit GarbageCollection(GarbageRule rule) : rule_(rule) {}

  // Collects the next slice as the write INDEX, and returns the tables that it wrote. Other writes
  // may come between two slices.
  TableMask Slice(Tables* tables, std::uint64_t index);
  bool done() const { return stage_ == Stage::kDone; }

 private:
  enum class Stage { kEnded, kLetGo, kJobs, kEvals, kDone };

  void CollectEnded(Tables* tables, std::uint64_t index);
  void CollectLetGo(Tables* tables);
  void CollectJobs(Tables* tables);
  bool IsToGo(const Tables& tables, const JobKey& key, const JobRecord& job) const;
  bool CollectJob(Tables* tables, const JobKey& key);
  void CollectEvals(Tables* tables);
  void Erase(Tables* tables, const AllocRecord& record);
  void Erase(Tables* tables, const Evaluation& eval);

  const GarbageRule rule_;
  Stage stage_ = Stage::kEnded;
  int changed_ = 0;  // by this slice
  int looked_ = 0;
  TableMask written_ = 0;
  // The last record that each stage looked at; absent: not begun.
  std::shared_ptr<const AllocRecord> ended_;
  std::size_t stayed_ = 0;  // how many stayed up to ended_
  std::optional<std::string> let_go_;
  std::optional<JobKey> job_;
  std::optional<std::string> eval_;
  std::set<JobKey> touched_;  // jobs from which something was collected
};

// Collects one allocation, which must have ended.
TableMask CollectAlloc(Tables* tables, std::uint64_t index, const AllocRecord& record);

}  // namespace drover
