// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

namespace drover {

// Returns why tests cannot isolate tasks here; null: they can.
inline const char* ReasonNotToIsolate() {
  if (geteuid() != 0) return "isolation needs root";
  // In a chroot, a process that enters its own mount namespace gets another root. A process with
  // threads cannot enter one, so a child tries.
  const pid_t child = fork();
  if (child == 0) {
    struct statx ours{}, entered{};
    const int own = open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    const bool known = statx(AT_FDCWD, "/", 0, STATX_INO | STATX_MNT_ID, &ours) == 0 &&
                       setns(own, CLONE_NEWNS) == 0 &&
                       statx(AT_FDCWD, "/", 0, STATX_INO | STATX_MNT_ID, &entered) == 0;
    _exit(known && (ours.stx_mnt_id != entered.stx_mnt_id || ours.stx_ino != entered.stx_ino));
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status == 0) return nullptr;
  return "the root of a task cannot be changed in a chroot";
}

}  // namespace drover
