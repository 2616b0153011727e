/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * All processes of the run: the members of its cgroup or, without one, the descendants of the shim,
 * which is their subreaper. Since pids are reused, a process is only signalled through a pidfd,
 * after a check that it still belongs to the run.
 */
#ifndef DROVER_SHIM_TREE_H_
#define DROVER_SHIM_TREE_H_

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* CGROUP: the directory of the run's cgroup, kept open; -1: walk the descendants. FREEZER: it is a
   cgroup of the version 1 freezer. */
void tree_init(int cgroup, bool freezer);

/* Sends SIGNAL_NUMBER to all processes but EXCEPT. */
void tree_signal(int signal_number, pid_t except);

/* Kills all processes. In a cgroup none escapes: the kernel kills the members, or they are frozen
 * first. A walk is repeated until it finds no process, at most 20 times. */
void tree_kill(void);

/* Kills all processes and removes the cgroup, the directory named RUN_ID, as soon as it is empty;
 * gives up after a second. Without a cgroup it only kills. */
void tree_remove(const uint8_t* run_id);

/* Removes the cgroup that is open as DIRECTORY and named RUN_ID; gives up after a second, too. */
void tree_remove_cgroup(int directory, const uint8_t* run_id);

#endif /* DROVER_SHIM_TREE_H_ */
