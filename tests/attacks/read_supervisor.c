/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Reads or replaces the program of its supervisor, which runs with all rights. */
#include <fcntl.h>
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(void) {
  const char* const files[] = {"exe", "mem", "environ", "maps", "fd/0"};
  for (unsigned i = 0; i < sizeof files / sizeof *files; i++) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/%s", getppid() > 0 ? getppid() : 1, files[i]);
    if (open(path, O_RDONLY) >= 0) return succeeded(path);
  }
  return held("/proc/1");
}
