/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * A driver of ABI 1.0 that uses all of it: a task is the command of its configuration. It is
 * compiled with the header of that version, which lies beside it, and neither is ever changed
 * again: what a later host makes of it is what it makes of files that were built then.
 */
#define _GNU_SOURCE /* pthread_cond_clockwait */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "words.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

/* A call of the host, or a stream, that is not over. */
typedef struct open_item {
  struct open_item* next; /* of the instance's list, under its mutex */
  struct drover_instance* self;
  const struct drover_host* host;
  uint64_t id; /* of the call or stream */
  drover_run_id run;
  int references; /* under the mutex: the last one takes it from the list */
  int over;       /* under the mutex: the host has had its answer */
  int is_exec;
  int busy; /* under the mutex: a sample is being sent */
  int is_stream;
  int64_t interval; /* of a stream of statistics */
  uint32_t flags;
} open_item;

/* Freed with its last item after shutdown: timers and services may call back after that. */
struct drover_instance {
  const drover_host* host;
  const drover_process* process;
  const drover_timer* timer;
  pthread_mutex_t mutex;
  pthread_cond_t quiet; /* a sample is not on its way any more */
  open_item* items;
  int references;
};

static int32_t fail(drover_error* error, int32_t code, const char* text) {
  if (error != NULL && DROVER_HAS(error, drover_error, message)) {
    error->code = code;
    error->flags = 0;
    error->message_size = (uint32_t)strlen(text);
    memcpy(error->message, text, error->message_size);
  }
  return code;
}

static void release_instance(drover_instance* self) {
  int last;
  pthread_mutex_lock(&self->mutex);
  last = --self->references == 0;
  pthread_mutex_unlock(&self->mutex);
  if (!last) return;
  pthread_mutex_destroy(&self->mutex);
  pthread_cond_destroy(&self->quiet);
  free(self);
}

static open_item* open_new(drover_instance* self, uint64_t id, const drover_run_id* run) {
  open_item* item = calloc(1, sizeof *item);
  if (item == NULL) return NULL;
  item->self = self;
  item->host = self->host;
  item->id = id;
  item->run = *run;
  item->references = 1; /* of whoever calls back */
  pthread_mutex_lock(&self->mutex);
  item->next = self->items;
  self->items = item;
  ++self->references;
  pthread_mutex_unlock(&self->mutex);
  return item;
}

static void release_item(open_item* item) {
  drover_instance* self = item->self;
  open_item** at = &self->items;
  pthread_mutex_lock(&self->mutex);
  if (--item->references > 0) {
    pthread_mutex_unlock(&self->mutex);
    return;
  }
  while (*at != item) at = &(*at)->next;
  *at = item->next;
  pthread_mutex_unlock(&self->mutex);
  free(item);
  release_instance(self);
}

/* True for the one who may answer the host. */
static int claim(open_item* item) {
  int mine;
  pthread_mutex_lock(&item->self->mutex);
  mine = !item->over;
  item->over = 1;
  pthread_mutex_unlock(&item->self->mutex);
  return mine;
}

/* The item of a call or stream, with a reference for the caller. */
static open_item* find(drover_instance* self, uint64_t id) {
  open_item* item;
  pthread_mutex_lock(&self->mutex);
  for (item = self->items; item != NULL && item->id != id; item = item->next) {
  }
  if (item != NULL) ++item->references;
  pthread_mutex_unlock(&self->mutex);
  return item;
}

static void answer(open_item* item, const drover_error* error, const void* result) {
  if (claim(item)) item->host->complete(item->host, item->id, error, error ? NULL : result);
  release_item(item);
}

/* -------------------------------------------------------------------- what the services say */

static void pass_on(void* context, const drover_error* error, const void* result) {
  answer(context, error, result);
}

static void started(void* context, const drover_error* error, const void* result) {
  drover_task_handle handle = {sizeof handle, 1, {NULL, 0}, TEXT("-")};
  drover_start_result out = {sizeof out, 0, &handle, NULL};
  (void)result;
  answer(context, error, &out);
}

static void recovered(void* context, const drover_error* error, const void* result) {
  const drover_process_state* state = result;
  drover_recover_result out = {sizeof out, 0, NULL, NULL};
  if (error == NULL) {
    out.state = state->state;
    out.exit_result = state->exit_result;
  }
  answer(context, error, &out);
}

static void inspected(void* context, const drover_error* error, const void* result) {
  const drover_process_state* state = result;
  drover_task_status out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  if (error == NULL) {
    out.state = state->state;
    out.started_at = state->started_at;
    out.exit_result = state->exit_result;
  }
  answer(context, error, &out);
}

/* ------------------------------------------------------------------------------- the verbs */

#define FORWARD(function, args, done)                                                    \
  do {                                                                                   \
    open_item* item_ = open_new(self, call->id, &call->run_id);                          \
    int32_t code_;                                                                       \
    if (item_ == NULL) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory"); \
    code_ = self->process->function(self->host, &item_->run, args, done, item_, error);  \
    if (code_ != DROVER_OK) {                                                            \
      (void)claim(item_);                                                                \
      release_item(item_);                                                               \
    }                                                                                    \
    return code_;                                                                        \
  } while (0)

static const drover_process_none_args kNone = {sizeof(drover_process_none_args), 0};

static int32_t start(drover_instance* self, const drover_call* call, const drover_start_args* args,
                     drover_error* error) {
  const drover_task_config* task = args->config;
  drover_str words[MAX_WORDS];
  drover_process_start_args process;
  open_item* item;
  int32_t code;
  char* config = calloc(1, 2 * task->driver_config.size + 2);
  char* room;
  if (config == NULL) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");
  memcpy(config, task->driver_config.data, task->driver_config.size);
  room = config + task->driver_config.size + 1;
  memset(&process, 0, sizeof process);
  process.struct_size = sizeof process;
  process.argv.data = words;
  process.argv.count = read_words(config, room, words);
  process.argv.element_size = sizeof words[0];
  process.env = task->env;
  process.work_dir = task->task_dir;
  process.user = task->user;
  item = open_new(self, call->id, &call->run_id);
  if (item == NULL || process.argv.count == 0) {
    code = fail(error, DROVER_E_INVALID_ARGUMENT, "no command, too many words, or no memory");
  } else {
    code = self->process->start(self->host, &item->run, &process, started, item, error);
  }
  free(config);
  if (code != DROVER_OK && item != NULL) {
    (void)claim(item);
    release_item(item);
  }
  return code;
}

static int32_t recover(drover_instance* self, const drover_call* call,
                       const drover_recover_args* args, drover_error* error) {
  if (args->handle != NULL && args->handle->format_version != 1) {
    return fail(error, DROVER_E_INVALID_ARGUMENT, "the handle is not of this driver");
  }
  FORWARD(attach, &kNone, recovered);
}

static int32_t wait_for(drover_instance* self, const drover_call* call,
                        const drover_wait_args* args, drover_error* error) {
  (void)args;
  FORWARD(wait, &kNone, pass_on);
}

static int number_of(drover_str name) {
  static const struct {
    const char* name;
    int number;
  } kSignals[] = {{"SIGHUP", SIGHUP},   {"SIGINT", SIGINT},   {"SIGQUIT", SIGQUIT},
                  {"SIGKILL", SIGKILL}, {"SIGUSR1", SIGUSR1}, {"SIGUSR2", SIGUSR2},
                  {"SIGTERM", SIGTERM}, {"SIGCONT", SIGCONT}, {"SIGSTOP", SIGSTOP}};
  size_t i;
  for (i = 0; i < sizeof kSignals / sizeof kSignals[0]; ++i) {
    if (strlen(kSignals[i].name) == name.size &&
        memcmp(kSignals[i].name, name.data, name.size) == 0) {
      return kSignals[i].number;
    }
  }
  return 0;
}

static int32_t stop(drover_instance* self, const drover_call* call, const drover_stop_args* args,
                    drover_error* error) {
  drover_process_stop_args out = {sizeof out, SIGTERM, 0};
  if (args->signal.size != 0) out.number = number_of(args->signal);
  if (out.number == 0) return fail(error, DROVER_E_INVALID_ARGUMENT, "unknown signal");
  out.timeout = args->timeout;
  FORWARD(stop, &out, pass_on);
}

static int32_t send_signal(drover_instance* self, const drover_call* call,
                           const drover_signal_args* args, drover_error* error) {
  drover_process_signal_args out = {sizeof out, 0};
  out.number = number_of(args->name);
  if (out.number == 0) return fail(error, DROVER_E_INVALID_ARGUMENT, "unknown signal");
  FORWARD(signal, &out, pass_on);
}

/* Releases the run unless it goes on and may not be killed. */
static void release_if_ended(void* context, const drover_error* error, const void* result) {
  open_item* item = context;
  const drover_process_state* state = result;
  drover_error own;
  memset(&own, 0, sizeof own);
  own.struct_size = sizeof own;
  if (error != NULL) {
    answer(item, error, NULL);
  } else if (state->state == DROVER_TASK_RUNNING) {
    fail(&own, DROVER_E_FAILED_PRECONDITION, "the task is running");
    answer(item, &own, NULL);
  } else if (item->self->process->release(item->host, &item->run, &kNone, pass_on, item, &own) !=
             DROVER_OK) {
    answer(item, &own, NULL);
  }
}

static int32_t destroy(drover_instance* self, const drover_call* call,
                       const drover_destroy_args* args, drover_error* error) {
  if (args->force) FORWARD(release, &kNone, pass_on);
  FORWARD(attach, &kNone, release_if_ended);
}

static int32_t inspect(drover_instance* self, const drover_call* call,
                       const drover_inspect_args* args, drover_error* error) {
  (void)args;
  FORWARD(attach, &kNone, inspected);
}

static int32_t complete_empty(const drover_host* host, const drover_call* call) {
  drover_empty_result out = {sizeof out, 0};
  host->complete(host, call->id, NULL, &out);
  return DROVER_OK;
}

static int32_t configure(drover_instance* self, const drover_call* call,
                         const drover_configure_args* args, drover_error* error) {
  (void)args, (void)error;
  return complete_empty(self->host, call);
}

static int32_t restore_complete(drover_instance* self, const drover_call* call,
                                const drover_restore_complete_args* args, drover_error* error) {
  (void)args, (void)error;
  return complete_empty(self->host, call);
}

/* ----------------------------------------------------------------------------- statistics */

static void next_sample(void* context);

static void sampled(void* context, const drover_error* error, const void* result) {
  open_item* item = context;
  drover_instance* self = item->self;
  int go_on = 1;
  if (error == NULL) {
    drover_stats stats;
    memset(&stats, 0, sizeof stats);
    memcpy(&stats, result,
           *(const uint32_t*)result < sizeof stats ? *(const uint32_t*)result : sizeof stats);
    stats.struct_size = sizeof stats;
    stats.type = DROVER_MESSAGE_STATS;
    pthread_mutex_lock(&self->mutex);
    go_on = !item->over;
    item->busy = go_on;
    pthread_mutex_unlock(&self->mutex);
    if (go_on) {
      go_on = item->host->stream_send(item->host, item->id, (const drover_message*)&stats) == 0;
      pthread_mutex_lock(&self->mutex);
      item->busy = 0;
      pthread_cond_broadcast(&self->quiet);
      pthread_mutex_unlock(&self->mutex);
    }
  } else {
    go_on = 0;
  }
  if (go_on) {
    self->timer->after(self->host, item->interval, next_sample, item);
    return;
  }
  if (claim(item)) item->host->stream_end(item->host, item->id, error);
  release_item(item);
}

static void next_sample(void* context) {
  open_item* item = context;
  drover_process_usage_args args = {sizeof args, item->flags};
  drover_error error;
  int over;
  pthread_mutex_lock(&item->self->mutex);
  over = item->over;
  pthread_mutex_unlock(&item->self->mutex);
  memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  if (!over && item->self->process->usage(item->host, &item->run, &args, sampled, item, &error) ==
                   DROVER_OK) {
    return;
  }
  if (claim(item)) item->host->stream_end(item->host, item->id, &error);
  release_item(item);
}

static int32_t stats(drover_instance* self, uint64_t stream, const drover_run_id* run,
                     const drover_stats_args* args, drover_error* error) {
  drover_process_usage_args usage = {sizeof usage, args->flags};
  open_item* item = open_new(self, stream, run);
  int32_t code;
  if (item == NULL) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");
  item->is_stream = 1;
  item->interval = args->interval;
  item->flags = args->flags;
  code = self->process->usage(self->host, &item->run, &usage, sampled, item, error);
  if (code != DROVER_OK) {
    (void)claim(item);
    release_item(item);
  }
  return code;
}

/* --------------------------------------------------------------------- commands beside a task */

static int32_t exec(drover_instance* self, const drover_call* call, const drover_exec_args* args,
                    drover_error* error) {
  open_item* item = open_new(self, call->id, &call->run_id);
  int32_t code;
  /* Without memory the descriptors stay open: the process is about to end. */
  if (item == NULL) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");
  item->is_exec = 1;
  code = self->process->exec(self->host, &item->run, args, pass_on, item, error);
  if (code != DROVER_OK) {
    (void)claim(item);
    release_item(item);
  }
  return code;
}

static int32_t resize(drover_instance* self, uint64_t session, int32_t width, int32_t height,
                      drover_error* error) {
  open_item* item = find(self, session);
  int32_t code;
  if (item == NULL) return fail(error, DROVER_E_NOT_FOUND, "the session is over");
  code = self->process->exec_resize(self->host, item, width, height, error);
  release_item(item);
  return code;
}

/* A session ends and then completes; whatever else waits is not asked any more. */
static void call_cancelled(drover_instance* self, uint64_t call) {
  open_item* item = find(self, call);
  drover_error error;
  if (item == NULL) return;
  if (item->is_exec) {
    self->process->exec_end(self->host, item);
  } else if (claim(item)) {
    memset(&error, 0, sizeof error);
    error.struct_size = sizeof error;
    fail(&error, DROVER_E_CANCELLED, "the call was given up");
    item->host->complete(item->host, item->id, &error, NULL);
  }
  release_item(item);
}

/* --------------------------------------------------------------------------------- streams */

/* One message says it all: this driver's health never changes. */
static int32_t fingerprint(drover_instance* self, uint64_t stream, drover_error* error) {
  drover_fingerprint out;
  (void)error;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.type = DROVER_MESSAGE_FINGERPRINT;
  out.health = DROVER_HEALTHY;
  out.description.data = "Healthy";
  out.description.size = 7;
  self->host->stream_send(self->host, stream, (const drover_message*)&out);
  return DROVER_OK;
}

static int32_t events(drover_instance* self, uint64_t stream, drover_error* error) {
  (void)self, (void)stream, (void)error;
  return DROVER_OK; /* there are none; the stream stays open until it is cancelled */
}

static void stream_cancel(drover_instance* self, uint64_t stream) {
  open_item* item = find(self, stream);
  /* Fingerprints and events have no item: nothing is sent on them later. */
  if (item == NULL || claim(item)) self->host->stream_end(self->host, stream, NULL);
  if (item != NULL) release_item(item);
}

static int32_t stream_join(drover_instance* self, uint64_t stream, int64_t deadline,
                           drover_error* error) {
  open_item* item = find(self, stream);
  struct timespec until;
  int late = 0;
  if (item == NULL) return DROVER_OK;
  until.tv_sec = (time_t)(deadline / 1000000000);
  until.tv_nsec = (long)(deadline % 1000000000);
  pthread_mutex_lock(&self->mutex);
  /* The machine that sleeps meanwhile waits a little longer than CLOCK_BOOTTIME says. */
  while ((item->busy || !item->over) && !late) {
    late = pthread_cond_clockwait(&self->quiet, &self->mutex, CLOCK_MONOTONIC, &until) != 0;
  }
  pthread_mutex_unlock(&self->mutex);
  release_item(item);
  return late ? fail(error, DROVER_E_TIMEOUT, "a sample is on its way") : DROVER_OK;
}

/* ---------------------------------------------------------------------- instance and library */

static int32_t shut_down(drover_instance* self, const drover_call* call,
                         const drover_shutdown_args* args, drover_error* error) {
  const drover_host* host = self->host;
  drover_error given_up;
  open_item* item;
  (void)args, (void)error;
  memset(&given_up, 0, sizeof given_up);
  given_up.struct_size = sizeof given_up;
  fail(&given_up, DROVER_E_CANCELLED, "the instance was given up");
  do {
    pthread_mutex_lock(&self->mutex);
    for (item = self->items; item != NULL && item->over; item = item->next) {
    }
    if (item != NULL) ++item->references;
    pthread_mutex_unlock(&self->mutex);
    if (item == NULL) break;
    if (claim(item)) {
      if (item->is_stream) {
        host->stream_end(host, item->id, NULL);
      } else {
        host->complete(host, item->id, &given_up, NULL);
      }
    }
    release_item(item);
  } while (1);
  release_instance(self);
  return complete_empty(host, call);
}

static int is(drover_str id, const char* name) {
  return id.size == strlen(name) && memcmp(id.data, name, id.size) == 0;
}

static const void* get_extension(drover_instance* self, drover_str id) {
  static const drover_task_stats kStats = {sizeof kStats, 0, stats};
  static const drover_task_exec kExec = {sizeof kExec, 0, exec, resize};
  (void)self;
  if (is(id, DROVER_TASK_STATS_ID)) return &kStats;
  if (is(id, DROVER_TASK_EXEC_ID)) return &kExec;
  return NULL;
}

static const drover_info* info(void) {
  static const drover_info kInfo = {
      sizeof(drover_info),
      DROVER_FS_NONE,
      TEXT("released"),
      TEXT("1.1.0"),
      DROVER_CAP_SIGNALS | DROVER_CAP_EXEC | DROVER_CAP_STATS,
      DROVER_NEEDS_PROCESS_SERVICE,
      TEXT("{\"type\":\"object\",\"additionalProperties\":false}"),
      TEXT("{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"command\"],"
           "\"properties\":{\"command\":{\"type\":\"string\"},"
           "\"args\":{\"type\":\"array\",\"items\":{\"type\":\"string\"}}}}")};
  return &kInfo;
}

static int32_t create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) {
  drover_str process_id = TEXT(DROVER_PROCESS_ID);
  drover_str timer_id = TEXT(DROVER_TIMER_ID);
  const drover_process* process = host->get_extension(host, process_id);
  const drover_timer* timer = host->get_extension(host, timer_id);
  drover_create_result out = {sizeof out, 0, NULL, NULL};
  (void)args;
  if (process == NULL || timer == NULL) {
    return fail(error, DROVER_E_UNIMPLEMENTED, "the host has no process service or no timers");
  }
  out.instance = calloc(1, sizeof *out.instance);
  if (out.instance == NULL) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");
  out.instance->host = host;
  out.instance->process = process;
  out.instance->timer = timer;
  out.instance->references = 1;
  pthread_mutex_init(&out.instance->mutex, NULL);
  pthread_cond_init(&out.instance->quiet, NULL);
  host->complete(host, call->id, NULL, &out);
  return DROVER_OK;
}

__attribute__((used, section(DROVER_MANIFEST_SECTION))) static const drover_manifest kManifest = {
    {'D', 'R', 'O', 'V', 'E', 'R', 'M', '0'},
    sizeof(drover_manifest),
    DROVER_ABI_MAJOR,
    0,
    1,
    "released",
    "1.1.0",
    "Apache-2.0"};

__attribute__((visibility("default"))) const drover_driver* drover_driver_entry_v1(void);
const drover_driver* drover_driver_entry_v1(void) {
  static const drover_driver kDriver = {sizeof(drover_driver),
                                        DROVER_ABI_MAJOR,
                                        1,
                                        0,
                                        info,
                                        create,
                                        get_extension,
                                        configure,
                                        start,
                                        recover,
                                        wait_for,
                                        stop,
                                        send_signal,
                                        destroy,
                                        inspect,
                                        restore_complete,
                                        shut_down,
                                        fingerprint,
                                        events,
                                        stream_cancel,
                                        stream_join,
                                        call_cancelled};
  return &kDriver;
}
