/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The tasks of the test driver, and its verbs. */
#include <poll.h>
#include <stdatomic.h>
#include <time.h>

#include "test_driver.h"

task* find(drover_instance* self, const drover_run_id* run) {
  for (int i = 0; i < MAX_TASKS; ++i) {
    if (self->tasks[i].used && same(&self->tasks[i].run, run)) return &self->tasks[i];
  }
  return NULL;
}

static long number(drover_str json, const char* key, long none) {
  char text[512];
  size_t size = json.size < sizeof text - 1 ? json.size : sizeof text - 1;
  memcpy(text, json.data, size);
  text[size] = 0;
  const char* at = strstr(text, key);
  return at ? strtol(at + strlen(key) + 2, NULL, 10) : none;
}

static void complete_exit(const drover_host* host, uint64_t id, int exit_code) {
  drover_exit_result result;
  memset(&result, 0, sizeof result);
  result.struct_size = sizeof result;
  result.exit_code = exit_code;
#ifdef FAULT_EXIT_CODE
  result.exit_code = 0;
#endif
  host->complete(host, id, NULL, &result);
#ifdef FAULT_COMPLETES_TWICE
  host->complete(host, id, NULL, &result);
#endif
}

static void end_task(drover_instance* self, task* t, int exit_code) {
  uint64_t waits[MAX_WAITS], stops[MAX_WAITS];
  if (t->exited) return;
  t->exited = 1;
  t->exit_code = exit_code;
  memcpy(waits, t->waits, sizeof waits);
  memcpy(stops, t->stops, sizeof stops);
  memset(t->waits, 0, sizeof t->waits);
  memset(t->stops, 0, sizeof t->stops);
  for (int i = 0; i < MAX_WAITS; ++i) {
    if (waits[i]) complete_exit(self->host, waits[i], exit_code);
    if (stops[i]) complete_empty(self->host, stops[i]);
  }
}

#ifdef FAULT_FEW_WAITS
#define WAITS 4
#else
#define WAITS MAX_WAITS
#endif
static void remember(uint64_t* list, uint64_t id) {
  for (int i = 0; i < WAITS; ++i) {
    if (!list[i]) {
      list[i] = id;
      return;
    }
  }
}

static void task_over(void* context) {
  task* t = context;
  ANY();
#ifdef USES_PROCESSES
  timer_came();
#endif
  drover_instance* self = t->owner;
  pthread_mutex_lock(&self->mutex);
  t->timer = 0;
  if (t->used) end_task(self, t, t->exit_code);
  pthread_mutex_unlock(&self->mutex);
}

static void complete_started(drover_instance* self, uint64_t id) {
  drover_task_handle handle;
  memset(&handle, 0, sizeof handle);
  handle.struct_size = sizeof handle;
  handle.format_version = 7;
  handle.state.data = "t1\0x";
  handle.state.size = 4;
  drover_start_result result = {sizeof result, 0, &handle, NULL};
  self->host->complete(self->host, id, NULL, &result);
}

static task* new_task(drover_instance* self, const drover_task_config* config) {
  for (int i = 0; i < MAX_TASKS; ++i) {
    task* t = &self->tasks[i];
    if (t->used || t->timer) continue;
    memset(t, 0, sizeof *t);
    t->used = 1;
    t->owner = self;
    t->run = config->run_id;
    t->exit_code = (int)number(config->driver_config, "\"exit_code", 0);
    long ms = number(config->driver_config, "\"run_for_ms", -1);
    if (ms >= 0) {
      t->timer = self->timer->after(self->host, ms * 1000000ll, task_over, t);
    }
    return t;
  }
  return NULL;
}

#ifdef USES_PROGRESS
static void started_late(void* context) {
  task* t = context;
  drover_instance* self = t->owner;
  pthread_mutex_lock(&self->mutex);
  uint64_t id = t->starting;
  t->timer = t->starting = 0;
  pthread_mutex_unlock(&self->mutex);
  if (id) complete_started(self, id);
}

static void start_slowly(drover_instance* self, task* t, uint64_t call, drover_str config) {
  const drover_str id = TEXT(DROVER_PROGRESS_ID), phase = TEXT("Starting"), unit = TEXT("steps"),
                   text = TEXT("of uses_progress");
  const drover_progress* progress = self->host->get_extension(self->host, id);
  drover_progress_report report;
  memset(&report, 0, sizeof report);
  report.struct_size = sizeof report;
  report.phase = phase;
  report.done = 1;
  report.total = 4;
  report.unit = unit;
  report.text = text;
  progress->report(self->host, call, &report);
  progress->extend(self->host, call, number(config, "\"extend_ms", 0) * 1000000ll);
  pthread_mutex_lock(&self->mutex);
  t->starting = call;
  t->timer =
      self->timer->after(self->host, number(config, "\"start_ms", 0) * 1000000ll, started_late, t);
  pthread_mutex_unlock(&self->mutex);
}
#endif

#ifdef FAULT_LEAVES_THREADS
static void* wait_for_ever(void* nothing) {
  for (;;) pause();
  return nothing;
}
#endif

#ifdef PRINTS_CONFIG
static void print_text(FILE* to, drover_str text) {
  fputc(' ', to);
  if (text.size > 0) fwrite(text.data, 1, text.size, to);
}
static const void* element(const drover_array* array, size_t i) {
  return (const char*)array->data + i * array->element_size;
}
static void print_pairs(FILE* to, const char* what, const drover_array* pairs) {
  fprintf(to, " | %s", what);
  for (size_t i = 0; i < pairs->count; ++i) {
    const drover_pair* pair = element(pairs, i);
    print_text(to, pair->key);
    print_text(to, pair->value);
  }
}

/* Adds a line to the file "printed" of the allocation: VERB, and what the host gave it. */
static void print_config(const char* verb, const drover_task_config* config) {
  char path[4096];
  snprintf(path, sizeof path, "%.*s/printed", (int)config->alloc_dir.size, config->alloc_dir.data);
  FILE* to = fopen(path, "a");
  if (!to) return;
  fprintf(to, "%s | mounts", verb);
  for (size_t i = 0; i < config->mounts.count; ++i) {
    const drover_mount* mount = element(&config->mounts, i);
    print_text(to, mount->task_path);
    print_text(to, mount->host_path);
    fprintf(to, " %u", mount->read_only);
    print_text(to, mount->propagation);
  }
  fprintf(to, " | devices");
  for (size_t i = 0; i < config->devices.count; ++i) {
    const drover_device* device = element(&config->devices, i);
    print_text(to, device->task_path);
    print_text(to, device->host_path);
    print_text(to, device->permissions);
  }
  print_pairs(to, "device_env", &config->device_env);
  print_pairs(to, "env", &config->env);
  fprintf(to, " | network");
  print_text(to, config->network_mode);
  print_text(to, config->network_namespace);
  fputc('\n', to);
  fclose(to);
}
#else
#define print_config(verb, config)
#endif

int32_t start(drover_instance* self, const drover_call* call, const drover_start_args* args,
              drover_error* error) {
  const drover_task_config* config = args->config;
  TASK(&config->run_id);
#ifdef FAULT_START_LATE
  usleep(300000);
#endif
#ifdef FAULT_HOLDS_THREAD
  for (;;) pause();
#endif
#ifdef FAULT_ELEMENT_SIZE
  const drover_pair* pairs = config->env.data;
  volatile unsigned sum = 0;
  for (size_t i = 0; i < config->env.count; ++i) {
    for (size_t j = 0; j < pairs[i].key.size; ++j) sum += (unsigned char)pairs[i].key.data[j];
  }
#endif
#ifdef FAULT_FEW_VARIABLES
  if (config->env.count > 256) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "many variables");
#endif
#ifdef FAULT_READS_ON
  volatile size_t size = strlen(config->job_name.data);
  (void)size;
#endif
#ifdef FAULT_DROPS_CANCELLED
  if (self->host->call_is_cancelled(self->host, call->id)) return DROVER_OK;
#endif
  print_config("start", config);
  pthread_mutex_lock(&self->mutex);
  int known = find(self, &config->run_id) != NULL;
#ifdef FAULT_START_TWICE
  known = 0;
#endif
  task* t = known ? NULL : new_task(self, config);
  uint64_t events = self->event_stream;
  pthread_mutex_unlock(&self->mutex);
  if (known) return fail(error, DROVER_E_FAILED_PRECONDITION, "the task runs already");
  if (!t) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "too many tasks");
#ifdef FAULT_START_NEVER_ANSWERS
  return DROVER_OK;
#endif
#ifdef USES_PROGRESS
  if (number(config->driver_config, "\"start_ms", -1) >= 0) {
    start_slowly(self, t, call->id, config->driver_config);
    return DROVER_OK;
  }
#endif
  if (events) {
    drover_event event;
    memset(&event, 0, sizeof event);
    event.struct_size = sizeof event;
    event.type = DROVER_MESSAGE_EVENT;
    event.run_id = config->run_id;
    drover_str text = TEXT("hello");
    event.message = text;
    self->host->stream_send(self->host, events, (const drover_message*)&event);
  }
#ifdef FAULT_LEAVES_THREADS
  pthread_t idle;
  pthread_create(&idle, NULL, wait_for_ever, NULL);
#endif
#ifdef FAULT_LEAVES_CHILDREN
  if (fork() == 0) _exit(0);
#endif
  complete_started(self, call->id);
  return DROVER_OK;
}

int32_t recover(drover_instance* self, const drover_call* call, const drover_recover_args* args,
                drover_error* error) {
  drover_recover_result result = {sizeof result, DROVER_TASK_RUNNING, NULL, NULL};
  drover_exit_result over;
  TASK(&args->config->run_id);
#ifdef FAULT_RECOVER_LATER
  static _Atomic int recovers;
  if (atomic_fetch_add(&recovers, 1) == 0) {
    return fail(error, DROVER_E_UNAVAILABLE, "its daemon is away");
  }
#endif
#ifdef FAULT_RECOVER_FORGETS
  return fail(error, DROVER_E_NOT_FOUND, "it was never here");
#endif
  print_config("recover", args->config);
  pthread_mutex_lock(&self->mutex);
  task* t = find(self, &args->config->run_id);
#ifdef FAULT_RECOVER_INVENTS
  if (!t && !args->handle) t = new_task(self, args->config);
#endif
  if (!t) {
    const drover_task_handle* handle = args->handle;
    if (!handle) {
      pthread_mutex_unlock(&self->mutex);
      return fail(error, DROVER_E_NOT_FOUND, "never started");
    }
#ifdef FAULT_RECOVER_CRASHES
    if (handle->state.size != 4) *(volatile int*)8 = 1;
#endif
    int mine = handle->state.size == 4 && memcmp(handle->state.data, "t1\0x", 4) == 0;
#ifdef FAULT_TAKES_ODD_HANDLES
    if (handle->state.size > 10 && handle->state.size < 1000) mine = 1;
#endif
    if (!mine) {
      pthread_mutex_unlock(&self->mutex);
      return fail(error, DROVER_E_INVALID_ARGUMENT, "the handle is not mine");
    }
    t = new_task(self, args->config);
    t->recovered = 1;
  }
  if (t->exited) {
    memset(&over, 0, sizeof over);
    over.struct_size = sizeof over;
    over.exit_code = t->exit_code;
    result.state = DROVER_TASK_EXITED;
    result.exit_result = &over;
  }
  pthread_mutex_unlock(&self->mutex);
#ifdef FAULT_RECOVER_SLOW
  fprintf(stderr, "recovering\n");
  usleep(500000);
#endif
  self->host->complete(self->host, call->id, NULL, &result);
  return DROVER_OK;
}

static int32_t unknown(drover_instance* self, const drover_call* call, drover_error* error) {
  pthread_mutex_unlock(&self->mutex);
#ifdef FAULT_UNKNOWN_RUN
  complete_empty(self->host, call->id);
  return DROVER_OK;
#endif
  (void)call;
  return fail(error, DROVER_E_NOT_FOUND, "no such task");
}

int32_t wait_for(drover_instance* self, const drover_call* call, const drover_wait_args* args,
                 drover_error* error) {
  (void)args;
#ifdef FAULT_ASKS_IN_WAIT
  /* Asks in the way of a driver in C that keeps no table of its calls. */
  drover_fd event = {-1, 0};
  if (self->host->call_cancel_fd(self->host, call->id, &event, error) != DROVER_OK)
    return error->code;
  struct pollfd readable = {event.fd, POLLIN, 0};
  poll(&readable, 1, 0);
  close(event.fd);
  int cancelled = self->host->call_is_cancelled(self->host, call->id) != 0;
  if (cancelled != (readable.revents != 0))
    return fail(error, DROVER_E_INTERNAL, "the descriptor contradicts call_is_cancelled");
  if (cancelled) return fail(error, DROVER_E_CANCELLED, "it was cancelled before");
#endif
  pthread_mutex_lock(&self->mutex);
  task* t = find(self, &call->run_id);
  if (!t) {
    pthread_mutex_unlock(&self->mutex);
    return fail(error, DROVER_E_NOT_FOUND, "no such task");
  }
#ifdef USES_PROCESSES
  pthread_mutex_unlock(&self->mutex);
  return wait_for_process(t, call, error);
#endif
#ifdef FAULT_WAIT_ONLY_BEFORE
  int now = 0;
#else
  int now = t->exited;
#endif
  if (!now) remember(t->waits, call->id);
  int exit_code = t->exit_code;
  pthread_mutex_unlock(&self->mutex);
  if (now) complete_exit(self->host, call->id, exit_code);
#ifndef FAULT_FORGETS_EARLY_CANCELS
  /* A cancellation that came before the call was entered has found nothing. */
  if (self->host->call_is_cancelled(self->host, call->id)) call_cancelled(self, call->id);
#endif
  return DROVER_OK;
}

int32_t stop(drover_instance* self, const drover_call* call, const drover_stop_args* args,
             drover_error* error) {
  (void)args, (void)error;
  TASK(&call->run_id);
  pthread_mutex_lock(&self->mutex);
  task* t = find(self, &call->run_id);
  if (!t) return unknown(self, call, error);
#ifdef FAULT_STOPS_ANOTHER
  for (int i = 0; i < MAX_TASKS; ++i) {
    if (self->tasks[i].used && &self->tasks[i] != t) end_task(self, &self->tasks[i], 130);
  }
#endif
#ifdef FAULT_STOP_NEEDS_TIME
  if (args->timeout == 0 && !t->exited) {
    pthread_mutex_unlock(&self->mutex);
    return DROVER_OK;
  }
#endif
#ifndef FAULT_STOP_NEVER_ANSWERS
  if (t->exited) {
    complete_empty(self->host, call->id);
  } else {
    remember(t->stops, call->id);
    end_task(self, t, 130);
  }
#endif
  pthread_mutex_unlock(&self->mutex);
  return DROVER_OK;
}

int32_t destroy(drover_instance* self, const drover_call* call, const drover_destroy_args* args,
                drover_error* error) {
  TASK(&call->run_id);
#ifdef FAULT_DESTROY_NEVER_ANSWERS
  fprintf(stderr, "destroying\n");
  return DROVER_OK;
#endif
  pthread_mutex_lock(&self->mutex);
  task* t = find(self, &call->run_id);
  if (!t) return unknown(self, call, error);
  int refused = !t->exited && !args->force;
#ifdef FAULT_DESTROYS_RUNNING
  refused = 0;
#endif
  if (refused) {
    pthread_mutex_unlock(&self->mutex);
    return fail(error, DROVER_E_FAILED_PRECONDITION, "the task runs");
  }
  if (t->timer && self->timer->cancel(self->host, t->timer)) t->timer = 0;
#ifdef USES_RUN_SERVICES
  drop_descriptors(t);
#endif
  end_task(self, t, 137);
  t->used = 0;
  pthread_mutex_unlock(&self->mutex);
  complete_empty(self->host, call->id);
  return DROVER_OK;
}

int32_t inspect(drover_instance* self, const drover_call* call, const drover_inspect_args* args,
                drover_error* error) {
  (void)args;
  ANY();
#ifdef FAULT_ONE_AT_A_TIME
  static _Atomic int callers;
  int others = atomic_fetch_add(&callers, 1);
  usleep(5000);
  atomic_fetch_sub(&callers, 1);
  if (others != 0) return fail(error, DROVER_E_INTERNAL, "somebody else is in here");
#endif
#ifdef FAULT_TOO_LATE
  struct timespec now;
  clock_gettime(CLOCK_BOOTTIME, &now);
  if (call->deadline < now.tv_sec * 1000000000ll + now.tv_nsec) return DROVER_OK;
#endif
  pthread_mutex_lock(&self->mutex);
  task* t = find(self, &call->run_id);
  if (!t) {
    pthread_mutex_unlock(&self->mutex);
    return fail(error, DROVER_E_NOT_FOUND, "no such task");
  }
  drover_exit_result over;
  memset(&over, 0, sizeof over);
  over.struct_size = sizeof over;
  over.exit_code = t->exit_code;
  drover_task_status status;
  memset(&status, 0, sizeof status);
  status.struct_size = sizeof status;
  status.state = t->exited ? DROVER_TASK_EXITED : DROVER_TASK_RUNNING;
  status.started_at = 1;
  status.exit_result = t->exited ? &over : NULL;
#ifdef USES_RUN_SERVICES
  said_attributes said;
  add_said(t, &said, &status);
#endif
  pthread_mutex_unlock(&self->mutex);
  self->host->complete(self->host, call->id, NULL, &status);
  return DROVER_OK;
}

int32_t send_signal(drover_instance* self, const drover_call* call, const drover_signal_args* args,
                    drover_error* error) {
  const drover_str name = args->name;
  ANY();
  pthread_mutex_lock(&self->mutex);
  task* t = find(self, &call->run_id);
#ifdef FAULT_SIGNALS_THE_GONE
  for (int i = 0; i < MAX_TASKS; ++i) {
    if (same(&self->tasks[i].run, &call->run_id)) t = &self->tasks[i];
  }
#endif
  int ended = t && t->exited, recovered = t && t->recovered;
  pthread_mutex_unlock(&self->mutex);
  if (!t) return fail(error, DROVER_E_NOT_FOUND, "no such task");
  (void)ended, (void)recovered;
#ifdef USES_RUN_SERVICES
  if (name.size > 3 && memcmp(name.data, "do ", 3) == 0) return run_request(t, call, name, error);
#endif
#ifdef FAULT_DEAF_WHEN_ENDED
  if (ended) return DROVER_OK;
#endif
#ifdef FAULT_DEAF_WHEN_RECOVERED
  if (recovered) return fail(error, DROVER_E_INTERNAL, "it was another's");
#endif
#ifdef FAULT_EXACT_SIZES
  if (args->struct_size != sizeof *args) {
    return fail(error, DROVER_E_INVALID_ARGUMENT, "the arguments have another size");
  }
#endif
#ifdef FAULT_SHORT_NAMES
  if (name.size > 1000) *(volatile int*)8 = 1;
#endif
  if (name.size < 4 || memcmp(name.data, "SIG", 3) != 0 || !memcmp(name.data, "SIGNO", 5)) {
    return fail(error, DROVER_E_INVALID_ARGUMENT, "no such signal");
  }
  complete_empty(self->host, call->id);
  return DROVER_OK;
}

void call_cancelled(drover_instance* self, uint64_t id) {
#ifdef FAULT_CANCELS_WHAT_IS_THERE
  if (id == 0) *(volatile int*)8 = 1;
#endif
#ifdef FAULT_IGNORES_CANCEL
  (void)self, (void)id;
#else
  int found = 0;
#ifdef USES_PROCESSES
  if (end_session(self, id)) return;
#endif
#ifdef PREPARES
  prepare_cancelled(self, id);
#endif
  pthread_mutex_lock(&self->mutex);
  for (int i = 0; i < MAX_TASKS; ++i) {
    for (int j = 0; j < MAX_WAITS; ++j) {
      if (self->tasks[i].waits[j] != id) continue;
      self->tasks[i].waits[j] = 0;
      found = 1;
    }
  }
  pthread_mutex_unlock(&self->mutex);
  if (!found) return;
  drover_error error;
  memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  error.code = DROVER_E_CANCELLED;
  self->host->complete(self->host, id, &error, NULL);
#ifdef FAULT_BLOCKS
  sleep(4);
#endif
#endif
}
