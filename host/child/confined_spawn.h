/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

enum {
  /* The descriptor of the program while it is executed. The filter allows no other. */
  DROVER_CONFINED_PROGRAM = 64,
  /* The most open files of the program: it can never get the descriptor above. */
  DROVER_CONFINED_FILES = 32,
};

struct drover_confined_limit {
  int resource;
  uint64_t most;
};

struct drover_confined_spawn {
  int program;     /* open descriptor of a static program */
  int standard[3]; /* become 0, 1 and 2 of the program; all others are closed */
  char* const* argv;
  char* const* envp;
  const struct drover_confined_limit* limits;
  size_t limit_count;
  int rules;        /* a ruleset of Landlock, or -1 */
  bool reads_files; /* whether the process keeps the capability to read all files, if it has it */
  struct sock_filter* filter;
  unsigned short filter_count;
  size_t own_pid; /* the instruction of the filter whose value becomes the pid of the process */
  /* The members from here on are results. */
  pid_t pid;
  const char* failed; /* what could not be done; NULL if the program runs */
};

/*
 * Executes a program in a process without rights, which is a child of this process and leads a
 * process group. If this process is root and may change its user, the new process has a user of its
 * own. The process is made as a copy, so nothing that it does there reaches this process. Until the
 * program runs, it makes only system calls. Waits for that. Returns 0 or an errno; FAILED then has
 * the step.
 * [any thread]
 */
int drover_spawn_confined(struct drover_confined_spawn* spawn);

#ifdef __cplusplus
}
#endif
