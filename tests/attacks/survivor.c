/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* A daemon that tries to outlive its task: forked twice, in a session of its own, deaf to signals.
   Argument: a file that it locks as long as it lives. */
#include <fcntl.h>
#include <signal.h>
#include <sys/file.h>
#include <unistd.h>

#include "tests/attacks/attack.h"

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  if (fork() != 0) {
    for (;;) pause(); /* the task */
  }
  setsid();
  if (fork() != 0) return 0;
  for (int number = 1; number < 65; number++) signal(number, SIG_IGN);
  const int file = open(argv[1], O_RDWR | O_CREAT, 0600);
  if (file < 0 || flock(file, LOCK_EX) != 0) return 2;
  for (int fd = 0; fd < file; fd++) close(fd);
  for (;;) pause();
}
