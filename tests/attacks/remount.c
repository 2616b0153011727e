/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Makes read-only mounts writable. */
#include <fcntl.h>
#include <sys/mount.h>
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(void) {
  if (mount(NULL, "/", NULL, MS_REMOUNT | MS_BIND, NULL) != 0) return held("remount");
  return open("/new", O_WRONLY | O_CREAT, 0600) >= 0 ? succeeded("/new") : held("/new");
}
