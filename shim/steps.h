/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Starts a process that executes the steps of the plan. */
#ifndef DROVER_SHIM_STEPS_H_
#define DROVER_SHIM_STEPS_H_

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "shim/plan.h"

/* The failure that a new process reports in its status pipe. If the program was executed, the pipe
   ends without a report. */
struct step_failure {
  int32_t step; /* index of the step, or -1 before the first step */
  uint32_t kind;
  int32_t error;
};

struct child {
  pid_t pid;
  int status; /* the read end of the status pipe */
};

/* The command of an exec session. Where a function takes a pointer to this struct, NULL stands for
   the task's own program. */
struct session_command {
  uint32_t argc, envc;
  char* strings; /* argc + envc strings, each ended by NUL */
  bool tty;
};

/*
 * Starts a process that gets the file descriptors STANDARD as its descriptors 0, 1 and 2. An
 * element -1 means /dev/null. Returns 0 and sets CHILD, whose status pipe later shows whether the
 * program was executed. On failure, returns an errno and sets FAILURE.
 */
int steps_start(const struct plan* plan, const int standard[3],
                const struct session_command* session, struct child* child,
                struct step_failure* failure);

#endif /* DROVER_SHIM_STEPS_H_ */
