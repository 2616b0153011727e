// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <string>

namespace drover::bench {

// A directory below $TMPDIR or /var/tmp, one on a tmpfs (if there is any) for the sockets of shims,
// and for root a version 2 cgroup to count in. They end with the object, also when the program is
// killed: a janitor process waits for its end. Make this before the first thread.
class Scratch {
 public:
  Scratch();
  Scratch(const Scratch&) = delete;
  Scratch& operator=(const Scratch&) = delete;
  ~Scratch();

  const std::string& path() const { return path_; }
  // Makes a new directory below it: NAME and some random letters.
  std::string NewDirectory(const std::string& name) const;
  const std::string& run_dir() const { return run_dir_; }
  bool run_dir_is_tmpfs() const { return run_dir_is_tmpfs_; }
  const std::string& cgroup() const { return cgroup_; }  // empty: there is none

 private:
  bool Exists() const;
  void Remove() const;

  std::string path_;
  std::string run_dir_;
  std::string cgroup_;
  bool run_dir_is_tmpfs_ = false;
  pid_t janitor_ = -1;
  int janitor_pipe_ = -1;  // closed by our end, which the janitor waits for
};

}  // namespace drover::bench
