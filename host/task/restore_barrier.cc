// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/restore_barrier.h"

#include "host/base/patience.h"

namespace drover {

RestoreBarrier::Entry& RestoreBarrier::EntryOf(const std::string& driver) {
  std::unique_ptr<Entry>& entry = entries_[driver];
  if (!entry) entry = std::make_unique<Entry>(loop_);
  return *entry;
}

void RestoreBarrier::Expect(const std::string& driver, const std::string& task_id,
                            std::optional<RunId> run) {
  Entry& entry = EntryOf(driver);
  entry.expected.insert(task_id);
  if (run) entry.runs[task_id] = *run;
  entry.found.Reset();
}

void RestoreBarrier::Found(const std::string& driver, const std::string& task_id,
                           std::optional<RunId> run) {
  Entry& entry = EntryOf(driver);
  if (entry.expected.erase(task_id) == 0) return;
  if (run) {
    entry.runs[task_id] = *run;
  } else {
    entry.runs.erase(task_id);
  }
  if (entry.expected.empty()) entry.found.Set();
}

Co<Status> RestoreBarrier::WaitFound(Context context, std::string driver, Duration limit) {
  Entry& entry = EntryOf(driver);
  const Patience patience(context, limit);
  co_return co_await entry.found.Wait(patience.context());
}

std::vector<RunId> RestoreBarrier::RunsOf(const std::string& driver) const {
  std::vector<RunId> runs;
  if (const auto entry = entries_.find(driver); entry != entries_.end()) {
    for (const auto& [task, run] : entry->second->runs) runs.push_back(run);
  }
  return runs;
}

Co<Status> RestoreBarrier::WaitLoaded(Context context, std::string driver) {
  Entry& entry = EntryOf(driver);
  co_return co_await entry.loaded.Wait(context);
}

void RestoreBarrier::Open(const std::string& driver) { EntryOf(driver).open.Set(); }

Co<Status> RestoreBarrier::WaitOpen(Context context, std::string driver) {
  Entry& entry = EntryOf(driver);
  co_return co_await entry.open.Wait(context);
}

}  // namespace drover
