/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* A neighbour without rights. As fast as it can, and until it is killed, it swaps a directory and a
   symbolic link. Arguments: the directory, the target of the link. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  if (setresgid(65534, 65534, 65534) != 0 || setresuid(65534, 65534, 65534) != 0) return 2;
  if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0) return 2;
  char link[4096];
  snprintf(link, sizeof link, "%s.link", argv[1]);
  if (symlink(argv[2], link) != 0) return held("symlink");
  for (;;)
    if (renameat2(AT_FDCWD, argv[1], AT_FDCWD, link, RENAME_EXCHANGE) != 0) return held("rename");
}
