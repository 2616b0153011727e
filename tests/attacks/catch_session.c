/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Looks for the process that becomes a command beside the task, while it still runs the program of
   its supervisor. Arguments: a file that it makes when it begins to look, a file that ends it. */
#include <dirent.h>
#include <fcntl.h>
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const int ready = open(argv[1], O_WRONLY | O_CREAT, 0644);
  while (access(argv[2], F_OK) != 0) {
    DIR* const list = opendir("/proc");
    if (!list) return 2;
    const struct dirent* entry;
    while ((entry = readdir(list))) {
      if (entry->d_name[0] < '0' || entry->d_name[0] > '9') continue;
      if (strcmp(entry->d_name, "1") == 0) continue; /* the init, which always runs that program */
      char name[300], program[64];
      snprintf(name, sizeof name, "/proc/%s/exe", entry->d_name);
      const ssize_t length = readlink(name, program, sizeof program - 1);
      program[length > 0 ? length : 0] = 0;
      if (strstr(program, "drover-shim")) return succeeded(name);
    }
    closedir(list);
  }
  close(ready);
  return held("/proc");
}
