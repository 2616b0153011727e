/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The steps that build the root file system of a run, in a mount namespace of its own. */
#ifndef DROVER_SHIM_MOUNTS_H_
#define DROVER_SHIM_MOUNTS_H_

#include <stdbool.h>

#include "shim/plan.h"

/* Returns true if STEP is such a step and its payload is complete. For the check of the plan. */
bool mounts_check(const struct plan* plan, const struct drover_step* step);

/*
 * Executes a step and returns an errno. Only the process that holds the namespaces may call it, in
 * the order of the plan. The first FILESYSTEM has an empty target and makes the new root. All
 * later paths are below that root. No path is resolved through a symbolic link. So links that a
 * task left in its directories can make a step fail, but cannot lead it to another place.
 */
int mounts_run(const struct plan* plan, const struct drover_step* step);

/* Closes file descriptors of the shim: those of mounts and of the clean mount namespace. The
   holder of the namespaces must have started before, so that it has copies. */
void mounts_close(const struct plan* plan);

#endif /* DROVER_SHIM_MOUNTS_H_ */
