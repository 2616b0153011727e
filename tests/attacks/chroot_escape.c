/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Leaves a root by a directory outside of it. Arguments: a file of the host, a directory of the
   task's own, and optionally a directory that it first changes its root to. */
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  if (argc == 4 && (chroot(argv[3]) != 0 || chdir("/") != 0)) return 2;
  if (argc == 4 && open(argv[1], O_RDONLY) >= 0) return 2; /* it would prove nothing */
  if (chdir(argc == 4 ? "/" : argv[2]) != 0) return 2;
  mkdir("deep", 0755);
  if (chroot("deep") != 0) return held("chroot");
  for (int i = 0; i < 64; i++)
    if (chdir("..") != 0) return held("chdir");
  if (chroot(".") != 0) return held("chroot");
  return open(argv[1], O_RDONLY) >= 0 ? succeeded(argv[1]) : held(argv[1]);
}
