// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The evaluations that wait for their time: replacements of failed and unknown allocations.
#include <algorithm>

#include "host/reconcile/reconcile.h"
#include "host/reconcile/reschedule.h"
#include "host/scheduler/evaluating.h"
#include "host/scheduler/scheduler.h"

namespace drover {
namespace {

// Returns whether RECORD has failed, and its policy gives it a replacement, now or later.
bool GetsReplacement(const AllocRecord& record, WallTime now) {
  if (record.alloc->server_terminal() || !record.client_terminal()) return false;
  const TaskGroup* const group = record.alloc->group();
  return group != nullptr && RescheduleTime(group->reschedule, record, now).has_value();
}

}  // namespace

// The evaluation looks at the whole job, as any other does. So it has no effect if its allocations
// have been replaced before.
void Scheduler::OnFollowUp(const std::string& eval_id) {
  std::vector<Opened> due;
  bool others = false;
  store_->Read([&](const Tables& tables) {
    const auto eval = Tables::Find(tables.evals, eval_id);
    if (eval == nullptr || !eval->follows_up()) return;
    due.push_back({*eval});
    others = std::ranges::any_of(tables.OpenEvalsOf(KeyOf(*eval)), [&](const auto& id) {
      return !tables.evals.at(id)->follows_up();
    });
  });
  if (due.empty()) return;
  const StateStore::Together together(store_);
  if (others) {
    // What waits for room in another evaluation is placed by this one.
    store_->Write(cause::kEvaluation, [&](Tables* tables, std::uint64_t index) {
      CancelOpen(tables, index, KeyOf(due[0].eval), false, "a newer evaluation of the job exists");
      return MaskOf(Table::kEvals);
    });
  }
  CarryOut(due);
}

TableMask Scheduler::PutFollowUps(Tables* tables, std::uint64_t, const Evaluated& evaluated) {
  if (evaluated.follow_ups.empty()) return 0;
  for (const Evaluation& eval : evaluated.follow_ups) {
    tables->Put(std::make_shared<const Evaluation>(eval));
    timers_.SetWall({SchedulerTimers::Kind::kFollowUp, eval.id}, eval.wait_until);
  }
  looks_again_.Set();
  return MaskOf(Table::kEvals);
}

void Scheduler::OpenForFailures(Tables* tables, std::uint64_t index, const std::set<JobKey>& jobs,
                                std::vector<Opened>* opened) {
  const WallTime now = loop_->Wall();
  const auto gets_one = [now](const auto& record) { return GetsReplacement(*record, now); };
  std::set<JobKey> done;
  for (const Opened& of : *opened) done.insert(KeyOf(of.eval));
  for (const JobKey& key : jobs) {
    const auto job = Tables::Find(tables->jobs, key);
    if (done.count(key) > 0 || job == nullptr || job->stop || IsPerNode(*job)) continue;
    if (std::ranges::none_of(tables->AllocsOf(key), gets_one)) continue;
    opened->push_back(Open(tables, index, key, {"alloc-failure"}));
  }
}

}  // namespace drover
