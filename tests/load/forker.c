/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * A task that forks: a child, and one in a session of its own, both asleep.
 *   leave   ends at once and leaves both behind
 *   stay    sleeps too, until a signal ends it
 *   deaf    sleeps; it and its children ignore SIGINT and SIGTERM
 */
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void sleep_for_ever(void) {
  for (;;) pause();
}

int main(int argc, char** argv) {
  const char* what = argc == 2 ? argv[1] : "";
  if (strcmp(what, "deaf") == 0) {
    signal(SIGINT, SIG_IGN);
    signal(SIGTERM, SIG_IGN);
  }
  for (int detached = 0; detached < 2; ++detached) {
    const pid_t pid = fork();
    if (pid < 0) return 1;
    if (pid == 0) {
      if (detached) setsid();
      sleep_for_ever();
    }
  }
  if (strcmp(what, "leave") != 0) sleep_for_ever();
  return 0;
}
