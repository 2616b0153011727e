// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>

#include "host/alloc/alloc_dir.h"
#include "host/alloc/disk_quota.h"
#include "host/base/unique_fd.h"
#include "host/base/worker_pool.h"

namespace drover {

struct DiskAllocDirOptions {
  std::string base;  // the directory of all allocations; the agent makes and owns it
  // Whether TASK/secrets is a file system in memory, which needs root. Otherwise TASK/secrets is a
  // plain directory. Each file system in memory costs a task 60 us of processor time and a wait for
  // all processors. Therefore TASK/private, in which the agent stores nothing yet, is always a
  // plain directory. Code that stores something in TASK/private must first mount a file system on
  // it. Destroy unmounts TASK/secrets and TASK/private.
  bool private_tmpfs = geteuid() == 0;
  std::int64_t secrets_bytes = 1 << 20;
  WorkerPool* pool = nullptr;  // runs blocking work; null: the calling thread does
  // Runs the blocking work that ends an allocation. That work may take long if a task has many
  // files. If removal_pool is null, POOL runs this work, too.
  WorkerPool* removal_pool = nullptr;
  // Becomes true when nobody waits for a removal any more. The removal then ends early. If give_up
  // is null, no removal ends early.
  std::shared_ptr<const std::atomic<bool>> give_up;
  std::shared_ptr<const DiskQuota> quota;  // null: directories have no quotas
};

// An allocation's directory on a disk. Tasks may change anything below it at any moment. So each
// call starts at the base, opens what it needs step by step, and follows no links.
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
  // Unmounts NAMES below the directory of each task. DETACH has the same meaning as in UnmountAt.
  // Returns the first error.
  Status UnmountTasks(int root, std::initializer_list<const char*> names, bool detach) const;

  const DiskAllocDirOptions options_;
  const std::string id_;
  const std::string path_;
};

}  // namespace drover
