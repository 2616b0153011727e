// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/scratch.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <vector>

#include "host/base/result.h"
#include "host/process/cgroup_tracker.h"
#include "host/process/small_file.h"

namespace drover::bench {
namespace {

std::string MakeDirectory(const std::string& base) {
  std::string path = base + "/drover-bench-XXXXXX";
  return mkdtemp(path.data()) == nullptr ? "" : path;
}

bool IsTmpfs(const std::string& path) {
  struct statfs info{};
  return statfs(path.c_str(), &info) == 0 && info.f_type == TMPFS_MAGIC;
}

// Interrupted allocations leave the mounts of their secrets.
void UnmountBelow(const std::string& path) {
  std::vector<std::string> targets;
  std::ifstream mounts("/proc/self/mounts");
  for (std::string source, target, rest; mounts >> source >> target; std::getline(mounts, rest)) {
    if (target.starts_with(path + "/")) targets.push_back(target);
  }
  for (const std::string& target : targets) umount2(target.c_str(), MNT_DETACH);
}

}  // namespace

std::string Scratch::NewDirectory(const std::string& name) const {
  std::string path = path_ + "/" + name + "-XXXXXX";
  DROVER_CHECK(mkdtemp(path.data()) != nullptr && chmod(path.c_str(), 0755) == 0);
  return path;
}

Scratch::Scratch() {
  const char* tmp = getenv("TMPDIR");
  path_ = MakeDirectory(tmp != nullptr && *tmp == '/' ? tmp : "/var/tmp");
  DROVER_CHECK(!path_.empty());
  for (const char* base : {"/run", "/dev/shm"}) {
    if (!IsTmpfs(base)) continue;
    run_dir_ = MakeDirectory(base);
    if (!run_dir_.empty()) break;
  }
  run_dir_is_tmpfs_ = !run_dir_.empty();
  if (!run_dir_is_tmpfs_) run_dir_ = path_ + "/run";

  const auto mounts = ReadSmallFile(AT_FDCWD, "/proc/self/mounts");
  if (const auto mount = CgroupTracker::FindMount(mounts.value_or("")))
    cgroup_ = MakeDirectory(*mount);

  int ends[2];
  DROVER_CHECK(pipe2(ends, O_CLOEXEC) == 0);
  janitor_ = fork();
  DROVER_CHECK(janitor_ >= 0);
  if (janitor_ == 0) {
    close(ends[1]);
    setsid();  // away from the signals that a terminal sends to the benchmark
    char byte = 0;
    while (read(ends[0], &byte, 1) > 0) {
    }
    // Bound tasks end a moment after the benchmark, and their shims write a record.
    for (int i = 0; i < 100 && (i < 10 || Exists()); ++i) {
      Remove();
      usleep(100'000);
    }
    _exit(0);
  }
  close(ends[0]);
  janitor_pipe_ = ends[1];
}

Scratch::~Scratch() {
  Remove();
  // A normal end leaves nothing to wait for.
  if (!Exists()) kill(janitor_, SIGKILL);
  close(janitor_pipe_);
  int status = 0;
  waitpid(janitor_, &status, 0);
}

bool Scratch::Exists() const {
  std::error_code ignored;
  return std::filesystem::exists(path_, ignored) || std::filesystem::exists(run_dir_, ignored) ||
         (!cgroup_.empty() && std::filesystem::exists(cgroup_, ignored));
}

void Scratch::Remove() const {
  UnmountBelow(path_);
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
  std::filesystem::remove_all(run_dir_, ignored);
  if (!cgroup_.empty()) rmdir(cgroup_.c_str());  // when no process is in it
}

}  // namespace drover::bench
