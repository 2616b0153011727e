/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Unmounts its root, and enters the mount namespace again: its root is then the one below.
   Argument: a file of the host. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <sys/mount.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  const int own = open("/proc/self/ns/mnt", O_RDONLY);
  if (argc != 2 || own < 0 || open(argv[1], O_RDONLY) >= 0) return 2;
  if (umount2("/", MNT_DETACH) != 0) return held("umount2");
  if (setns(own, CLONE_NEWNS) != 0) return held("setns");
  return open(argv[1], O_RDONLY) >= 0 ? succeeded(argv[1]) : held(argv[1]);
}
