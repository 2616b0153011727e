/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Takes control of the process that supervises it: its parent, or the first of its namespace. */
#include <sys/ptrace.h>
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(void) {
  const pid_t parent = getppid() > 0 ? getppid() : 1;
  if (ptrace(PTRACE_SEIZE, parent, NULL, NULL) != 0) return held("ptrace");
  ptrace(PTRACE_DETACH, parent, NULL, NULL);
  return succeeded("ptrace");
}
