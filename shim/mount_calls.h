/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The system calls that make and change mounts. Linux 5.2 to 5.12 introduced newer calls: fsopen,
 * open_tree, move_mount and mount_setattr. If one of them is missing, or a seccomp filter on the
 * agent refuses it, these functions use mount(2). mount(2) cannot set every attribute at once, so
 * mount_claims_verify sets the missing attributes later. Functions return an errno or 0 unless
 * their comment says otherwise.
 */
#ifndef DROVER_SHIM_MOUNT_CALLS_H_
#define DROVER_SHIM_MOUNT_CALLS_H_

#include <stdbool.h>
#include <stdint.h>

#include "shim/start_plan.h"

/* EXIST must be true if all of the newer system calls for mounts work. The agent tests them: it
   runs under the same seccomp filter as the shim. */
void mount_calls_init(bool exist);
bool mount_calls_exist(void);

/* Makes the file system of STEP and mounts it at TARGET. If TARGET is -1, mounts it over the
   present root and sets ROOT to a file descriptor of the new mount. */
int mount_calls_make(const struct drover_step_filesystem* step, int target, int* root);

/* Attaches TREE, a mount that belongs to no namespace yet, at TARGET. */
int mount_calls_attach(int tree, int target);

/* Mounts SOURCE at TARGET. The new mount has the attributes of SOURCE's mount and, in addition,
   ATTRIBUTES. SOURCE and TARGET must be in this mount namespace. Without the newer calls,
   ATTRIBUTES are not set. */
int mount_calls_bind(int source, int target, bool recursive, uint32_t attributes);

/* Adds attributes to the mount that is open as TARGET. Without the newer calls, does nothing. */
int mount_calls_set(int target, uint32_t attributes);

/* Adds attributes by mount(2) to the mount that is open as TARGET. OLD must be the attributes that
   this mount has at present. */
int mount_calls_remount(int target, uint32_t old, uint32_t attributes);

/*
 * PLACE is a file descriptor from another mount namespace. Opens the file that has the path of
 * PLACE in this namespace. Returns a file descriptor or a negative errno. That errno is -EXDEV if
 * the path leads to another file in this namespace.
 */
long mount_calls_find(int place);

#endif /* DROVER_SHIM_MOUNT_CALLS_H_ */
