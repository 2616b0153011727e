/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Succeeds if it can climb from its working directory to a file of the host. Argument: the path of
   that file. Without an argument it succeeds by running: its root must not have this program. */
#include <fcntl.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc == 1) return succeeded("a program of the host");
  char path[4096] = ".";
  for (int i = 0; i < 20; i++) strcat(path, "/..");
  strncat(path, argv[1], sizeof path - strlen(path) - 1);
  return open(path, O_RDONLY) >= 0 ? succeeded(path) : held(path);
}
