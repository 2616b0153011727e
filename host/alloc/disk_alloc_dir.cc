// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/disk_alloc_dir.h"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <memory>
#include <vector>

#include "host/alloc/dir_tree.h"
#include "host/base/durable_step.h"

namespace drover {
namespace {

constexpr DirMode kShared{.bits = 0777, .nobody = true};
// What holds the logs and the logs themselves are the agent's own: tasks of other users make files
// beside them, but can neither change them nor put something else in their place.
constexpr DirMode kHoldsLogs{.bits = 01777};
constexpr DirMode kLogs{.bits = 0755};

}  // namespace

DiskAllocDir::DiskAllocDir(DiskAllocDirOptions options, std::string alloc_id)
    : options_(std::move(options)), id_(std::move(alloc_id)), path_(options_.base + "/" + id_) {
  DROVER_CHECK(CheckTaskDirName(id_).ok());
}

Co<Status> DiskAllocDir::Blocking(std::function<Status()> work) {
  if (options_.pool == nullptr) co_return work();
  co_return co_await options_.pool->Run(std::move(work));
}

Co<Status> DiskAllocDir::Build() {
  std::function<Status()> work = [this] {
    return DurableStep(Step::kMakeAllocDir, [this] { return BuildNow(); });
  };
  co_return co_await Blocking(std::move(work));
}

Co<Status> DiskAllocDir::BuildTask(std::string task) {
  std::function<Status()> work = [this, &task] {
    return DurableStep(Step::kMakeTaskDir, [&] { return BuildTaskNow(task); });
  };
  co_return co_await Blocking(std::move(work));
}

Co<Status> DiskAllocDir::CheckBuilt() {
  std::function<Status()> work = [this] { return CheckBuiltNow(); };
  co_return co_await Blocking(std::move(work));
}

Co<Status> DiskAllocDir::Destroy() {
  std::function<Status()> work = [this] {
    return DurableStep(Step::kRemoveAllocDir, [this] { return DestroyNow(); });
  };
  co_return co_await Blocking(std::move(work));
}

Result<UniqueFd> DiskAllocDir::OpenBase() const {
  UniqueFd base(open(options_.base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!base) return ErrnoError(errno, "directory of the allocations " + options_.base);
  return base;
}

Result<UniqueFd> DiskAllocDir::OpenRoot() const {
  DROVER_ASSIGN(const UniqueFd base, OpenBase());
  return OpenDirAt(base.get(), id_, path_);
}

Status DiskAllocDir::BuildNow() const {
  DROVER_ASSIGN(const UniqueFd base, OpenBase());
  const DirMode root_mode{.bits = 0755};
  DROVER_ASSIGN(const UniqueFd root, MakeDirAt(base.get(), id_, path_, root_mode));
  DROVER_ASSIGN(const UniqueFd shared, MakeDirAt(root.get(), "alloc", shared_path(), kHoldsLogs));
  DROVER_TRY(MakeDirAt(shared.get(), "logs", log_path(), kLogs));
  for (const char* name : {"tmp", "data"}) {
    DROVER_TRY(MakeDirAt(shared.get(), name, shared_path() + "/" + name, kShared));
  }
  return {};
}

Status DiskAllocDir::BuildTaskNow(const std::string& task) const {
  DROVER_TRY(CheckTaskDirName(task));
  const TaskDirPaths paths = TaskPaths(task);
  DROVER_ASSIGN(const UniqueFd root, OpenRoot());
  DROVER_ASSIGN(const UniqueFd dir, MakeDirAt(root.get(), task, paths.dir, kShared));
  DROVER_TRY(MakeDirAt(dir.get(), "local", paths.local, kShared));
  const DirMode sticky{.bits = 01777, .nobody = true};
  DROVER_TRY(MakeDirAt(dir.get(), "tmp", paths.tmp, sticky));
  // The agent's own: no task has business in it.
  const DirMode own{.bits = 0700};
  DROVER_TRY(MakeDirAt(dir.get(), "private", paths.private_dir, own));
  // Without root every task has the agent's own user; other users of the machine are kept out.
  const DirMode secret = geteuid() == 0 ? kShared : own;
  DROVER_ASSIGN(const UniqueFd secrets, MakeDirAt(dir.get(), "secrets", paths.secrets, secret));
  // Asked of the kernel, not of a marker file, which a task could make or remove.
  if (!options_.private_tmpfs || IsMountRoot(secrets.get())) return {};
  return DurableStep(Step::kMountSecrets, [&] {
    return MountTmpfs(secrets.get(), paths.secrets, options_.secrets_bytes);
  });
}

Status DiskAllocDir::CheckBuiltNow() const {
  DROVER_ASSIGN(const UniqueFd root, OpenRoot());
  DROVER_TRY(OpenDirAt(root.get(), "alloc", shared_path()));
  return {};
}

Status DiskAllocDir::UnmountTasks(int root) const {
  UniqueFd copy(openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(copy ? fdopendir(copy.get()) : nullptr,
                                                    closedir);
  if (!entries) return ErrnoError(errno, path_);
  copy.Release();  // it is the stream's
  std::vector<std::string> tasks;
  while (const dirent* entry = readdir(entries.get())) {
    if (CheckTaskDirName(entry->d_name).ok()) tasks.emplace_back(entry->d_name);
  }
  for (const std::string& task : tasks) {
    const std::string task_path = path_ + "/" + task;
    const Result<UniqueFd> dir = OpenDirAt(root, task, task_path);
    if (!dir.ok()) continue;  // not a directory: what it is, is removed with the rest
    for (const char* name : {"secrets", "private", "alloc"}) {
      DROVER_TRY(UnmountAt(dir->get(), name, task_path + "/" + name));
    }
  }
  return {};
}

Status DiskAllocDir::DestroyNow() const {
  const Result<UniqueFd> base = OpenBase();
  if (!base.ok()) return base.code() == Code::kNotFound ? Status() : Status(base.error());
  {
    const Result<UniqueFd> root = OpenDirAt(base->get(), id_, path_);
    if (!root.ok()) return root.code() == Code::kNotFound ? Status() : Status(root.error());
    // All mounts first: while one is in use, nothing is removed.
    DROVER_TRY(UnmountTasks(root->get()));
  }
  return RemoveTreeAt(base->get(), id_, path_);
}

}  // namespace drover
