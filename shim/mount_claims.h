/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Compares the mounts of a run, as the kernel lists them, with what the steps of the plan claim. */
#ifndef DROVER_SHIM_MOUNT_CLAIMS_H_
#define DROVER_SHIM_MOUNT_CLAIMS_H_

#include <stdbool.h>
#include <stdint.h>

#include "shim/plan.h"

/*
 * Reads the mountinfo file of the new root, after the step PIVOT. Each mount that a step makes, and
 * each mount below a copied mount, must have the attributes (read-only, nosuid, nodev, noexec,
 * nosymfollow) that its step claims. The mount of each step must exist.
 *
 * If the newer system calls for mounts are missing, this function first adds the attributes that a
 * mount lacks. It always adds missing attributes to mounts below a mount with DROVER_MOUNT_FOLLOWS,
 * since the host may just have made those mounts.
 *
 * Returns 0, an errno or DROVER_NOT_AS_CLAIMED. STEP must be the index of the step VERIFY. On
 * failure, STEP becomes the index of the step whose claim is wrong, or whose mount cannot get a
 * missing attribute.
 */
int mount_claims_verify(const struct plan* plan, int32_t* step);

/* Returns true if the steps before BEFORE claim that PLACE, a path in the new root, is
   read-only. */
bool mount_claims_read_only(const struct plan* plan, const struct drover_step* before,
                            const char* place);

#endif /* DROVER_SHIM_MOUNT_CLAIMS_H_ */
