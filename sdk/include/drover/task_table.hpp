// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "drover/types.hpp"

// A table that finds the tasks of an instance by their runs.
namespace drover {
inline namespace sdk_v1 {
namespace abi {

// The part of the table that does not depend on the type of the tasks, so that it is compiled once.
class RunTable {
 public:
  DROVER_SDK_ONCE bool Insert(const RunId& run, std::shared_ptr<void> task) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<void>& slot = tasks_[run];
    if (slot != nullptr) return false;
    slot = std::move(task);
    return true;
  }
  DROVER_SDK_ONCE std::shared_ptr<void> Find(const RunId& run) const {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = tasks_.find(run);
    return found == tasks_.end() ? nullptr : found->second;
  }
  // Erases TASK, or any task of RUN if TASK is null. Returns the erased task, or null if none was
  // erased.
  DROVER_SDK_ONCE std::shared_ptr<void> Erase(const RunId& run, const void* task) {
    std::lock_guard<std::mutex> lock(mutex_);
    auto found = tasks_.find(run);
    if (found == tasks_.end()) return nullptr;
    if (task != nullptr && found->second.get() != task) return nullptr;
    std::shared_ptr<void> out = std::move(found->second);
    tasks_.erase(found);
    return out;
  }
  DROVER_SDK_ONCE std::vector<std::shared_ptr<void>> All() const {
    std::vector<std::shared_ptr<void>> out;
    std::lock_guard<std::mutex> lock(mutex_);
    for (const auto& item : tasks_) out.push_back(item.second);
    return out;
  }

 private:
  mutable std::mutex mutex_;
  std::map<RunId, std::shared_ptr<void>> tasks_;
};

}  // namespace abi

// The tasks that a driver manages. Task is the driver's own type. [any-thread]
template <typename Task>
class TaskTable {
 public:
  // Adds TASK. Returns false if RUN has a task already.
  bool Insert(const RunId& run, std::shared_ptr<Task> task) {
    return tasks_.Insert(run, std::move(task));
  }
  // Returns the task of RUN, or null if RUN is not known.
  std::shared_ptr<Task> Find(const RunId& run) const {
    return std::static_pointer_cast<Task>(tasks_.Find(run));
  }
  // Returns the task of RUN. Throws kNotFound, as every verb must, if RUN is not known.
  std::shared_ptr<Task> Need(const RunId& run) const {
    auto task = Find(run);
    if (task == nullptr) Error(Code::kNotFound, "task not found for given id").Throw();
    return task;
  }
  // Erases the task of RUN. Returns the erased task, or null if there was none.
  std::shared_ptr<Task> Erase(const RunId& run) {
    return std::static_pointer_cast<Task>(tasks_.Erase(run, nullptr));
  }
  // Erases TASK, but not a later task of the same run.
  void Erase(const RunId& run, const std::shared_ptr<Task>& task) { tasks_.Erase(run, task.get()); }
  // Calls VISIT with each task. The table is not locked during a call of VISIT.
  template <typename Visit>
  void ForAll(Visit&& visit) const {
    for (const std::shared_ptr<void>& task : tasks_.All()) visit(*static_cast<Task*>(task.get()));
  }

 private:
  abi::RunTable tasks_;
};

}  // namespace sdk_v1
}  // namespace drover
