/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Has a set-user-id bit of root. */
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(void) { return geteuid() == 0 ? succeeded("geteuid") : held("geteuid"); }
