/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The steps that build a run's root file system in a mount namespace of its own. */
#ifndef DROVER_SHIM_MOUNTS_H_
#define DROVER_SHIM_MOUNTS_H_

#include <stdbool.h>

#include "shim/plan.h"

/* Is the payload of such a step whole? For the check of the plan. */
bool mounts_check(const struct plan* plan, const struct drover_step* step);

/*
 * Carries a step out; an errno. Only in the process that holds the namespaces, in the order of the
 * plan: the first FILESYSTEM, with an empty target, is the new root, all further paths lie below
 * it. No path is resolved through a symbolic link, so what a task left behind in its directories
 * can make the step fail, but not lead it elsewhere.
 */
int mounts_run(const struct plan* plan, const struct drover_step* step);

/* Trees and the clean mount namespace are the holder's now: closes those of the shim. */
void mounts_close(const struct plan* plan);

#endif /* DROVER_SHIM_MOUNTS_H_ */
