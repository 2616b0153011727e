/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* Receives and checks the start message. */
#ifndef DROVER_SHIM_PLAN_H_
#define DROVER_SHIM_PLAN_H_

#include <stddef.h>
#include <stdint.h>

#include "shim/start_plan.h"

struct plan {
  struct drover_start start;
  int fds[DROVER_PLAN_MAX_FDS];
  uint32_t fd_count;
  char* steps; /* start.steps_size bytes, which are writable and aligned to 8 bytes */
};

/*
 * Receives the start message from CONNECTION into PLAN, and calls plan_check. Returns 0 or an
 * errno, ECONNRESET if the connection ended without a message.
 */
int plan_receive(int connection, struct plan* plan);

/* Checks the members `start` and `steps` of PLAN. Also sets the pointers to strings in the step of
   the kind DROVER_STEP_EXEC. Returns 0 or an errno. Only plan_receive and tests call plan_check. */
int plan_check(struct plan* plan);

/* Returns the file descriptor that has INDEX in the start message, or -1 if there is none. */
static inline int plan_fd(const struct plan* plan, int64_t index) {
  return index >= 0 && index < plan->fd_count ? plan->fds[index] : -1;
}

/* Returns the number of STEP, which must be a drover_step_number. */
static inline int64_t plan_number(const struct drover_step* step) {
  return ((const struct drover_step_number*)step)->number;
}

/* Returns the file descriptor whose index is the number of STEP, or -1 if there is none. */
static inline int plan_step_fd(const struct plan* plan, const struct drover_step* step) {
  return plan_fd(plan, plan_number(step));
}

/* Returns the step after AT, or the first step if AT is NULL. Returns NULL if there are no more
   steps. */
struct drover_step* plan_next(const struct plan* plan, const struct drover_step* at);

/* Returns the first step of KIND, or NULL if there is none. Sets INDEX to its index if INDEX is
   not NULL. */
const struct drover_step* plan_find(const struct plan* plan, uint16_t kind, int32_t* index);

/* Returns the step that gives descriptors to the task's process, or NULL if there is none. */
static inline const struct drover_step_descriptors* plan_descriptors(const struct plan* plan) {
  return (const struct drover_step_descriptors*)plan_find(plan, DROVER_STEP_DESCRIPTORS, NULL);
}

/* Returns the byte after the COUNT strings at TEXT, each ended by NUL. Returns NULL if they do not
   end before LIMIT. */
const char* plan_after_strings(const char* text, const char* limit, uint32_t count);

/* Return argv, envp and the program of EXEC, which must have passed plan_check. */
char** plan_argv(const struct drover_step_exec* exec);
char** plan_envp(const struct drover_step_exec* exec);
const char* plan_program(const struct drover_step_exec* exec);

#endif /* DROVER_SHIM_PLAN_H_ */
