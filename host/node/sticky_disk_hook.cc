// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/sticky_disk_hook.h"

#include <fcntl.h>
#include <spdlog/spdlog.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>

#include "host/alloc/alloc_dir.h"
#include "host/alloc/alloc_state.h"
#include "host/alloc/dir_tree.h"
#include "host/base/durable_step.h"

namespace drover {
namespace {

// Keeps the first error.
void Keep(const Status& status, Status* first) {
  if (first->ok() && !status.ok()) *first = status;
}

// Gives what is in the directory NAME below FROM the project of TO: nothing moves from a project
// into another one.
Status ChangeProjectTo(const ProjectQuotas& quotas, int from, int to, const char* name,
                       const std::string& path) {
  DROVER_ASSIGN(const UniqueFd directory, OpenDirAt(from, name, path));
  DROVER_ASSIGN(const FileProject here, quotas.Of(directory.get()));
  DROVER_ASSIGN(const FileProject there, quotas.Of(to));
  if (here == there) return {};
  return ChangeProject(quotas, directory.get(), path, here.id, there);
}

// Moves the directory NAME below FROM to the same name below TO. Succeeds if FROM has none.
Status MoveDirectory(const ProjectQuotas& quotas, int from, int to, const char* name,
                     const std::string& path) {
  struct stat info{};
  if (fstatat(from, name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? Status() : Status(ErrnoError(errno, path));
  }
  // Only a task can have put something else there.
  if (!S_ISDIR(info.st_mode)) return ErrnoError(ENOTDIR, path);
  return DurableStep(Step::kMoveDisk, [&]() -> Status {
    const Status changed = ChangeProjectTo(quotas, from, to, name, path);
    // The new directory may be there, if it is empty.
    if (renameat(from, name, to, name) == 0) return changed;
    const Status moved = ErrnoError(errno, "move " + path);
    return changed.ok() ? moved : changed;
  });
}

Status MoveTask(const ProjectQuotas& quotas, int from_root, int to_root, const std::string& task,
                const std::string& from_path, const std::string& to_path) {
  DROVER_TRY(CheckTaskDirName(task));
  const Result<UniqueFd> from = OpenDirAt(from_root, task, from_path);
  if (!from.ok()) return from.code() == Code::kNotFound ? Status() : Status(from.error());
  DROVER_ASSIGN(const UniqueFd to, MakeDirAt(to_root, task, to_path, DirMode{.bits = 0700}));
  return MoveDirectory(quotas, from->get(), to.get(), "local", from_path + "/local");
}

bool HasStarted(const AllocControl& control) {
  const AllocSnapshot now = control.snapshot();
  return now != nullptr && now->has_started();
}

}  // namespace

Status MoveDisk(const std::string& base, const std::string& from, const std::string& to,
                const std::vector<std::string>& tasks, const ProjectQuotas& quotas) {
  const UniqueFd all(open(base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!all) return ErrnoError(errno, base);
  const std::string from_path = base + "/" + from, to_path = base + "/" + to;
  const Result<UniqueFd> from_root = OpenDirAt(all.get(), from, from_path);
  if (!from_root.ok()) {
    return from_root.code() == Code::kNotFound ? Status() : Status(from_root.error());
  }
  DROVER_ASSIGN(const UniqueFd to_root, OpenDirAt(all.get(), to, to_path));
  Status first;
  const Result<UniqueFd> from_alloc = OpenDirAt(from_root->get(), "alloc", from_path + "/alloc");
  const Result<UniqueFd> to_alloc = OpenDirAt(to_root.get(), "alloc", to_path + "/alloc");
  if (from_alloc.ok() && to_alloc.ok()) {
    Keep(MoveDirectory(quotas, from_alloc->get(), to_alloc->get(), "data",
                       from_path + "/alloc/data"),
         &first);
  } else {
    Keep(from_alloc.ok() ? to_alloc.error() : from_alloc.error(), &first);
  }
  for (const std::string& task : tasks) {
    Keep(MoveTask(quotas, from_root->get(), to_root.get(), task, from_path + "/" + task,
                  to_path + "/" + task),
         &first);
  }
  return first;
}

Co<Status> StickyDiskHook::Prerun(Context context, AllocHookRequest request) {
  const std::shared_ptr<const Allocation> alloc = request.alloc;
  const TaskGroup* const group = alloc->group();
  if (alloc->previous.empty() || group == nullptr) co_return Status();
  if (control_ != nullptr && HasStarted(*control_)) co_return Status();
  WorkerPool* const pool = pool_;
  const std::string base = base_;
  DROVER_CO_ASSIGN(std::vector<std::string> ended, co_await wait_ended_(context, alloc->previous));
  if (!group->disk_sticky && !group->disk_migrate) co_return Status();
  std::vector<std::string> tasks;
  for (const Task& task : group->tasks) tasks.push_back(task.name);
  std::function<Status()> move = [base, ended = std::move(ended), to = alloc->id,
                                  tasks = std::move(tasks)] {
    Status first;
    for (const std::string& from : ended) Keep(MoveDisk(base, from, to, tasks), &first);
    return first;
  };
  const Status moved = co_await pool->Run(std::move(move));
  if (!moved.ok()) {
    spdlog::warn("allocation {}: not all files of its sticky disk could be moved: {}", alloc->id,
                 moved.error().message());
  }
  co_return Status();
}

}  // namespace drover
