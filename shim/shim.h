/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The state of the run that this shim supervises. Only the control thread may use it. */
#ifndef DROVER_SHIM_SHIM_H_
#define DROVER_SHIM_SHIM_H_

#include <stdbool.h>
#include <stdint.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "shim/log_stream.h"
#include "shim/plan.h"

struct shim {
  struct plan plan;
  /* The first 16 hex digits of the run id, with which the names of the run's files begin. */
  char name[17];
  uint32_t phase; /* a drover_attach_phase */
  pid_t leader;   /* pid of the task's process; 0 before its start and after it is reaped */
  int32_t pid;    /* pid of the task's process, also after it is reaped */
  int wait_status;
  struct rusage usage;
  int64_t started_at, started_boot, finished_at, finished_boot;
  uint32_t oom_kills_before;
  struct log_stream streams[2];
  bool has_streams;
};

extern struct shim shim;

int64_t boot_time(void); /* in nanoseconds of CLOCK_BOOTTIME */
int64_t wall_time(void); /* in nanoseconds of CLOCK_REALTIME */

/* Sends the signal to the task's process and then, if ALL is true, to all other processes of the
   run. Returns an errno. */
int shim_signal(int signal_number, bool all);
/* Ends the run. Sends SIGKILL to all its processes. If the run has no process, stops reading the
   pipes. */
void shim_kill(void);
/* Must be called when the connection of the agent that started the run has ended. If the run is
   bound to that agent, stops the run. */
void shim_owner_lost(void);

#endif /* DROVER_SHIM_SHIM_H_ */
