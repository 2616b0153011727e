// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/disk_alloc_dir.h"

#include <dirent.h>
#include <fcntl.h>

#include <cerrno>
#include <climits>
#include <memory>
#include <optional>
#include <vector>

#include "host/alloc/dir_tree.h"
#include "host/base/durable_step.h"
#include "host/process/task_owner.h"
#include "host/process/user_lookup.h"

namespace drover {
namespace {

constexpr DirMode kShared{.bits = 0777, .nobody = true};
// The logs and the directory that holds them belong to the agent. Tasks of other users can make
// files next to the logs, but can neither change nor replace the logs.
constexpr DirMode kHoldsLogs{.bits = 01777};
constexpr DirMode kLogs{.bits = 0755};
// Only the owner of the directory and root can reach anything in the directory. The modes of the
// files and directories in it make no difference.
constexpr DirMode kClosed{.bits = 0700, .exact = true};
// The directory of a task in an image is open to all users, since the users of an image are not the
// users of this machine.
constexpr mode_t kAnybody = 0777;

// Returns the owner that a task's directories must get. If no owner is returned, the directories
// keep their current owner until the driver names the user of the task's process.
std::optional<ProcessUser> OwnerOf(const TaskDirRequest& request) {
  if (geteuid() != 0) return std::nullopt;
  if (!request.user.empty() && request.isolation != FsIsolation::kImage) {
    Result<std::optional<ProcessUser>> user = LookUpUser(request.user);
    if (user.ok() && *user) return std::move(*user);
    // If LookUpUser fails, the driver reports the reason later.
  } else if (request.isolation == FsIsolation::kChroot) {
    return std::nullopt;
  }
  return ProcessUser{geteuid(), getegid(), {}};
}

}  // namespace

DiskAllocDir::DiskAllocDir(DiskAllocDirOptions options, std::string alloc_id)
    : options_(std::move(options)), id_(std::move(alloc_id)), path_(options_.base + "/" + id_) {
  DROVER_CHECK(CheckTaskDirName(id_).ok());
}

Co<Status> DiskAllocDir::Blocking(WorkerPool* pool, std::function<Status()> work) {
  if (pool == nullptr) co_return work();
  co_return co_await pool->Run(std::move(work));
}

Co<Status> DiskAllocDir::Build() {
  std::function<Status()> work = [this] {
    return DurableStep(Step::kMakeAllocDir, [this] { return BuildNow(); });
  };
  co_return co_await Blocking(options_.pool, std::move(work));
}

Co<Status> DiskAllocDir::BuildTask(TaskDirRequest request) {
  std::function<Status()> work = [this, &request] {
    return DurableStep(Step::kMakeTaskDir, [&] { return BuildTaskNow(request); });
  };
  co_return co_await Blocking(options_.pool, std::move(work));
}

Co<Status> DiskAllocDir::CheckBuilt() {
  std::function<Status()> work = [this] { return CheckBuiltNow(); };
  co_return co_await Blocking(options_.pool, std::move(work));
}

Co<Status> DiskAllocDir::DropSecrets() {
  if (!options_.private_tmpfs) co_return Status();
  std::function<Status()> work = [this]() -> Status {
    const Result<UniqueFd> root = OpenRoot();
    if (!root.ok()) return root.code() == Code::kNotFound ? Status() : Status(root.error());
    // No task of the allocation runs again. So the secrets are unmounted even if a reader still
    // has a file open.
    return DurableStep(Step::kDropSecrets,
                       [&] { return UnmountTasks(root->get(), {"secrets"}, /*detach=*/true); });
  };
  co_return co_await Blocking(removal_pool(), std::move(work));
}

Co<Status> DiskAllocDir::Destroy() {
  std::function<Status()> work = [this] {
    return DurableStep(Step::kRemoveAllocDir, [this] { return DestroyNow(); });
  };
  co_return co_await Blocking(removal_pool(), std::move(work));
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
  // If the agent is root, an existing directory keeps its permission bits beyond 0700. Tasks that
  // an earlier version of the agent started may need these bits.
  const DirMode root_mode{.bits = 0700, .exact = geteuid() != 0};
  DROVER_ASSIGN(const UniqueFd root, MakeDirAt(base.get(), id_, path_, root_mode));
  DROVER_ASSIGN(const UniqueFd shared, MakeDirAt(root.get(), "alloc", shared_path(), kHoldsLogs));
  DROVER_TRY(MakeDirAt(shared.get(), "logs", log_path(), kLogs));
  for (const char* name : {"tmp", "data"}) {
    DROVER_TRY(MakeDirAt(shared.get(), name, shared_path() + "/" + name, kShared));
  }
  return {};
}

Status DiskAllocDir::BuildTaskNow(const TaskDirRequest& request) const {
  DROVER_TRY(CheckTaskDirName(request.task));
  const TaskDirPaths paths = TaskPaths(request.task);
  const bool for_image = request.isolation == FsIsolation::kImage;
  DROVER_ASSIGN(const UniqueFd root, OpenRoot());
  DROVER_ASSIGN(const UniqueFd dir, MakeDirAt(root.get(), request.task, paths.dir, kClosed));
  const DirMode local{.bits = for_image ? kAnybody : mode_t{0755}};
  DROVER_TRY(MakeDirAt(dir.get(), "local", paths.local, local));
  DROVER_TRY(MakeDirAt(dir.get(), "tmp", paths.tmp, DirMode{.bits = 01777}));
  // Only the agent uses this directory. Tasks must not enter it.
  DROVER_TRY(MakeDirAt(dir.get(), "private", paths.private_dir, DirMode{.bits = 0700}));
  const DirMode secret{.bits = for_image ? kAnybody : mode_t{0700}};
  DROVER_ASSIGN(const UniqueFd secrets, MakeDirAt(dir.get(), "secrets", paths.secrets, secret));
  // The kernel reports whether the tmpfs is mounted. A marker file would not be reliable, since a
  // task could make or remove it.
  if (options_.private_tmpfs && !IsMountRoot(secrets.get())) {
    DROVER_TRY(DurableStep(Step::kMountSecrets, [&] {
      return MountTmpfs(secrets.get(), paths.secrets, options_.secrets_bytes, secret.bits);
    }));
  }
  if (request.makes_logs) DROVER_TRY(MakeLogs(root.get(), request.task));
  const std::optional<ProcessUser> owner = OwnerOf(request);
  if (!owner) return {};
  if (for_image) return GiveDirectory(dir.get(), *owner, paths.dir);
  DROVER_TRY(GiveTaskDirectory(dir.get(), *owner, paths.dir));
  // An isolated task has its directories mounted inside its own root. So its user needs no
  // permission to enter the allocation directory.
  if (request.isolation != FsIsolation::kNone) return {};
  return LetPass(root.get(), *owner, path_);
}

Status DiskAllocDir::MakeLogs(int root, const std::string& task) const {
  DROVER_ASSIGN(const UniqueFd shared, OpenDirAt(root, "alloc", shared_path()));
  DROVER_ASSIGN(const UniqueFd logs, OpenDirAt(shared.get(), "logs", log_path()));
  for (const char* stream : {".stdout.0", ".stderr.0"}) {
    const std::string name = task + stream;
    // If the name is too long for a file, no log file is made here. CheckLogs in start_message.cc
    // then refuses a start that would write this log file.
    if (name.size() > NAME_MAX) return {};
    DROVER_TRY(MakeFileAt(logs.get(), name, log_path() + "/" + name));
  }
  return {};
}

Status DiskAllocDir::CheckBuiltNow() const {
  DROVER_ASSIGN(const UniqueFd root, OpenRoot());
  DROVER_TRY(OpenDirAt(root.get(), "alloc", shared_path()));
  return {};
}

Status DiskAllocDir::UnmountTasks(int root, std::initializer_list<const char*> names,
                                  bool detach) const {
  UniqueFd copy(openat(root, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  const std::unique_ptr<DIR, int (*)(DIR*)> entries(copy ? fdopendir(copy.get()) : nullptr,
                                                    closedir);
  if (!entries) return ErrnoError(errno, path_);
  copy.Release();  // the directory stream owns the descriptor now
  std::vector<std::string> tasks;
  while (const dirent* entry = readdir(entries.get())) {
    if (CheckTaskDirName(entry->d_name).ok()) tasks.emplace_back(entry->d_name);
  }
  Status first;
  for (const std::string& task : tasks) {
    const std::string task_path = path_ + "/" + task;
    const Result<UniqueFd> dir = OpenDirAt(root, task, task_path);
    if (!dir.ok()) {
      // A file or a link in the place of the directory has no mounts below it.
      const bool gone = dir.code() == Code::kNotFound || dir.code() == Code::kFailedPrecondition;
      if (!gone && first.ok()) first = dir.error();
      continue;
    }
    for (const char* name : names) {
      const Status done = UnmountAt(dir->get(), name, task_path + "/" + name, detach);
      if (!done.ok() && first.ok()) first = done;
    }
  }
  return first;
}

Status DiskAllocDir::DestroyNow() const {
  const Result<UniqueFd> base = OpenBase();
  if (!base.ok()) return base.code() == Code::kNotFound ? Status() : Status(base.error());
  {
    const Result<UniqueFd> root = OpenDirAt(base->get(), id_, path_);
    if (!root.ok()) return root.code() == Code::kNotFound ? Status() : Status(root.error());
    // Unmounts everything first, so that nothing is removed while a mount is in use.
    DROVER_TRY(UnmountTasks(root->get(), {"secrets", "private", "alloc"}, /*detach=*/false));
  }
  if (options_.quota) options_.quota->Free(id_);
  return RemoveTreeAt(base->get(), id_, path_, options_.give_up.get());
}

}  // namespace drover
