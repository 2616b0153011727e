/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * A small driver without processes, written against the C header, for the tests of the loader and
 * of the conformance kit. The build makes many drivers of it, each with one fault: FAULT_... in its
 * files.
 *
 * A task runs until it is stopped, or for "run_for_ms", and ends with "exit_code". With
 * USES_PROGRESS, its start takes "start_ms", is reported, and asks for "extend_ms". With
 * USES_RUN_SERVICES, it asks for what its signals say: test_run_services.c.
 */
#ifndef DROVER_PLUGIN_TESTDATA_TEST_DRIVER_H_
#define DROVER_PLUGIN_TESTDATA_TEST_DRIVER_H_

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drover/drover.h"
#include "drover/drover_device.h"
#include "drover/drover_prepare.h"
#include "drover/drover_progress.h"

#define TEXT(literal) {(literal), sizeof(literal) - 1}
#define MAX_TASKS 64
#define MAX_WAITS 32
#define MAX_STREAMS 64

typedef struct task {
  int used, exited, recovered, exit_code;
  drover_run_id run;
  uint64_t waits[MAX_WAITS], stops[MAX_WAITS], timer, session;
  uint64_t starting; /* the call of a start that takes its time */
  drover_instance* owner;
#ifdef USES_RUN_SERVICES
  char said[4096];
  int pipe, terminal; /* 0 means none */
#endif
} task;

typedef struct stream {
  int used, cancelled;
  uint64_t id, timer;
  int64_t interval;
  drover_run_id run;
  drover_instance* owner;
} stream;

struct drover_instance {
  const drover_host* host;
  const drover_timer* timer;
  pthread_mutex_t mutex;
  task tasks[MAX_TASKS];
  stream streams[MAX_STREAMS];
  uint64_t event_stream;
  drover_instance* next;
};

int32_t fail(drover_error* error, int32_t code, const char* message);
int same(const drover_run_id* a, const drover_run_id* b);
void complete_empty(const drover_host* host, uint64_t id);

#ifdef CHECKS_TAGS
/* Ends the process if the host breaks the thread tags of the header: [control] functions run one at
 * a time per instance, [task] functions one at a time per run, and none on the main thread, which
 * is the tests' control thread. Each function takes a moment, so that two would meet. */
typedef struct inside inside;
inside* enter(void* owner, const drover_run_id* run, const char* what);
void leave_inside(inside** mine);
void check_thread(void);
#define INSIDE(owner, run, what) \
  inside* here __attribute__((cleanup(leave_inside), unused)) = enter(owner, run, what)
#define CONTROL(self) INSIDE(self, NULL, "two [control] functions at a time")
#define TASK(run) INSIDE(NULL, run, "two [task] functions of a run at a time")
#define ANY() check_thread()
#else
#define CONTROL(self)
#define TASK(run)
#define ANY()
#endif

/* The verbs of tasks: test_tasks.c. */
task* find(drover_instance* self, const drover_run_id* run);
int32_t start(drover_instance* self, const drover_call* call, const drover_start_args* args,
              drover_error* error);
int32_t recover(drover_instance* self, const drover_call* call, const drover_recover_args* args,
                drover_error* error);
int32_t wait_for(drover_instance* self, const drover_call* call, const drover_wait_args* args,
                 drover_error* error);
int32_t stop(drover_instance* self, const drover_call* call, const drover_stop_args* args,
             drover_error* error);
int32_t destroy(drover_instance* self, const drover_call* call, const drover_destroy_args* args,
                drover_error* error);
int32_t inspect(drover_instance* self, const drover_call* call, const drover_inspect_args* args,
                drover_error* error);
int32_t send_signal(drover_instance* self, const drover_call* call, const drover_signal_args* args,
                    drover_error* error);
void call_cancelled(drover_instance* self, uint64_t id);

#ifdef USES_PROCESSES
/* The functions that use the host's process service: test_processes.c. */
extern const drover_task_exec the_exec;
void find_processes(const drover_host* host);
void timer_came(void);
void no_more(void);
int32_t wait_for_process(task* t, const drover_call* call, drover_error* error);
int end_session(drover_instance* self, uint64_t id);
#endif

#ifdef USES_RUN_SERVICES
/* Several processes of a run, and places: test_run_services.c. */
typedef struct said_attributes {
  char said[4096], open[16];
  drover_pair pairs[2];
} said_attributes;
int32_t run_request(task* t, const drover_call* call, drover_str text, drover_error* error);
void add_said(task* t, said_attributes* to, drover_task_status* status);
void drop_descriptors(task* t);
#endif

#ifdef OFFERS_DEVICES
extern const drover_device_plugin the_devices; /* test_devices.c */
#endif

#ifdef PREPARES
extern const drover_task_prepare the_prepare; /* test_prepare.c */
void prepare_cancelled(drover_instance* self, uint64_t id);
#endif

/* Its streams: test_streams.c. */
void send_health(drover_instance* self, uint64_t id);
int32_t fingerprint(drover_instance* self, uint64_t id, drover_error* error);
int32_t events(drover_instance* self, uint64_t id, drover_error* error);
int32_t stats(drover_instance* self, uint64_t id, const drover_run_id* run,
              const drover_stats_args* args, drover_error* error);
void stream_cancel(drover_instance* self, uint64_t id);
int32_t stream_join(drover_instance* self, uint64_t id, int64_t deadline, drover_error* error);

#endif /* DROVER_PLUGIN_TESTDATA_TEST_DRIVER_H_ */
