/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * What Go calls. It cannot call a pointer to a function, so each one that it needs has a function
 * here. They are static: each file of the driver has its own copy, and none is exported.
 */
#ifndef HELLO_GO_DRIVER_H
#define HELLO_GO_DRIVER_H

#include "drover/drover_c_process.h"

struct drover_instance {
  drover_c_base base; /* the host, its process service, the open calls and streams */
  /* The lock of the base guards these. */
  unsigned goroutines;  /* those that use the instance */
  int ending;           /* the host has asked for the end of the instance */
  drover_call shutdown; /* by this call */
};

/* Counts a goroutine that is about to begin. */
static inline __attribute__((unused)) void enter_instance(drover_instance* self) {
  pthread_mutex_lock(&self->base.mutex);
  ++self->goroutines;
  pthread_mutex_unlock(&self->base.mutex);
}

/* A goroutine has ended, and its call is not its own any more. The last one ends the instance, if
 * the host has asked for that. */
static inline __attribute__((unused)) void leave_instance(drover_instance* self) {
  int last;
  pthread_mutex_lock(&self->base.mutex);
  last = --self->goroutines == 0 && self->ending;
  pthread_mutex_unlock(&self->base.mutex);
  if (last) drover_c_shut_down(self, &self->shutdown, NULL, NULL);
}

/* Starts a process for an open call, and completes the call in the end. All texts are copied by the
 * host before this returns. */
static inline __attribute__((unused)) void start_process(drover_c_call* call, drover_str* argv,
                                                         size_t argv_count, drover_pair* env,
                                                         size_t env_count, drover_str work_dir,
                                                         drover_str user) {
  drover_c_base* const base = call->base;
  drover_error error = drover_c_error(DROVER_E_UNIMPLEMENTED, "the host has no process service");
  drover_process_start_args args;
  memset(&args, 0, sizeof args);
  args.struct_size = sizeof args;
  args.argv = drover_c_array(argv, argv_count, sizeof *argv);
  args.env = drover_c_array(env, env_count, sizeof *env);
  args.work_dir = work_dir;
  args.user = user;
  if (base->process == NULL || base->process->start(base->host, &call->run, &args, drover_c_started,
                                                    call, &error) != DROVER_OK) {
    drover_c_answer(call, &error, NULL);
  }
}

/* Completes an open call with an error. */
static inline __attribute__((unused)) void fail_call(drover_c_call* call, int32_t code,
                                                     const char* text) {
  drover_c_answer_error(call, code, text);
}

#endif
