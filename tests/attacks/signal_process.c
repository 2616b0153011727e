/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Sends a signal without effect. Argument: the number of a process of the host. */
#include <signal.h>
#include <stdlib.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return kill(atoi(argv[1]), 0) == 0 ? succeeded(argv[1]) : held(argv[1]);
}
