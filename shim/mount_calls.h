/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's calls for mounts. Where the calls of Linux 5.2 to 5.12 (fsopen, open_tree,
 * move_mount, mount_setattr) are missing, or a filter around the agent refuses one of them,
 * mount(2) does the same. Attributes that it cannot set at once are set by mount_claims_verify. If
 * nothing else is said, functions return an errno or 0.
 */
#ifndef DROVER_SHIM_MOUNT_CALLS_H_
#define DROVER_SHIM_MOUNT_CALLS_H_

#include <stdbool.h>
#include <stdint.h>

#include "shim/start_plan.h"

/* EXIST: all of the newer calls work. The agent has tried them, under the same filter. */
void mount_calls_init(bool exist);
bool mount_calls_exist(void);

/* Makes the file system of STEP and mounts it at TARGET. If TARGET is -1, mounts it on the present
   root and sets ROOT to a descriptor of it. */
int mount_calls_make(const struct drover_step_filesystem* step, int target, int* root);

/* Attaches TREE, a mount that belongs to no namespace. */
int mount_calls_attach(int tree, int target);

/* Mounts SOURCE at TARGET, both in this namespace, with ATTRIBUTES in addition. */
int mount_calls_bind(int source, int target, bool recursive, uint32_t attributes);

/* Adds attributes to the mount that is open as TARGET. */
int mount_calls_set(int target, uint32_t attributes);

/* The same by mount(2), for a mount that has the attributes OLD. */
int mount_calls_remount(int target, uint32_t old, uint32_t attributes);

/*
 * Opens in this namespace, by its name, the file that PLACE names, a descriptor from another
 * namespace. EXDEV: another file has that name by now. Returns a descriptor or a negative errno.
 */
long mount_calls_find(int place);

#endif /* DROVER_SHIM_MOUNT_CALLS_H_ */
