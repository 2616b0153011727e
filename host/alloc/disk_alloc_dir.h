// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "host/alloc/alloc_dir.h"
#include "host/base/unique_fd.h"
#include "host/base/worker_pool.h"

namespace drover {

struct DiskAllocDirOptions {
  std::string base;  // the directory of all allocations; the agent makes and owns it
  // TASK/secrets is a file system of its own in memory, never on a disk. That needs root; without
  // it, it is a plain directory. Each such mount costs a task 60 us of processor time and a wait
  // for all processors. So TASK/private, where the agent keeps nothing yet, is a plain directory.
  // Code that puts something there must mount one first. Destroy unmounts both.
  bool private_tmpfs = geteuid() == 0;
  std::int64_t secrets_bytes = 1 << 20;
  WorkerPool* pool = nullptr;  // runs blocking work; null: on the calling thread
  // Runs the blocking work that ends an allocation, which may take long if a task has many files;
  // null: POOL does.
  WorkerPool* removal_pool = nullptr;
  // Set when nobody waits for a removal any more; null: never.
  std::shared_ptr<const std::atomic<bool>> give_up;
};

// An allocation's directory on a disk. Tasks may change anything below it at any moment, so each
// call opens what it needs from the base downwards, without following links.
class DiskAllocDir : public AllocDir {
 public:
  DiskAllocDir(DiskAllocDirOptions options, std::string alloc_id);

  const std::string& path() const override { return path_; }
  Co<Status> Build() override;
  Co<Status> BuildTask(TaskDirRequest request) override;
  Co<Status> CheckBuilt() override;
  Co<Status> DropSecrets() override;
  Co<Status> Destroy() override;

 private:
  static Co<Status> Blocking(WorkerPool* pool, std::function<Status()> work);
  Result<UniqueFd> OpenBase() const;
  Result<UniqueFd> OpenRoot() const;
  Status BuildNow() const;
  Status BuildTaskNow(const TaskDirRequest& request) const;
  Status MakeLogs(int root, const std::string& task) const;
  Status CheckBuiltNow() const;
  Status DestroyNow() const;
  WorkerPool* removal_pool() const {
    return options_.removal_pool != nullptr ? options_.removal_pool : options_.pool;
  }
  // Unmounts NAMES below the directory of each task. DETACH as in UnmountAt. Returns the first
  // error.
  Status UnmountTasks(int root, std::initializer_list<const char*> names, bool detach) const;

  const DiskAllocDirOptions options_;
  const std::string id_;
  const std::string path_;
};

}  // namespace drover
