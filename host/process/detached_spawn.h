/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct drover_detached_spawn {
  int image;         /* the program, opened */
  int connection;    /* becomes descriptor 3; 0, 1 and 2 are NULL_DEVICE, all others close */
  int null_device;   /* /dev/null, read and write */
  int cgroup;        /* the version 2 cgroup to start in, -1: the caller's */
  const char* title; /* argv[1], for people who look at the list of processes */
  /* Initial soft limit of open files of the program and its children; 0: the caller's. */
  uint64_t open_files;
  /* Results: */
  pid_t pid;
  int pidfd; /* close-on-exec */
};

/*
 * Executes a program that is no child of this process: its parent is a child that ends at once and
 * is reaped here. No memory is copied, no signal is sent. The calling thread waits until the
 * program has been executed. Returns 0 or an errno. [any thread]
 */
int drover_spawn_detached(struct drover_detached_spawn* spawn);

#ifdef __cplusplus
}
#endif
