/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Gives a file of the host a name in a directory of its own. Arguments: the file, the name. */
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  return link(argv[1], argv[2]) == 0 ? succeeded(argv[2]) : held(argv[2]);
}
