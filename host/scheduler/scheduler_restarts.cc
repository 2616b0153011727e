// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The restarts of jobs in batches. The agent carries them out; the scheduler keeps their records.
#include "host/scheduler/scheduler.h"

namespace drover {
namespace {

constexpr std::size_t kKeptRestarts = 10;  // of each job

// Erases the oldest restarts of the job KEY that have ended, so that not too many are left.
void ForgetRestarts(Tables* tables, const JobKey& key) {
  const auto found = tables->restarts_of_job.find(key);
  if (found == tables->restarts_of_job.end()) return;
  std::size_t left = found->second.size();
  const JobRestarts all = found->second;  // a copy, since Erase changes the set
  for (const auto& [created, id] : all) {
    if (left <= kKeptRestarts) return;
    const auto restart = tables->restarts.at(id);
    if (restart->status == "running") continue;
    tables->Erase(*restart);
    --left;
  }
}

}  // namespace

Result<std::uint64_t> Scheduler::PutRestart(JobRestart restart) {
  std::shared_ptr<const JobRestart> before;
  store_->Read([&](const Tables& tables) { before = Tables::Find(tables.restarts, restart.id); });
  if (before == nullptr && options_.check_room) DROVER_TRY(options_.check_room());
  const std::string id = restart.id;
  const std::uint64_t written =
      store_->Write(cause::kJobRestart, [&](Tables* tables, std::uint64_t index) {
        restart.create_index = before == nullptr ? index : before->create_index;
        restart.create_time = before == nullptr ? loop_->Wall() : before->create_time;
        restart.modify_index = index;
        restart.modify_time = loop_->Wall();
        const JobKey key = KeyOf(restart);
        tables->Put(std::make_shared<const JobRestart>(std::move(restart)));
        if (before == nullptr) ForgetRestarts(tables, key);
        return MaskOf(Table::kRestarts);
      });
  if (before == nullptr) {
    timers_.Set({SchedulerTimers::Kind::kRestart, id}, loop_->Now());
    looks_again_.Set();
  }
  return written;
}

void Scheduler::OnRestart(const std::string& id) {
  std::shared_ptr<const JobRestart> restart;
  store_->Read([&](const Tables& tables) { restart = Tables::Find(tables.restarts, id); });
  const bool runs = restart != nullptr && restart->status == "running";
  if (runs && options_.carry_out_restart) options_.carry_out_restart(id);
}

}  // namespace drover
