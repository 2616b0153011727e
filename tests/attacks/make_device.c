/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Makes a device node and opens the device by it. Argument: the node's path. */
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (mknod(argv[1], S_IFCHR | 0666, makedev(1, 3)) != 0) return held("mknod");
  return open(argv[1], O_RDONLY) >= 0 ? succeeded(argv[1]) : held(argv[1]);
}
