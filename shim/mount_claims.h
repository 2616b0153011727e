/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Compares the mounts of a run, as the kernel reports them, with the claims of the plan. */
#ifndef DROVER_SHIM_MOUNT_CLAIMS_H_
#define DROVER_SHIM_MOUNT_CLAIMS_H_

#include <stdbool.h>
#include <stdint.h>

#include "shim/plan.h"

/*
 * Reads the mountinfo from the /proc of the new root, after PIVOT. Each mount, and each mount below
 * a copied one, must have the attributes (read-only, nosuid, nodev, noexec) that its step claims,
 * and each step must have left its mount. If mount(2) has made the mounts, it first adds the
 * attributes. It always adds them to mounts that the host may just have made below a mount that
 * FOLLOWS. Returns an errno or DROVER_NOT_AS_CLAIMED. STEP is the index of the step that verifies;
 * on failure it becomes the index of the step whose claim does not hold, or to whose mounts an
 * attribute cannot be added.
 */
int mount_claims_verify(const struct plan* plan, int32_t* step);

/* True if the steps before BEFORE claim that PLACE of the new root is read-only. */
bool mount_claims_read_only(const struct plan* plan, const struct drover_step* before,
                            const char* place);

#endif /* DROVER_SHIM_MOUNT_CLAIMS_H_ */
