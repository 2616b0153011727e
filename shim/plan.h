/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Receives and checks the start message. */
#ifndef DROVER_SHIM_PLAN_H_
#define DROVER_SHIM_PLAN_H_

#include <stdint.h>

#include "shim/start_plan.h"

struct plan {
  struct drover_start start;
  int fds[DROVER_PLAN_MAX_FDS];
  uint32_t fd_count;
  char* steps; /* start.steps_size bytes, writable, aligned to 8 */
};

/*
 * Receives the message from CONNECTION into PLAN, checks it and sets the pointers to the strings of
 * EXEC. Returns 0 or an errno; ECONNRESET: the agent is gone and has sent nothing.
 */
int plan_receive(int connection, struct plan* plan);

/* Checks START and STEPS and sets the pointers; for tests and plan_receive. 0 or an errno. */
int plan_check(struct plan* plan);

/* The descriptor with INDEX, -1 for none. */
static inline int plan_fd(const struct plan* plan, int64_t index) {
  return index >= 0 && index < plan->fd_count ? plan->fds[index] : -1;
}

/* The number of STEP, a drover_step_number. */
static inline int64_t plan_number(const struct drover_step* step) {
  return ((const struct drover_step_number*)step)->number;
}

/* The descriptor whose index is the number of STEP, -1 for none. */
static inline int plan_step_fd(const struct plan* plan, const struct drover_step* step) {
  return plan_fd(plan, plan_number(step));
}

/* The step after AT, or the first step if AT is NULL; NULL: there is no more. */
struct drover_step* plan_next(const struct plan* plan, const struct drover_step* at);

/* The first step of KIND; NULL: there is none. INDEX becomes its index, unless it is NULL. */
const struct drover_step* plan_find(const struct plan* plan, uint16_t kind, int32_t* index);

/* The byte after COUNT strings at TEXT, each ended by NUL; NULL: LIMIT comes first. */
const char* plan_after_strings(const char* text, const char* limit, uint32_t count);

/* argv, envp and the program of an EXEC step that was checked. */
char** plan_argv(const struct drover_step_exec* exec);
char** plan_envp(const struct drover_step_exec* exec);
const char* plan_program(const struct drover_step_exec* exec);

#endif /* DROVER_SHIM_PLAN_H_ */
