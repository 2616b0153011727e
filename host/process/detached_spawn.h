/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct drover_detached_spawn {
  int image; /* open descriptor of the program */
  /* Becomes descriptor 3 of the program. 0, 1 and 2 become NULL_DEVICE; all others are closed. */
  int connection;
  int null_device;   /* open descriptor of /dev/null, for reading and writing */
  int cgroup;        /* the version 2 cgroup to start in; -1: the caller's cgroup */
  const char* title; /* argv[1], for people who read a list of processes */
  /* The initial soft limit of open files for the program. 0 means the caller's limit. */
  uint64_t open_files;
  /* The initial soft limit of core files in bytes. Null means the caller's limit. */
  const uint64_t* core_bytes;
  /* The members from here on are results. */
  pid_t pid;
  int pidfd; /* close-on-exec */
};

/*
 * Starts a program in a process that is not a child of this process. The parent of the program is a
 * short-lived child, which exits at once and which this function reaps. The function copies no
 * memory, and the exit of the child sends no SIGCHLD. The calling thread waits until the program
 * has been executed. Returns 0 or an errno. [any thread]
 */
int drover_spawn_detached(struct drover_detached_spawn* spawn);

#ifdef __cplusplus
}
#endif
