/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The one run that this process holds. Control thread only. */
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
  char name[17];  /* 16 hex digits of the run id: the name of its files */
  uint32_t phase; /* drover_attach_phase */
  pid_t leader;   /* the task's process while it is not reaped, else 0 */
  int32_t pid;    /* the same, kept after it is reaped */
  int wait_status;
  struct rusage usage;
  int64_t started_at, started_boot, finished_at, finished_boot;
  uint32_t oom_kills_before;
  struct log_stream streams[2];
  bool has_streams;
};

extern struct shim shim;

int64_t boot_time(void); /* CLOCK_BOOTTIME, nanoseconds */
int64_t wall_time(void); /* CLOCK_REALTIME, nanoseconds */

/* Signals the task's process and then, with ALL, all other processes. Returns an errno. */
int shim_signal(int signal_number, bool all);
/* Ends the run: sends SIGKILL to all processes or, without a process, stops reading the pipes. */
void shim_kill(void);
/* The connection of the agent that started a bound run has ended. */
void shim_owner_lost(void);

#endif /* DROVER_SHIM_SHIM_H_ */
