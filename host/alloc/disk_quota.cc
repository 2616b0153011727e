// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/disk_quota.h"

#include <fcntl.h>

#include <cerrno>
#include <random>
#include <utility>

#include "host/alloc/dir_tree.h"
#include "host/base/durable_step.h"

namespace drover {

Status DiskQuota::Check() const {
  const UniqueFd base(open(options_.base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!base) return ErrnoError(errno, options_.base);
  return options_.quotas->Check(base.get());
}

Result<DiskQuota::Held> DiskQuota::Open(const std::string& alloc_id) const {
  const UniqueFd base(open(options_.base.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!base) return ErrnoError(errno, options_.base);
  Held held;
  DROVER_ASSIGN(held.root, OpenDirAt(base.get(), alloc_id, options_.base + "/" + alloc_id));
  DROVER_ASSIGN(const FileProject around, options_.quotas->Of(base.get()));
  DROVER_ASSIGN(held.project, options_.quotas->Of(held.root.get()));
  held.own = held.project.inherited && held.project.id != 0 && held.project.id != around.id;
  return held;
}

// Another agent may choose the same number at the same time. So the directory gets it first. If
// any other file has it then, another one is tried.
Result<FileProject> DiskQuota::Claim(int root) const {
  const ProjectQuotas& quotas = *options_.quotas;
  DROVER_ASSIGN(const FileProject before, quotas.Of(root));
  const std::uint32_t count = options_.last - options_.first + 1;
  // Begins at random, so that two agents seldom meet.
  const std::uint32_t start = std::random_device{}() % count;
  for (std::uint32_t i = 0; i < count; ++i) {
    const FileProject project{options_.first + (start + i) % count, true};
    DROVER_ASSIGN(const ProjectUse taken, quotas.Use(root, project.id));
    if (taken.files > 0 || taken.bytes > 0) continue;
    DROVER_TRY(quotas.Put(root, project));
    const Result<ProjectUse> mine = quotas.Use(root, project.id);
    if (mine.ok() && mine->files == 1) return project;
    DROVER_TRY(quotas.Put(root, before));
    if (!mine.ok()) return mine.error();
  }
  return Error(Code::kResourceExhausted,
               "all projects from " + std::to_string(options_.first) + " to " +
                   std::to_string(options_.last) +
                   " are in use: widen client/min_disk_project and max_disk_project");
}

Status DiskQuota::Hold(const std::string& alloc_id, std::int64_t bytes, bool started) const {
  DROVER_ASSIGN(Held held, Open(alloc_id));
  if (!held.own && started) {
    return Error(Code::kFailedPrecondition, "its tasks have started without a quota");
  }
  return DurableStep(Step::kLimitDisk, [&]() -> Status {
    const std::uint32_t before = held.project.id;
    if (!held.own) {
      DROVER_ASSIGN(held.project, Claim(held.root.get()));
    }
    // An agent may have died before all had the project.
    const Status changed =
        started ? Status()
                : ChangeProject(*options_.quotas, held.root.get(), options_.base + "/" + alloc_id,
                                before, held.project);
    DROVER_TRY(options_.quotas->Limit(held.root.get(), held.project.id, bytes));
    return changed;
  });
}

std::optional<std::int64_t> DiskQuota::Used(const std::string& alloc_id) const {
  const Result<Held> held = Open(alloc_id);
  if (!held.ok() || !held->own) return std::nullopt;
  const Result<ProjectUse> use = options_.quotas->Use(held->root.get(), held->project.id);
  if (!use.ok()) return std::nullopt;
  return use->bytes;
}

void DiskQuota::Free(const std::string& alloc_id) const {
  const Result<Held> held = Open(alloc_id);
  if (!held.ok() || !held->own) return;
  // If this fails, the next allocation with the number sets the limit.
  (void)options_.quotas->Limit(held->root.get(), held->project.id, 0);
}

}  // namespace drover
