/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Types into its own terminal, for the process that reads there next. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(void) {
  const int master = posix_openpt(O_RDWR | O_NOCTTY);
  char name[64];
  if (master < 0 || grantpt(master) != 0 || unlockpt(master) != 0 ||
      ptsname_r(master, name, sizeof name) != 0)
    return 2;
  const pid_t child = fork(); /* the leader of a group cannot have a session of its own */
  if (child != 0) {
    int status;
    return waitpid(child, &status, 0) == child && WIFEXITED(status) ? WEXITSTATUS(status) : 2;
  }
  setsid();
  const int terminal = open(name, O_RDWR);
  if (terminal < 0) return 2;
  return ioctl(terminal, TIOCSTI, "x") == 0 ? succeeded("TIOCSTI") : held("TIOCSTI");
}
