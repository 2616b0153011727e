/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Signals and kills all processes of the run. They are the members of the run's cgroup. Without a
 * cgroup, they are the descendants of the shim, which is their subreaper. Since pids are reused,
 * the shim signals a process only through a pidfd, after a check that the process still belongs to
 * the run.
 */
#ifndef DROVER_SHIM_TREE_H_
#define DROVER_SHIM_TREE_H_

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* CGROUP is an open directory, the cgroup of the run, and must stay open. If CGROUP is -1, these
   functions use the descendants of the shim. FREEZER must be true for a cgroup of the version 1
   freezer. */
void tree_init(int cgroup, bool freezer);

/* Sends SIGNAL_NUMBER to all processes of the run except EXCEPT. */
void tree_signal(int signal_number, pid_t except);

/* Kills all processes of the run. By cgroup.kill, the kernel kills all members of a cgroup at once.
   Otherwise, this function searches and kills again until it finds no process, at most 20 times. It
   freezes the members of a version 1 freezer before it kills them, so they cannot fork. */
void tree_kill(void);

/* Kills all processes of the run. Then removes the run's cgroup, a directory with the name RUN_ID,
   as soon as the cgroup is empty. Gives up after a second. Without a cgroup, only kills. */
void tree_remove(const uint8_t* run_id);

/* Removes the cgroup that is open as DIRECTORY and has the name RUN_ID. Gives up after a
   second. */
void tree_remove_cgroup(int directory, const uint8_t* run_id);

#endif /* DROVER_SHIM_TREE_H_ */
