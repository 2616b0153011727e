/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Writes to the program that started it. It opens that by /proc/self/exe and executes another
   program, so that the first one is no longer busy. Arguments: "begin" and the other program. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  char name[64];
  if (strcmp(argv[1], "begin") == 0) {
    const int program = open("/proc/self/exe", O_PATH);
    if (program < 0) return 2;
    snprintf(name, sizeof name, "%d", program);
    char* const next[] = {argv[2], "write", name, NULL};
    execv(argv[2], next);
    return 2;
  }
  snprintf(name, sizeof name, "/proc/self/fd/%s", argv[2]);
  const int program = open(name, O_WRONLY);
  if (program < 0 || write(program, "owned", 5) != 5) return held(name);
  return succeeded(name);
}
