/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The steps that build the root file system of a run, in a mount namespace of its own. */
#ifndef DROVER_SHIM_MOUNTS_H_
#define DROVER_SHIM_MOUNTS_H_

#include <stdbool.h>

#include "shim/plan.h"

/* Returns true if STEP is a step for mounts and its payload is complete. Called by plan_check. */
bool mounts_check(const struct plan* plan, const struct drover_step* step);

/*
 * Executes a step and returns an errno. Only the process that holds the namespaces may call this
 * function, once for each step in the order of the plan. The first FILESYSTEM step has an empty
 * target and makes the new root. All later paths are below that root. No path is resolved through a
 * symbolic link. So links that a task left in its directories can make a step fail, but cannot lead
 * the step to another place.
 */
int mounts_run(const struct plan* plan, const struct drover_step* step);

/* Closes the shim's file descriptors of mounts and of mount namespaces. Must be called after the
   start of the process that holds the namespaces, because that process needs copies of these
   descriptors. */
void mounts_close(const struct plan* plan);

#endif /* DROVER_SHIM_MOUNTS_H_ */
