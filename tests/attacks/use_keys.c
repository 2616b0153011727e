/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Stores a key, which other processes of its user could find. */
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(void) {
  const long key = syscall(SYS_add_key, "user", "drover-attack", "x", 1, -3 /* the session's */);
  return key >= 0 ? succeeded("add_key") : held("add_key");
}
