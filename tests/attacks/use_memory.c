/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Finds shared memory of other processes. Argument: its key. */
#include <stdlib.h>
#include <sys/shm.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return shmget((key_t)atoi(argv[1]), 0, 0) >= 0 ? succeeded(argv[1]) : held(argv[1]);
}
