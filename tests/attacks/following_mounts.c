/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The shim's mounts with their defence off: they follow symbolic links. */
#include <linux/openat2.h>

#undef RESOLVE_BENEATH
#undef RESOLVE_NO_SYMLINKS
#define RESOLVE_BENEATH 0
#define RESOLVE_NO_SYMLINKS 0
#define mounts_check following_mounts_check
#define mounts_run following_mounts_run
#define mounts_close following_mounts_close
#include "shim/mounts.c"
