/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The steps that build a run's root file system in a mount namespace of its own. */
#ifndef DROVER_SHIM_MOUNTS_H_
#define DROVER_SHIM_MOUNTS_H_

#include <stdbool.h>

#include "shim/plan.h"

/* True if the payload of such a step is complete. For the check of the plan. */
bool mounts_check(const struct plan* plan, const struct drover_step* step);

/*
 * Executes a step; returns an errno. Only for the process that holds the namespaces, in the order
 * of the plan. The first FILESYSTEM, with an empty target, is the new root; all further paths lie
 * below it. No path is resolved through a symbolic link: links that a task left in its directories
 * can make the step fail, but cannot lead it elsewhere.
 */
int mounts_run(const struct plan* plan, const struct drover_step* step);

/* Closes the shim's descriptors of mounts and of the clean mount namespace, once the holder of the
   namespaces has its own. */
void mounts_close(const struct plan* plan);

#endif /* DROVER_SHIM_MOUNTS_H_ */
