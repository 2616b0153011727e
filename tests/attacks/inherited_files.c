/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Looks for descriptors that nobody gave to it. */
#include <fcntl.h>

#include "tests/attacks/attack.h"

int main(void) {
  for (int fd = 3; fd < 4096; fd++)
    if (fcntl(fd, F_GETFD) >= 0) return succeeded("a descriptor");
  return held("descriptors");
}
