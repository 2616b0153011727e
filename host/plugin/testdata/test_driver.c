/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * A small driver without processes, straight from the C header, for the tests of the loader and of
 * the conformance kit. Built many times, each time with one fault: FAULT_... below.
 *
 * A task runs until it is stopped, or for "run_for_ms", and ends with "exit_code".
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "drover/drover.h"

#ifndef TEST_DRIVER_NAME
#define TEST_DRIVER_NAME "test"
#endif
#ifndef TEST_ABI_MAJOR
#define TEST_ABI_MAJOR DROVER_ABI_MAJOR
#endif
#ifndef TEST_ABI_DRAFT
#define TEST_ABI_DRAFT DROVER_ABI_DRAFT
#endif
#ifndef TEST_MIN_MINOR
#define TEST_MIN_MINOR 0
#endif
#ifndef TEST_NEEDS
#define TEST_NEEDS 0
#endif

#ifndef FAULT_NO_MANIFEST
__attribute__((section(DROVER_MANIFEST_SECTION), used)) const drover_manifest test_manifest = {
    {'D', 'R', 'O', 'V', 'E', 'R', 'M', '0'},
    sizeof(drover_manifest),
    TEST_ABI_MAJOR,
    TEST_ABI_DRAFT,
    TEST_MIN_MINOR,
    TEST_DRIVER_NAME,
    "1.2.3",
    "Apache-2.0",
};
#endif

#define TEXT(literal) {(literal), sizeof(literal) - 1}
#define MAX_TASKS 64
#define MAX_WAITS 32
#define MAX_STREAMS 64

typedef struct task {
  int used, exited, exit_code;
  drover_run_id run;
  uint64_t waits[MAX_WAITS], stops[MAX_WAITS], timer;
  drover_instance* owner;
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

/* Instances are never freed, since a timer may come late; here they stay reachable. */
static drover_instance* _Atomic instances;

static int32_t fail(drover_error* error, int32_t code, const char* message) {
  error->code = code;
  error->flags = 0;
  error->message_size = (uint32_t)strlen(message);
  memcpy(error->message, message, error->message_size);
  return code;
}

static int same(const drover_run_id* a, const drover_run_id* b) {
  return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

#ifdef CHECKS_TAGS
/* Ends the process where the host breaks the thread tags of the header: [control] functions one at
 * a time per instance, [task] functions one at a time per run, none on the main thread, which is
 * the tests' control thread. Each stays inside for a moment, so that two would meet. */
static void check(int fine, const char* what) {
  if (fine) return;
  fprintf(stderr, "the host breaks a thread tag: %s\n", what);
  abort();
}
typedef struct inside {
  void* owner; /* of [control]: the instance; of [task]: null */
  drover_run_id run;
  int used;
} inside;
static inside all_inside[64];
static pthread_mutex_t inside_mutex = PTHREAD_MUTEX_INITIALIZER;

static inside* enter(void* owner, const drover_run_id* run, const char* what) {
  inside* free_one = NULL;
  check(syscall(SYS_gettid) != getpid(), "a function is called on the control thread");
  pthread_mutex_lock(&inside_mutex);
  for (int i = 0; i < 64; ++i) {
    inside* other = &all_inside[i];
    if (!other->used) free_one = other;
    check(!other->used || other->owner != owner || (run && !same(&other->run, run)), what);
  }
  check(free_one != NULL, "more than 64 functions at a time");
  free_one->used = 1;
  free_one->owner = owner;
  if (run) free_one->run = *run;
  pthread_mutex_unlock(&inside_mutex);
  usleep(1000);
  return free_one;
}
static void leave_inside(inside** mine) {
  pthread_mutex_lock(&inside_mutex);
  (*mine)->used = 0;
  pthread_mutex_unlock(&inside_mutex);
}
#define INSIDE(owner, run, what) \
  inside* here __attribute__((cleanup(leave_inside), unused)) = enter(owner, run, what)
#define CONTROL(self) INSIDE(self, NULL, "two [control] functions at a time")
#define TASK(run) INSIDE(NULL, run, "two [task] functions of a run at a time")
#define ANY() check(syscall(SYS_gettid) != getpid(), "a function is called on the control thread")
#else
#define CONTROL(self)
#define TASK(run)
#define ANY()
#endif

static task* find(drover_instance* self, const drover_run_id* run) {
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

static void complete_empty(const drover_host* host, uint64_t id) {
  drover_empty_result result = {sizeof result, 0};
  host->complete(host, id, NULL, &result);
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

static void remember(uint64_t* list, uint64_t id) {
  for (int i = 0; i < MAX_WAITS; ++i) {
    if (!list[i]) {
      list[i] = id;
      return;
    }
  }
}

static void task_over(void* context) {
  task* t = context;
  ANY();
  drover_instance* self = t->owner;
  pthread_mutex_lock(&self->mutex);
  t->timer = 0;
  if (t->used) end_task(self, t, t->exit_code);
  pthread_mutex_unlock(&self->mutex);
}

#ifdef FAULT_OPEN_SCHEMA
#define OPEN "\"additionalProperties\":true,"
#else
#define OPEN
#endif
static const drover_info the_info = {
    sizeof(drover_info),
    DROVER_FS_NONE,
    TEXT(TEST_DRIVER_NAME),
    TEXT("1.2.3"),
    DROVER_CAP_SIGNALS | DROVER_CAP_STATS,
    TEST_NEEDS,
    TEXT("{\"type\":\"object\",\"properties\":{\"color\":{\"type\":\"string\",\"default\":\"red\"}}"
         "}"),
    TEXT("{\"type\":\"object\"," OPEN "\"properties\":{\"run_for_ms\":{\"type\":\"integer\"},"
         "\"exit_code\":{\"type\":\"integer\",\"default\":0}}}"),
};
static const drover_info* info(void) { return &the_info; }

static int32_t create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) {
  (void)args;
#ifdef FAULT_CREATE_FAILS
  return fail(error, DROVER_E_INVALID_ARGUMENT, "no color today");
#endif
  drover_instance* self = calloc(1, sizeof *self);
  if (!self) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "no memory");
  self->host = host;
  self->next = instances;
  while (!atomic_compare_exchange_weak(&instances, &self->next, self)) {
  }
  drover_str id = TEXT(DROVER_TIMER_ID);
  self->timer = host->get_extension(host, id);
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&self->mutex, &kind);
  drover_create_result result = {sizeof result, 0, self};
  host->complete(host, call->id, NULL, &result);
  return DROVER_OK;
}

static void send_health(drover_instance* self, uint64_t id);

__attribute__((unused)) static int32_t configure(drover_instance* self, const drover_call* call,
                                                 const drover_configure_args* args,
                                                 drover_error* error) {
  (void)args, (void)error;
  CONTROL(self);
#ifdef FAULT_NO_FINGERPRINT
  /* Only now. */
  pthread_mutex_lock(&self->mutex);
  for (int i = 0; i < MAX_STREAMS; ++i) {
    if (self->streams[i].used) send_health(self, self->streams[i].id);
  }
  pthread_mutex_unlock(&self->mutex);
#endif
  complete_empty(self->host, call->id);
  return DROVER_OK;
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

#ifdef FAULT_LEAVES_THREADS
static void* wait_for_ever(void* nothing) {
  for (;;) pause();
  return nothing;
}
#endif

static int32_t start(drover_instance* self, const drover_call* call, const drover_start_args* args,
                     drover_error* error) {
  const drover_task_config* config = args->config;
  TASK(&config->run_id);
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

static int32_t recover(drover_instance* self, const drover_call* call,
                       const drover_recover_args* args, drover_error* error) {
  drover_recover_result result = {sizeof result, DROVER_TASK_RUNNING, NULL, NULL};
  drover_exit_result over;
  TASK(&args->config->run_id);
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
  }
  if (t->exited) {
    memset(&over, 0, sizeof over);
    over.struct_size = sizeof over;
    over.exit_code = t->exit_code;
    result.state = DROVER_TASK_EXITED;
    result.exit_result = &over;
  }
  pthread_mutex_unlock(&self->mutex);
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

static int32_t wait_for(drover_instance* self, const drover_call* call,
                        const drover_wait_args* args, drover_error* error) {
  (void)args;
  pthread_mutex_lock(&self->mutex);
  task* t = find(self, &call->run_id);
  if (!t) {
    pthread_mutex_unlock(&self->mutex);
    return fail(error, DROVER_E_NOT_FOUND, "no such task");
  }
#ifdef FAULT_WAIT_ONLY_BEFORE
  int now = 0;
#else
  int now = t->exited;
#endif
  if (!now) remember(t->waits, call->id);
  int exit_code = t->exit_code;
  pthread_mutex_unlock(&self->mutex);
  if (now) complete_exit(self->host, call->id, exit_code);
  return DROVER_OK;
}

static int32_t stop(drover_instance* self, const drover_call* call, const drover_stop_args* args,
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

static int32_t destroy(drover_instance* self, const drover_call* call,
                       const drover_destroy_args* args, drover_error* error) {
  TASK(&call->run_id);
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
  end_task(self, t, 137);
  t->used = 0;
  pthread_mutex_unlock(&self->mutex);
  complete_empty(self->host, call->id);
  return DROVER_OK;
}

static int32_t inspect(drover_instance* self, const drover_call* call,
                       const drover_inspect_args* args, drover_error* error) {
  (void)args;
  ANY();
#ifdef FAULT_ONE_AT_A_TIME
  static _Atomic int callers;
  int others = atomic_fetch_add(&callers, 1);
  usleep(5000);
  atomic_fetch_sub(&callers, 1);
  if (others != 0) return fail(error, DROVER_E_INTERNAL, "somebody else is in here");
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
  pthread_mutex_unlock(&self->mutex);
  self->host->complete(self->host, call->id, NULL, &status);
  return DROVER_OK;
}

static int32_t restore_complete(drover_instance* self, const drover_call* call,
                                const drover_restore_complete_args* args, drover_error* error) {
  (void)args, (void)error;
  CONTROL(self);
  complete_empty(self->host, call->id);
  return DROVER_OK;
}

static int32_t shutdown_instance(drover_instance* self, const drover_call* call,
                                 const drover_shutdown_args* args, drover_error* error) {
  (void)self, (void)call, (void)args, (void)error;
  CONTROL(self);
#ifndef FAULT_SHUTDOWN_HANGS
  complete_empty(self->host, call->id);
#endif
  return DROVER_OK;
}

static int32_t send_signal(drover_instance* self, const drover_call* call,
                           const drover_signal_args* args, drover_error* error) {
  const drover_str name = args->name;
  ANY();
  pthread_mutex_lock(&self->mutex);
  task* t = find(self, &call->run_id);
  pthread_mutex_unlock(&self->mutex);
  if (!t) return fail(error, DROVER_E_NOT_FOUND, "no such task");
  if (name.size < 4 || memcmp(name.data, "SIG", 3) != 0 || !memcmp(name.data, "SIGNO", 5)) {
    return fail(error, DROVER_E_INVALID_ARGUMENT, "no such signal");
  }
  complete_empty(self->host, call->id);
  return DROVER_OK;
}

static void send_health(drover_instance* self, uint64_t id) {
  drover_fingerprint message;
  memset(&message, 0, sizeof message);
  message.struct_size = sizeof message;
  message.type = DROVER_MESSAGE_FINGERPRINT;
  message.health = DROVER_HEALTHY;
  drover_str text = TEXT("Healthy\xff");
  message.description = text;
  drover_pair pair = {TEXT("driver.test"), TEXT("true")};
  drover_array array = {&pair, 1, sizeof pair};
  message.attributes = array;
  self->host->stream_send(self->host, id, (const drover_message*)&message);
}

static stream* new_stream(drover_instance* self, uint64_t id) {
  for (int i = 0; i < MAX_STREAMS; ++i) {
    stream* s = &self->streams[i];
    if (s->used || s->timer) continue;
    memset(s, 0, sizeof *s);
    s->used = 1;
    s->id = id;
    s->owner = self;
    return s;
  }
  return NULL;
}

static int32_t fingerprint(drover_instance* self, uint64_t id, drover_error* error) {
  (void)error;
  CONTROL(self);
  pthread_mutex_lock(&self->mutex);
  new_stream(self, id);
#ifndef FAULT_NO_FINGERPRINT
  send_health(self, id);
#endif
#ifdef FAULT_STREAM_ENDS
  drover_error again;
  memset(&again, 0, sizeof again);
  again.struct_size = sizeof again;
  again.code = DROVER_E_UNAVAILABLE;
  again.flags = DROVER_ERROR_RECOVERABLE;
  self->host->stream_end(self->host, id, &again);
#endif
  pthread_mutex_unlock(&self->mutex);
  return DROVER_OK;
}

static int32_t events(drover_instance* self, uint64_t id, drover_error* error) {
  (void)error;
  CONTROL(self);
  pthread_mutex_lock(&self->mutex);
  self->event_stream = id;
  pthread_mutex_unlock(&self->mutex);
  return DROVER_OK;
}

static void send_stats(void* context) {
  stream* s = context;
  ANY();
  drover_instance* self = s->owner;
  pthread_mutex_lock(&self->mutex);
  s->timer = 0;
  if (s->used && find(self, &s->run)) {
    drover_usage total;
    memset(&total, 0, sizeof total);
    total.struct_size = sizeof total;
    total.measured = DROVER_STAT_RSS;
    total.rss = 4096;
    drover_stats message;
    memset(&message, 0, sizeof message);
    message.struct_size = sizeof message;
    message.type = DROVER_MESSAGE_STATS;
    message.timestamp = 1;
    message.total = &total;
    self->host->stream_send(self->host, s->id, (const drover_message*)&message);
    s->timer = self->timer->after(self->host, s->interval, send_stats, s);
  } else if (s->used) {
    s->used = 0;
    self->host->stream_end(self->host, s->id, NULL);
  }
  pthread_mutex_unlock(&self->mutex);
}

static int32_t stats(drover_instance* self, uint64_t id, const drover_run_id* run,
                     const drover_stats_args* args, drover_error* error) {
  pthread_mutex_lock(&self->mutex);
  stream* s = find(self, run) ? new_stream(self, id) : NULL;
  if (s) {
    s->run = *run;
    s->interval = args->interval;
#ifdef FAULT_HURRIES
    s->interval = args->interval / 10;
#endif
  }
  pthread_mutex_unlock(&self->mutex);
  if (!s) return fail(error, DROVER_E_NOT_FOUND, "no such task");
  send_stats(s);
  return DROVER_OK;
}

static void stream_cancel(drover_instance* self, uint64_t id) {
#ifdef FAULT_SENDS_AFTER_JOIN
  (void)self, (void)id;
#else
  pthread_mutex_lock(&self->mutex);
  for (int i = 0; i < MAX_STREAMS; ++i) {
    if (self->streams[i].id == id) self->streams[i].used = 0;
  }
  pthread_mutex_unlock(&self->mutex);
#endif
}

static int32_t stream_join(drover_instance* self, uint64_t id, int64_t deadline,
                           drover_error* error) {
  (void)self, (void)id, (void)deadline, (void)error;
  return DROVER_OK; /* sending happens under the mutex, and cancel took it */
}

static void call_cancelled(drover_instance* self, uint64_t id) {
#ifdef FAULT_IGNORES_CANCEL
  (void)self, (void)id;
#else
  int found = 0;
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

static const drover_task_stats the_stats = {sizeof(drover_task_stats), 0, stats};

static const void* get_extension(drover_instance* self, drover_str id) {
  (void)self;
#ifdef FAULT_ANY_EXTENSION
  if (id.size > 7 && memcmp(id.data, "drover.", 7) == 0) return &the_stats;
#endif
  if (id.size == sizeof DROVER_TASK_STATS_ID - 1 &&
      memcmp(id.data, DROVER_TASK_STATS_ID, id.size) == 0) {
    return &the_stats;
  }
  return NULL;
}

static const drover_driver the_driver = {sizeof(drover_driver),
                                         TEST_ABI_MAJOR,
                                         TEST_MIN_MINOR,
                                         TEST_ABI_DRAFT,
                                         info,
                                         create,
                                         get_extension,
#ifdef FAULT_NO_CONFIGURE
                                         NULL,
#else
                                         configure,
#endif
                                         start,
                                         recover,
                                         wait_for,
                                         stop,
                                         send_signal,
                                         destroy,
                                         inspect,
                                         restore_complete,
                                         shutdown_instance,
                                         fingerprint,
                                         events,
                                         stream_cancel,
                                         stream_join,
                                         call_cancelled};

__attribute__((visibility("default"))) const drover_driver* drover_driver_entry_v0(void) {
#ifdef FAULT_ENTRY_NULL
  (void)the_driver;
  return NULL;
#else
  return &the_driver;
#endif
}

#ifdef FAULT_TWO_EXPORTS
__attribute__((visibility("default"))) int another_export(void) { return 1; }
#endif
#ifdef FAULT_CONSTRUCTOR_CRASHES
__attribute__((constructor)) static void crash(void) {
  fprintf(stderr, "the constructor gives up\n");
  abort();
}
#endif
#ifdef FAULT_CONSTRUCTOR_HANGS
__attribute__((constructor)) static void hang(void) {
  for (;;) pause();
}
#endif
#ifdef FAULT_SLOW_TO_LOAD
__attribute__((constructor)) static void dawdle(void) { usleep(300000); }
#endif
#ifdef FAULT_CONSTRUCTOR_EXITS
__attribute__((constructor)) static void leave(void) { _exit(0); }
#endif
#ifdef FAULT_CONSTRUCTOR_LOOKS
/* Fails when the probe has left it rights: as root, or with descriptors of the agent. */
__attribute__((constructor)) static void look(void) {
  if (!getenv("DROVER_PROBE_CHILD")) return;
  if (geteuid() == 0 || getenv("HOME") || dup(6) >= 0) abort();
}
#endif
