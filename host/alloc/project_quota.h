// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "host/base/result.h"

namespace drover {

// A project is a number that files of one file system have. The kernel counts what all files of a
// project take together, and holds them to a limit: those of ext4 and xfs can do this.
struct FileProject {
  std::uint32_t id = 0;
  bool inherited = false;  // of a directory: whether what is made in it gets its project

  bool operator==(const FileProject&) const = default;
};

struct ProjectUse {
  std::int64_t bytes = 0;
  std::int64_t files = 0;  // directories and links, too
};

// The projects and quotas of file systems. All functions block and may be called on any thread.
// DIRECTORY is any directory of the file system.
class ProjectQuotas {
 public:
  virtual ~ProjectQuotas() = default;

  // Succeeds if the file system holds projects to their limits, and this process may set them. The
  // error says what is missing.
  virtual Status Check(int directory) const = 0;
  // Returns the project of FILE: 0 on a file system without projects.
  virtual Result<FileProject> Of(int file) const = 0;
  virtual Status Put(int file, FileProject project) const = 0;
  // Returns what the files of the project ID take.
  virtual Result<ProjectUse> Use(int directory, std::uint32_t id) const = 0;
  // Sets the limit of the project ID; 0 for none.
  virtual Status Limit(int directory, std::uint32_t id, std::int64_t bytes) const = 0;
};

// Returns those of the kernel.
const ProjectQuotas& KernelProjectQuotas();

// Gives the project TO to the directory TOP and to all directories and files in it, TOP last. Does
// not follow links, and leaves out what is mounted there. What is neither a file nor a directory
// keeps its project. So does a file with several names, unless all of its names can only be in
// FROM, which is not 0: it may be a file of the host. Goes on after an error, and returns the first
// one. Blocks. [any thread]
Status ChangeProject(const ProjectQuotas& quotas, int top, const std::string& path,
                     std::uint32_t from, FileProject to);

}  // namespace drover
