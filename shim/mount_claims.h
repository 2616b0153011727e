/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* What the mounts of a run must be, and what the kernel says that they are. */
#ifndef DROVER_SHIM_MOUNT_CLAIMS_H_
#define DROVER_SHIM_MOUNT_CLAIMS_H_

#include <stdbool.h>
#include <stdint.h>

#include "shim/plan.h"

/*
 * Reads the mountinfo of the new root, as its /proc has it, after PIVOT: each mount must have the
 * attributes (read-only, nosuid, nodev, noexec) that the step which made it claims, those below a
 * copied one, too, and each step must have left its mount. Where mount(2) has made them, it adds
 * the attributes first; and to what the host may just have mounted below one that FOLLOWS, in any
 * case. Returns an errno or DROVER_NOT_AS_CLAIMED. STEP comes as the index of the step that
 * verifies; it becomes that of a step whose claim does not hold, or to whose mounts an attribute
 * cannot be added.
 */
int mount_claims_verify(const struct plan* plan, int32_t* step);

/* Is PLACE of the new root read-only by what the steps before BEFORE claim? */
bool mount_claims_read_only(const struct plan* plan, const struct drover_step* before,
                            const char* place);

#endif /* DROVER_SHIM_MOUNT_CLAIMS_H_ */
