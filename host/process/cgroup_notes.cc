// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/cgroup_notes.h"

#include <unistd.h>

#include <cerrno>
#include <climits>

namespace drover {
namespace {

std::optional<std::string> ReadLink(int directory, const char* name) {
  char target[PATH_MAX];
  const ssize_t size = readlinkat(directory, name, target, sizeof target);
  if (size <= 0 || static_cast<std::size_t>(size) == sizeof target) return std::nullopt;
  return std::string(target, static_cast<std::size_t>(size));
}

std::optional<RunId> RunOf(const std::string& path) {
  const Result<RunId> run = RunId::Parse(path.substr(path.rfind('/') + 1));
  if (!run.ok()) return std::nullopt;
  return *run;
}

}  // namespace

Status CgroupNotes::Write(const RunId& run, const std::string& path) const {
  if (symlinkat(path.c_str(), directory_, NameOf(run).c_str()) == 0) return {};
  if (errno == EEXIST)
    return Error(Code::kFailedPrecondition, "run " + run.ToString() + " has a cgroup already");
  return ErrnoError(errno, "cannot note the cgroup " + path + " in the run directory");
}

std::optional<std::string> CgroupNotes::Find(const RunId& run) const {
  if (directory_ < 0) return std::nullopt;
  std::optional<std::string> path = ReadLink(directory_, NameOf(run).c_str());
  if (path && RunOf(*path) != run) return std::nullopt;
  return path;
}

void CgroupNotes::Remove(const RunId& run) const {
  if (directory_ >= 0) unlinkat(directory_, NameOf(run).c_str(), 0);
}

}  // namespace drover
