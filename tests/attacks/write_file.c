/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Opens a file for writing, and makes it if it is missing. Argument: its name. */
#include <fcntl.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  return open(argv[1], O_WRONLY | O_CREAT, 0600) >= 0 ? succeeded(argv[1]) : held(argv[1]);
}
