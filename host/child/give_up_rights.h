/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Steps by which a new process gives up rights before it runs code that is not trusted. They make
 * only system calls, so they may run in a copy of a process with threads. Each returns 0, or -1
 * with errno.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

/*
 * RLIMIT_NPROC counts all processes of a user, so processes without rights need users that run
 * nothing else. systemd's allocation of user ids leaves 65520 to 65533 unused, and tasks run as
 * 65534, which stands in where a user namespace has no such users.
 */
enum {
  DROVER_FIRST_PROBE_USER = 65520,
  DROVER_PROBE_USERS = 12,
  DROVER_FETCH_USER = 65532,
  DROVER_CONFINED_USER = 65533,
  DROVER_NOBODY = 65534,
};

/*
 * Makes USER the process's user and group, without other groups. Needs root. The process has all
 * its capabilities until it calls drover_keep_capabilities.
 */
int drover_become_user(uid_t user);

/*
 * Gives up all capabilities but those of KEPT, where bit N stands for capability N. A program that
 * the process executes has them, too. A capability that the process lacks is left out.
 */
int drover_keep_capabilities(uint64_t kept);

/*
 * Sets both the soft and the hard limit of RESOURCE to MOST, or to the present hard limit if that
 * is lower. Without rights, a process cannot raise it.
 */
int drover_limit(int resource, uint64_t most);

/*
 * The process can gain no rights by programs that it executes, and the kernel kills it when the
 * thread that started it ends. PARENT is the process of that thread. Fails if that has ended
 * already. Must come after a change of the user, which would undo it.
 */
int drover_stay_below(pid_t parent);

#ifdef __cplusplus
}
#endif
