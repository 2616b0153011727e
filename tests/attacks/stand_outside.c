/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Stands in a directory of the host if it can climb from there to a file of the host: the argument,
   a path. Without an argument it only runs: where its root has no such program, that is enough. */
#include <fcntl.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc == 1) return succeeded("a program of the host");
  char path[4096] = ".";
  for (int i = 0; i < 20; i++) strcat(path, "/..");
  strncat(path, argv[1], sizeof path - strlen(path) - 1);
  return open(path, O_RDONLY) >= 0 ? succeeded(path) : held(path);
}
