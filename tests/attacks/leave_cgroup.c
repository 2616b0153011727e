/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Opens the list of members of the cgroups above its own, to move there. */
#include <fcntl.h>

#include "tests/attacks/attack.h"

int main(void) {
  const char* const files[] = {"/sys/fs/cgroup/cgroup.procs", "/sys/fs/cgroup/unified/cgroup.procs",
                               "/sys/fs/cgroup/pids/cgroup.procs",
                               "/sys/fs/cgroup/memory/cgroup.procs",
                               "/proc/self/root/sys/fs/cgroup/unified/cgroup.procs"};
  for (unsigned i = 0; i < sizeof files / sizeof *files; i++)
    if (open(files[i], O_WRONLY) >= 0) return succeeded(files[i]);
  return held("cgroup.procs");
}
