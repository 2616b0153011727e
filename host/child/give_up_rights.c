/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "host/child/give_up_rights.h"

#include <errno.h>
#include <linux/capability.h>
#include <signal.h>
#include <stddef.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* System calls by their numbers: the C library's functions would change the user of all threads
   that they know, and those of a sanitizer may take locks. */
int drover_become_user(uid_t user) {
  if (syscall(SYS_prctl, PR_SET_KEEPCAPS, 1, 0, 0, 0) != 0) return -1;
  if (syscall(SYS_setgroups, 0, NULL) != 0) return -1;
  if (syscall(SYS_setresgid, user, user, user) != 0) return -1;
  return (int)syscall(SYS_setresuid, user, user, user);
}

int drover_keep_capabilities(uint64_t kept) {
  struct __user_cap_header_struct header = {.version = _LINUX_CAPABILITY_VERSION_3};
  struct __user_cap_data_struct sets[2];
  if (syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) != 0) return -1;
  if (syscall(SYS_capget, &header, sets) != 0) return -1;
  kept &= sets[0].permitted | (uint64_t)sets[1].permitted << 32;
  for (int half = 0; half < 2; half++) {
    const uint32_t bits = (uint32_t)(kept >> 32 * half);
    sets[half] = (struct __user_cap_data_struct){bits, bits, bits};
  }
  if (syscall(SYS_capset, &header, sets) != 0) return -1;
  for (int capability = 0; capability < 64; capability++)
    if (kept >> capability & 1 &&
        syscall(SYS_prctl, PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) != 0)
      return -1;
  return 0;
}

int drover_limit(int resource, uint64_t most) {
  struct rlimit64 limit;
  if (syscall(SYS_prlimit64, 0, resource, NULL, &limit) != 0) return -1;
  if (limit.rlim_max > most) limit.rlim_max = most;
  limit.rlim_cur = limit.rlim_max;
  return (int)syscall(SYS_prlimit64, 0, resource, &limit, NULL);
}

int drover_stay_below(pid_t parent) {
  if (syscall(SYS_prctl, PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0) return -1;
  if (syscall(SYS_prctl, PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) != 0) return -1;
  if (getppid() == parent) return 0;
  errno = ESRCH;
  return -1;
}
