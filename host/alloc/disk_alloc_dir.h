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
  std::string base;  // the directory of all allocations: the agent's own, made by it at its start
  // TASK/secrets is a file system of its own in memory, never on a disk. That needs root; without
  // it, it is a plain directory. To mount and unmount one costs every task 60 us of processor time
  // and a wait for all processors, so TASK/private, where the agent keeps nothing yet, is none:
  // whoever puts something there mounts one first. Destroy unmounts both.
  bool private_tmpfs = geteuid() == 0;
  std::int64_t secrets_bytes = 1 << 20;
  WorkerPool* pool = nullptr;  // where it blocks; null: on the calling thread
  // Where DropSecrets and Destroy block, which may take long; null: in POOL.
  WorkerPool* removal_pool = nullptr;
  // Set when nobody waits for what is being removed any more; null: never.
  std::shared_ptr<const std::atomic<bool>> give_up;
};

// An allocation's directory on a disk. All below it belongs to tasks that may change it at any
// moment, so each call opens what it touches anew, from the base downwards, following no link.
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
  // Unmounts NAMES below the directory of each task, with DETACH as in UnmountAt. Goes on after an
  // error, and returns the first one.
  Status UnmountTasks(int root, std::initializer_list<const char*> names, bool detach) const;

  const DiskAllocDirOptions options_;
  const std::string id_;
  const std::string path_;
};

}  // namespace drover
