// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "host/state/tables.h"

namespace drover {

// Decides which ended allocations, evaluations and jobs may be removed.
//
// An ended allocation leaves two things: its runner and files on the node, and its record. The node
// removes the runner and the files after `collected` is set in the record. The record shows that
// the allocation has run. It is erased when the job does not need it any more, or with the job.
struct GarbageRule {
  static constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();

  WallTime ended_before = std::numeric_limits<WallTime>::max();
  // Of the allocations that ended after `ended_before`, the newest `keep` are kept.
  std::size_t keep = kAll;
  bool living = true;  // also collect allocations whose records live jobs still need
  bool jobs = true;    // also erase evaluations, and jobs that have ended for good
};

// Returns whether EVAL must be kept. This is the case if EVAL is open, is the newest evaluation of
// an existing job, was the last to place or update an allocation that still has a record, or was to
// look again at an allocation that has no replacement yet.
bool IsNeeded(const Tables& tables, const Evaluation& eval);

// Returns how many ended allocations still have a runner or files on their node.
std::size_t CountEnded(const Tables& tables);

// So many evaluations of a job stay, the newest, and those that are needed. A job whose allocations
// fail again and again has a few for each failure.
inline constexpr std::size_t kMostEvalsOfJob = 100;

// Removes what a GarbageRule allows. Works in slices, so that no other thread waits long for the
// tables. Everything that has not ended is kept. A service that no user has stopped, or a batch job
// that has not ended, may be evaluated again. The records that such a job needs are kept, too, and
// so are files that a replacement without a place yet will get.
class GarbageCollection {
 public:
  explicit GarbageCollection(GarbageRule rule) : rule_(rule) {}

  // Collects the next slice as a part of the write INDEX, and returns the tables that it has
  // written to. Other writes may come between two slices.
  TableMask Slice(Tables* tables, std::uint64_t index);
  bool done() const { return stage_ == Stage::kDone; }

 private:
  enum class Stage { kEnded, kLetGo, kJobs, kManyEvals, kEvals, kDone };

  void CollectEnded(Tables* tables, std::uint64_t index);
  void CollectLetGo(Tables* tables);
  void CollectJobs(Tables* tables, std::uint64_t index);
  bool IsToGo(const Tables& tables, const JobKey& key, const JobRecord& job) const;
  bool CollectJob(Tables* tables, const JobKey& key, std::uint64_t index);
  void CollectManyEvals(Tables* tables);
  void CollectEvals(Tables* tables);
  void Erase(Tables* tables, const AllocRecord& record);
  void Erase(Tables* tables, const Evaluation& eval);

  const GarbageRule rule_;
  Stage stage_ = Stage::kEnded;
  int changed_ = 0;  // how many records this slice has changed
  int looked_ = 0;
  TableMask written_ = 0;
  // The last record that each stage has looked at; null or absent before the stage begins.
  std::shared_ptr<const AllocRecord> ended_;
  std::size_t stayed_ = 0;  // how many allocations CollectEnded has looked at and kept
  std::optional<std::string> let_go_;
  std::optional<JobKey> job_;
  std::optional<JobKey> many_;  // the last job of which CollectManyEvals has looked at all it must
  std::pair<std::uint64_t, std::string> past_;  // the last evaluation of the next job that it kept
  std::size_t passed_ = 0;                      // how many of that job it has kept
  std::optional<std::string> eval_;
  std::set<JobKey> touched_;  // jobs from which something was collected
};

// Garbage-collects one allocation, which must have ended.
TableMask CollectAlloc(Tables* tables, std::uint64_t index, const AllocRecord& record);

}  // namespace drover
