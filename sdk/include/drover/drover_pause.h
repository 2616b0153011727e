/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Pause: the optional part of a driver that holds a task still, and lets it go on.
 *
 * This part is a DRAFT. Its id ends in "/draft", and it comes with no promise: a later version of
 * Drover may change it, and then gives it another id. The rules at the top of drover.h hold here,
 * too.
 *
 * A task that is paused keeps its memory, files and network, but gets no processor time. Its state
 * stays DROVER_TASK_RUNNING, and inspect returns the attribute "paused" with the value "true". A
 * pause survives the agent and, as far as the driver can, the driver's process: inspect says
 * whether it did.
 *
 * A driver whose tasks are processes of drover.process needs no such part: the host itself pauses
 * them, by their cgroup.
 *
 * Before the host stops a task that is paused, it lets the task go on. destroy must end a paused
 * task, too.
 */
#ifndef DROVER_DROVER_PAUSE_H
#define DROVER_DROVER_PAUSE_H

#include "drover/drover.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_TASK_PAUSE_ID "drover.task-pause/1/draft"

/* An offer (drover_info.offers): the driver has this part. The host takes the bit from the
 * library's info, not from that of an instance. */
#define DROVER_CAP_PAUSE (1ull << 58)

typedef struct drover_pause_args {
  uint32_t struct_size;
  uint32_t paused; /* not 0: the task is held; 0: it goes on */
} drover_pause_args;

typedef struct drover_task_pause {
  uint32_t struct_size;
  uint32_t reserved;
  /* Holds the task of the call's run, or lets it go on. The call completes when this has happened.
   * It succeeds if the task is as wanted already. It fails with E_FAILED_PRECONDITION if the task
   * does not run.                                         -> drover_empty_result [any-thread] */
  int32_t (*pause)(drover_instance* self, const drover_call* call, const drover_pause_args* args,
                   drover_error* error);
} drover_task_pause;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_PAUSE_H */
