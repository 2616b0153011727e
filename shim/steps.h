/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Starts a process by the steps of the plan. */
#ifndef DROVER_SHIM_STEPS_H_
#define DROVER_SHIM_STEPS_H_

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shim/plan.h"

/* A new process's report in its status pipe. No report comes if the program was executed. */
struct step_failure {
  int32_t step; /* index; -1: before the first */
  uint32_t kind;
  int32_t error;
};

struct child {
  pid_t pid;
  int status; /* read end of the status pipe */
};

/* The command of an exec session; NULL if the task itself is started. */
struct session_command {
  uint32_t argc, envc;
  char* strings; /* argc + envc strings, each ended by NUL */
  bool tty;
};

/*
 * Starts a process whose descriptors 0, 1, 2 are STANDARD (-1: /dev/null). Returns 0 and sets
 * CHILD; its status pipe then shows if the program was executed. Otherwise returns an errno and
 * sets FAILURE.
 */
int steps_start(const struct plan* plan, const int standard[3],
                const struct session_command* session, struct child* child,
                struct step_failure* failure);

#endif /* DROVER_SHIM_STEPS_H_ */
