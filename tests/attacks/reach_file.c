/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Opens a file of the host by every name that may lead to it. Arguments: the file, a directory of
   the task's own. */
#include <fcntl.h>
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const char* const prefixes[] = {"",
                                  "/proc/self/root",
                                  "/proc/1/root",
                                  "/proc/self/cwd/../../../../../..",
                                  "/proc/1/cwd/../../../../../..",
                                  "/proc/self/fd/0/../../../../..",
                                  "/../../../../../..",
                                  "../../../../../.."};
  char path[4096], link[4096];
  snprintf(link, sizeof link, "%s/link", argv[2]);
  for (unsigned i = 0; i < sizeof prefixes / sizeof *prefixes; i++) {
    snprintf(path, sizeof path, "%s%s", prefixes[i], argv[1]);
    if (open(path, O_RDONLY) >= 0) return succeeded(path);
    unlink(link);
    if (symlink(path, link) == 0 && open(link, O_RDONLY) >= 0) return succeeded(link);
  }
  return held(argv[1]);
}
