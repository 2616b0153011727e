/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Becomes root of a namespace of its own, in which mounts and more are in reach. */
#define _GNU_SOURCE
#include <sched.h>

#include "tests/attacks/attack.h"

int main(void) { return unshare(CLONE_NEWUSER) == 0 ? succeeded("unshare") : held("unshare"); }
