/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * fork_chain FILE SECONDS: a process that makes another one and ends, over and over, so that each
 * generation ends before anybody can find it. Each adds a byte to FILE; the chain ends after
 * SECONDS. The processes share their memory, which is fast, and take turns with the stacks in it.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { kStacks = 64, kStackSize = 16384 };
static char stacks[kStacks][kStackSize] __attribute__((aligned(16)));
static int file;
static double end;

static double now(void) {
  struct timespec time;
  clock_gettime(CLOCK_BOOTTIME, &time);
  return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

static int live(void* generation) {
  const unsigned long number = (unsigned long)generation;
  if (now() < end && write(file, "x", 1) == 1)
    clone(live, stacks[number % kStacks] + kStackSize, CLONE_VM | CLONE_FILES, (void*)(number + 1));
  _exit(0);
}

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  end = now() + atof(argv[2]);
  file = open(argv[1], O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file < 0) return 1;
  signal(SIGTERM, SIG_IGN);
  signal(SIGHUP, SIG_IGN);
  return live(0);
}
