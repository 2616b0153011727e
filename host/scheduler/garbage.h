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

// What of that which has ended is let go.
//
// An allocation that has ended holds two things: its runner and files on the node, and its record,
// by which its job knows what it has done. The node lets go of the first by `collected`; the record
// goes when the job does not need it any more, or with the job.
struct GarbageRule {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  WallTime ended_before = std::numeric_limits<WallTime>::max();
  std::size_t keep = kAll;  // of the allocations that have ended since, the newest so many
  bool living = true;       // also what the ended allocations of living jobs hold on the node
  bool jobs = true;         // also evaluations, and jobs that are over
};

// Whether an evaluation tells of something that there is: it is open, the newest of its job, or has
// made an allocation of which there is a record.
bool IsNeeded(const Tables& tables, const Evaluation& eval);

// How many allocations have ended and still hold something on their node.
std::size_t CountEnded(const Tables& tables);

// Lets go of what has ended by a rule, a part at a time, so that nobody waits long for the tables.
// What has not ended stays, and so does what a job needs that may still be evaluated: a service
// that nobody has stopped, a batch job that has not ended.
class GarbageCollection {
 public:
  explicit GarbageCollection(GarbageRule rule) : rule_(rule) {}

  // The next part, as the write INDEX; what it has written to. Whatever may be written between two.
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
  // How far each stage has come; absent: not begun.
  std::shared_ptr<const AllocRecord> ended_;
  std::size_t stayed_ = 0;  // of the ended ones before that
  std::optional<std::string> let_go_;
  std::optional<JobKey> job_;
  std::optional<std::string> eval_;
  std::set<JobKey> touched_;  // jobs of which an allocation has gone
};

// Lets go of one allocation that has ended.
TableMask CollectAlloc(Tables* tables, std::uint64_t index, const AllocRecord& record);

}  // namespace drover
