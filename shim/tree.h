/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Everything the run has started: the members of its cgroup, or, without one, the descendants of
 * the shim, which is their subreaper. A process is only ever signalled through a pidfd after a
 * check that it still belongs to the run; process ids are reused.
 */
#ifndef DROVER_SHIM_TREE_H_
#define DROVER_SHIM_TREE_H_

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

/* CGROUP: its directory, kept; -1: walk the descendants. FREEZER: it is one of version 1. */
void tree_init(int cgroup, bool freezer);

/* Sends SIGNAL_NUMBER to all but EXCEPT. */
void tree_signal(int signal_number, pid_t except);

/* Kills all. In a cgroup nothing escapes: the kernel kills its members, or they are frozen first. A
 * walk is repeated until it finds nobody, 20 times. */
void tree_kill(void);

/* Kills all and removes the cgroup, the directory named RUN_ID, as soon as it is empty; gives up
 * after a second. Nothing without a cgroup. */
void tree_remove(const uint8_t* run_id);

/* Removes the cgroup that is open as DIRECTORY and named RUN_ID, with the same patience. */
void tree_remove_cgroup(int directory, const uint8_t* run_id);

#endif /* DROVER_SHIM_TREE_H_ */
