// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <memory>
#include <utility>

#include "host/alloc/dir_tree.h"
#include "host/alloc/project_quota.h"

namespace drover {
namespace {

// Each level of nested directories needs an open file.
constexpr int kDeepestProject = 128;

class ProjectChange {
 public:
  ProjectChange(const ProjectQuotas& quotas, dev_t device, std::uint32_t from, FileProject to)
      : quotas_(quotas), device_(device), from_(from), to_(to) {}

  const Status& first() const { return first_; }

  void Directory(int directory, const std::string& path, int level) {
    if (level > kDeepestProject) {
      return Keep(Error(
          Code::kResourceExhausted,
          path + " is nested deeper than " + std::to_string(kDeepestProject) + " directories"));
    }
    UniqueFd copy(openat(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const std::unique_ptr<DIR, int (*)(DIR*)> entries(copy ? fdopendir(copy.get()) : nullptr,
                                                      closedir);
    if (entries == nullptr) return Keep(ErrnoError(errno, path));
    (void)copy.Release();  // closedir closes it
    while (const dirent* const entry = readdir(entries.get())) {
      const std::string name = entry->d_name;
      if (name != "." && name != "..") Entry(directory, name, path + "/" + name, level);
    }
    Change(directory, path, to_);
  }

 private:
  void Keep(Status status) {
    if (first_.ok() && !status.ok()) first_ = std::move(status);
  }

  void Entry(int directory, const std::string& name, const std::string& path, int level) {
    struct stat info{};
    if (fstatat(directory, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
    if (S_ISDIR(info.st_mode)) {
      const Result<UniqueFd> inside = OpenDirAt(directory, name, path, /*cross_mounts=*/false);
      // Otherwise it has vanished, or something is mounted there.
      if (inside.ok()) Directory(inside->get(), path, level + 1);
      return;
    }
    if (!S_ISREG(info.st_mode)) return;
    // What is opened for reading is what was looked at, so no device is opened.
    const UniqueFd found(openat(directory, name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
    if (!found || fstat(found.get(), &info) != 0) return;
    if (!S_ISREG(info.st_mode) || info.st_dev != device_) return;
    const std::string same = "/proc/self/fd/" + std::to_string(found.get());
    const UniqueFd file(open(same.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
    if (!file) return Keep(ErrnoError(errno, path));
    if (info.st_nlink > 1) {
      const Result<FileProject> now = quotas_.Of(file.get());
      if (!now.ok() || now->id == 0 || now->id != from_) return;
    }
    Change(file.get(), path, {to_.id, false});
  }

  void Change(int file, const std::string& path, FileProject to) {
    const Result<FileProject> now = quotas_.Of(file);
    if (now.ok() && *now == to) return;
    const Status changed = now.ok() ? quotas_.Put(file, to) : Status(now.error());
    if (!changed.ok()) Keep(changed.error().WithContext(path));
  }

  const ProjectQuotas& quotas_;
  const dev_t device_;
  const std::uint32_t from_;
  const FileProject to_;
  Status first_;
};

}  // namespace

Status ChangeProject(const ProjectQuotas& quotas, int top, const std::string& path,
                     std::uint32_t from, FileProject to) {
  struct stat info{};
  if (fstat(top, &info) != 0) return ErrnoError(errno, path);
  ProjectChange change(quotas, info.st_dev, from, to);
  change.Directory(top, path, 0);
  return change.first();
}

}  // namespace drover
