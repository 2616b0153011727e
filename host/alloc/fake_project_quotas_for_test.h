// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/stat.h>

#include <functional>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "host/alloc/project_quota.h"

namespace drover {

// The quotas of a file system that has none. Counts the files that have got a project by Put, and
// those that a test has added. [any thread]
class FakeProjectQuotas : public ProjectQuotas {
 public:
  Status Check(int) const override { return check; }
  Result<FileProject> Of(int file) const override {
    const std::lock_guard lock(mutex_);
    return projects_[InodeOf(file)];
  }
  Status Put(int file, FileProject project) const override {
    {
      const std::lock_guard lock(mutex_);
      if (!put.ok()) return put;
      projects_[InodeOf(file)] = project;
      order_.push_back(InodeOf(file));
    }
    if (after_put) after_put(project);
    return {};
  }
  Result<ProjectUse> Use(int, std::uint32_t id) const override {
    const std::lock_guard lock(mutex_);
    ProjectUse use = elsewhere[id];
    for (const auto& [inode, project] : projects_) use.files += project.id == id ? 1 : 0;
    return use;
  }
  Status Limit(int, std::uint32_t id, std::int64_t bytes) const override {
    const std::lock_guard lock(mutex_);
    if (!limit.ok()) return limit;
    limits[id] = bytes;
    return {};
  }

  FileProject OfPath(const std::string& path) const {
    const std::lock_guard lock(mutex_);
    return projects_[InodeOfPath(path)];
  }
  void PutPath(const std::string& path, FileProject project) {
    const std::lock_guard lock(mutex_);
    projects_[InodeOfPath(path)] = project;
  }
  bool IsLast(const std::string& path) const { return order_.back() == InodeOfPath(path); }

  Status check, put, limit;
  std::function<void(FileProject)> after_put;
  mutable std::map<std::uint32_t, ProjectUse> elsewhere;  // of files that are not known here
  mutable std::map<std::uint32_t, std::int64_t> limits;

 private:
  using Inode = std::pair<dev_t, ino_t>;
  static Inode InodeOf(int file) {
    struct stat info{};
    DROVER_CHECK(fstat(file, &info) == 0);
    return {info.st_dev, info.st_ino};
  }
  static Inode InodeOfPath(const std::string& path) {
    struct stat info{};
    DROVER_CHECK(lstat(path.c_str(), &info) == 0);
    return {info.st_dev, info.st_ino};
  }

  mutable std::mutex mutex_;
  mutable std::map<Inode, FileProject> projects_;
  mutable std::vector<Inode> order_;  // of all calls of Put
};

}  // namespace drover
