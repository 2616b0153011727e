// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "own_root.h"

#include <fcntl.h>
#include <sched.h>
#include <sys/stat.h>
#include <unistd.h>

#include "trial_child.h"

namespace exec_driver {
namespace {

// Reads the inode and the mount id of the root directory. The inode alone does not identify the
// root, since one directory may be mounted at several places.
bool LookAtRoot(struct statx* out) {
  return ::statx(AT_FDCWD, "/", 0, STATX_INO | STATX_MNT_ID, out) == 0;
}

}  // namespace

bool IsInChroot() {
  constexpr int kSame = 0, kOther = 1, kUnknown = 2;
  // A process that enters its own mount namespace gets the root of that namespace. A process with
  // several threads cannot enter a mount namespace, so a child process enters it. The child makes
  // only system calls.
  const pid_t child = MakeTrialChild(/*namespaces=*/0);
  if (child < 0) return false;
  if (child == 0) {
    struct statx ours, entered;
    const int own = ::open("/proc/self/ns/mnt", O_RDONLY | O_CLOEXEC);
    if (own < 0 || !LookAtRoot(&ours) || ::setns(own, CLONE_NEWNS) != 0 || !LookAtRoot(&entered))
      ::_exit(kUnknown);
    ::_exit(ours.stx_mnt_id == entered.stx_mnt_id && ours.stx_ino == entered.stx_ino ? kSame
                                                                                     : kOther);
  }
  const int status = AwaitTrialChild(child);
  return WIFEXITED(status) && WEXITSTATUS(status) == kOther;
}

}  // namespace exec_driver
