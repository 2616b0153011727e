/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * A task hook that tells of the ends of tasks: it appends one line to a file for each run that has
 * ended.
 *
 *   plugin "exit_notifier" {
 *     config {
 *       file          = "/var/log/drover-exits.log"
 *       failures_only = true
 *     }
 *   }
 *   client { task_hooks = ["exit_notifier"] }
 *
 * It is in C, without any wrapper. It keeps the id of the run whose end it has written last: if the
 * agent has died before it noted that, it asks again, and the line must not be there twice.
 */
#define _GNU_SOURCE /* O_CLOEXEC, gmtime_r */
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "drover/drover.h"
#include "drover/drover_task_hooks.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

/* The configuration of an instance. It lives as long as calls use it. */
typedef struct settings {
  int users;
  int failures_only;
  char file[];
} settings;

struct drover_instance {
  const drover_host* host;
  pthread_mutex_t mutex; /* guards what follows */
  settings* config;
  int open; /* the threads that write a line */
  int ending;
  uint64_t shutdown; /* the call that waits for them */
};

/* One line that a thread of its own writes, since a disk may be slow and no function may block. */
typedef struct line {
  drover_instance* self;
  settings* config;
  uint64_t call;
  char run[33];
  char text[2048];
} line;

static int32_t fail(drover_error* error, int32_t code, const char* text) {
  size_t size = strlen(text);
  if (error != NULL && DROVER_HAS(error, drover_error, message)) {
    if (size > DROVER_ERROR_MESSAGE_MAX) size = DROVER_ERROR_MESSAGE_MAX;
    error->code = code;
    error->flags = 0;
    error->message_size = (uint32_t)size;
    memcpy(error->message, text, size);
  }
  return code;
}

static void complete_empty(const drover_host* host, uint64_t call) {
  drover_empty_result out = {sizeof out, 0};
  host->complete(host, call, NULL, &out);
}

/* ------------------------------------------------------------------------ the configuration */

/* Returns what stands after KEY in a configuration that the host has checked, or null. The search
 * finds no text value, in which the quotes would be escaped. */
static const char* after(drover_str config, const char* key) {
  const size_t size = strlen(key);
  size_t i;
  for (i = 0; i + size < config.size; ++i) {
    if (memcmp(config.data + i, key, size) == 0) return config.data + i + size;
  }
  return NULL;
}

static settings* read_settings(drover_str config, drover_error* error) {
  const char* const end = config.data + config.size;
  const char* at = after(config, "\"file\":\"");
  const char* to = at;
  const char* flag = after(config, "\"failures_only\":");
  settings* out;
  while (to != NULL && to < end && *to != '"' && *to != '\\') ++to;
  if (at == NULL || to == end || *to == '\\' || *at != '/') {
    fail(error, DROVER_E_INVALID_ARGUMENT, "/file: must be an absolute path without a backslash");
    return NULL;
  }
  out = calloc(1, sizeof *out + (size_t)(to - at) + 1);
  if (out == NULL) {
    fail(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");
    return NULL;
  }
  out->users = 1;
  memcpy(out->file, at, (size_t)(to - at));
  out->failures_only = flag != NULL && end - flag >= 4 && memcmp(flag, "true", 4) == 0;
  return out;
}

/* The caller holds the mutex of the instance. */
static void drop(settings* config) {
  if (--config->users == 0) free(config);
}

/* ---------------------------------------------------------------------------------- the hook */

/* Frees the instance when its shutdown is asked for and nothing uses it any more. */
static void leave(drover_instance* self, int was_open) {
  const drover_host* const host = self->host;
  uint64_t call = 0;
  int last;
  pthread_mutex_lock(&self->mutex);
  if (was_open) --self->open;
  last = self->ending && self->open == 0;
  if (last) {
    call = self->shutdown;
    drop(self->config);
  }
  pthread_mutex_unlock(&self->mutex);
  if (!last) return;
  pthread_mutex_destroy(&self->mutex);
  free(self);
  complete_empty(host, call);
}

/* Appends TEXT in one write, so that lines of several threads do not mix. */
static int append(const char* file, const char* text) {
  const size_t size = strlen(text);
  const int fd = open(file, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0640);
  int error = 0;
  ssize_t wrote;
  if (fd < 0) return errno;
  do {
    wrote = write(fd, text, size);
  } while (wrote < 0 && errno == EINTR);
  if (wrote < 0) error = errno;
  if (wrote >= 0 && (size_t)wrote != size) error = ENOSPC;
  close(fd);
  return error;
}

static void* write_line(void* context) {
  line* const of = context;
  drover_instance* const self = of->self;
  const int failed = append(of->config->file, of->text);
  if (failed != 0) {
    drover_error error;
    char text[512];
    memset(&error, 0, sizeof error);
    error.struct_size = sizeof error;
    snprintf(text, sizeof text, "%.300s: %s", of->config->file, strerror(failed));
    fail(&error, DROVER_E_INTERNAL, text);
    self->host->complete(self->host, of->call, &error, NULL);
  } else {
    drover_pair told = {TEXT("told"), {NULL, 0}};
    drover_hook_result out;
    memset(&out, 0, sizeof out);
    out.struct_size = sizeof out;
    told.value.data = of->run;
    told.value.size = strlen(of->run);
    out.keeps_data = 1;
    out.data.data = &told;
    out.data.count = 1;
    out.data.element_size = sizeof told;
    self->host->complete(self->host, of->call, NULL, &out);
  }
  pthread_mutex_lock(&self->mutex);
  drop(of->config);
  pthread_mutex_unlock(&self->mutex);
  free(of);
  leave(self, 1);
  return NULL;
}

static int is(drover_str text, const char* other) {
  return text.size == strlen(other) && memcmp(text.data, other, text.size) == 0;
}

/* Whether the line for this run has been written before. */
static int was_told(const drover_hook_args* args, const char* run) {
  const char* at = args->data.data;
  size_t i;
  for (i = 0; i < args->data.count; ++i, at += args->data.element_size) {
    const drover_pair* pair = (const drover_pair*)at;
    if (is(pair->key, "told") && is(pair->value, run)) return 1;
  }
  return 0;
}

static void fill(line* of, const drover_hook_args* args) {
  const drover_exit_result* exit = args->exit_result;
  const time_t now = time(NULL);
  struct tm utc;
  char when[32];
  char end[128] = "unknown";
  gmtime_r(&now, &utc);
  strftime(when, sizeof when, "%Y-%m-%dT%H:%M:%SZ", &utc);
  if (exit != NULL && exit->error.size == 0) {
    snprintf(end, sizeof end, "exit_code=%d signal=%d%s", (int)exit->exit_code, (int)exit->signal,
             exit->oom_killed ? " oom" : "");
  }
#define SHOWN(text) (int)((text).size < 200 ? (text).size : 200), (text).data
  snprintf(of->text, sizeof of->text, "%s %.*s/%.*s/%.*s/%.*s alloc=%.*s node=%.*s %s\n", when,
           SHOWN(args->job_namespace), SHOWN(args->job_id), SHOWN(args->group_name),
           SHOWN(args->task_name), SHOWN(args->alloc_id), SHOWN(args->node_name), end);
#undef SHOWN
}

/* The names of a job hold no control characters, so a line is one line. */
static int32_t hook(drover_instance* self, const drover_call* call, const drover_hook_args* args,
                    drover_error* error) {
  const drover_exit_result* exit = args->exit_result;
  const int good =
      exit != NULL && exit->exit_code == 0 && exit->signal == 0 && exit->error.size == 0;
  char run[33];
  pthread_t thread;
  line* of;
  int i, skip;
  for (i = 0; i < 16; ++i) snprintf(run + 2 * i, 3, "%02x", args->run_id.bytes[i]);
  pthread_mutex_lock(&self->mutex);
  skip = was_told(args, run) || (good && self->config->failures_only);
  pthread_mutex_unlock(&self->mutex);
  if (skip) {
    self->host->complete(self->host, call->id, NULL, NULL);
    return DROVER_OK;
  }
  of = calloc(1, sizeof *of);
  if (of == NULL) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");
  of->self = self;
  of->call = call->id;
  memcpy(of->run, run, sizeof run);
  fill(of, args);
  pthread_mutex_lock(&self->mutex);
  of->config = self->config;
  ++of->config->users;
  ++self->open;
  pthread_mutex_unlock(&self->mutex);
  if (pthread_create(&thread, NULL, write_line, of) == 0) {
    pthread_detach(thread);
    return DROVER_OK;
  }
  pthread_mutex_lock(&self->mutex);
  drop(of->config);
  pthread_mutex_unlock(&self->mutex);
  free(of);
  leave(self, 1);
  return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "no thread can be made");
}

/* ----------------------------------------------------------------------------- the instance */

static int32_t configure(drover_instance* self, const drover_call* call,
                         const drover_configure_args* args, drover_error* error) {
  settings* const made = read_settings(args->config, error);
  if (made == NULL) return DROVER_E_INVALID_ARGUMENT;
  pthread_mutex_lock(&self->mutex);
  drop(self->config);
  self->config = made;
  pthread_mutex_unlock(&self->mutex);
  complete_empty(self->host, call->id);
  return DROVER_OK;
}

static int32_t restore_complete(drover_instance* self, const drover_call* call,
                                const drover_restore_complete_args* args, drover_error* error) {
  (void)args, (void)error;
  complete_empty(self->host, call->id);
  return DROVER_OK;
}

static int32_t shut_down(drover_instance* self, const drover_call* call,
                         const drover_shutdown_args* args, drover_error* error) {
  (void)args, (void)error;
  pthread_mutex_lock(&self->mutex);
  self->ending = 1;
  self->shutdown = call->id;
  pthread_mutex_unlock(&self->mutex);
  leave(self, 0);
  return DROVER_OK;
}

/* One message is enough: the health of this plugin never changes. */
static int32_t fingerprint(drover_instance* self, uint64_t stream, drover_error* error) {
  drover_fingerprint out;
  (void)error;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.type = DROVER_MESSAGE_FINGERPRINT;
  out.health = DROVER_HEALTHY;
  self->host->stream_send(self->host, stream, (const drover_message*)&out);
  return DROVER_OK;
}

static int32_t events(drover_instance* self, uint64_t stream, drover_error* error) {
  (void)self, (void)stream, (void)error;
  return DROVER_OK; /* there are none; the stream stays open until it is cancelled */
}

static void stream_cancel(drover_instance* self, uint64_t stream) {
  self->host->stream_end(self->host, stream, NULL);
}

static int32_t stream_join(drover_instance* self, uint64_t stream, int64_t deadline,
                           drover_error* error) {
  (void)self, (void)stream, (void)deadline, (void)error;
  return DROVER_OK; /* nothing is ever sent after the verb has returned */
}

/* A thread that writes cannot be stopped. It answers when the disk does. */
static void call_cancelled(drover_instance* self, uint64_t call) { (void)self, (void)call; }

/* This plugin runs no tasks: the host never calls these. */
#define NO_TASKS(verb)                                                                   \
  static int32_t verb##_refused(drover_instance* self, const drover_call* call,          \
                                const drover_##verb##_args* args, drover_error* error) { \
    (void)self, (void)call, (void)args;                                                  \
    return fail(error, DROVER_E_UNIMPLEMENTED, "this plugin runs no tasks");             \
  }
NO_TASKS(start)
NO_TASKS(recover)
NO_TASKS(wait)
NO_TASKS(stop)
NO_TASKS(signal)
NO_TASKS(destroy)
NO_TASKS(inspect)

static const void* get_extension(drover_instance* self, drover_str id) {
  static const drover_task_hooks kHooks = {sizeof(drover_task_hooks), 0, hook};
  (void)self;
  return is(id, DROVER_TASK_HOOKS_ID) ? &kHooks : NULL;
}

static const drover_info* info(void) {
  static const drover_info kInfo = {
      sizeof(drover_info),
      DROVER_FS_NONE,
      TEXT("exit_notifier"),
      TEXT("0.1.0"),
      DROVER_CAP_ONLY_TASK_HOOKS | DROVER_CAP_HOOK_EXITED,
      0,
      TEXT("{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"file\"],"
           "\"properties\":{\"file\":{\"type\":\"string\",\"minLength\":2},"
           "\"failures_only\":{\"type\":\"boolean\",\"default\":false}}}"),
      TEXT("{\"type\":\"object\",\"additionalProperties\":false}")};
  return &kInfo;
}

static int32_t create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) {
  drover_create_result out = {sizeof out, 0, NULL, NULL};
  settings* const config = read_settings(args->config, error);
  if (config == NULL) return DROVER_E_INVALID_ARGUMENT;
  out.instance = calloc(1, sizeof *out.instance);
  if (out.instance == NULL) {
    free(config);
    return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");
  }
  out.instance->host = host;
  out.instance->config = config;
  pthread_mutex_init(&out.instance->mutex, NULL);
  host->complete(host, call->id, NULL, &out);
  return DROVER_OK;
}

__attribute__((used, section(DROVER_MANIFEST_SECTION))) static const drover_manifest kManifest = {
    {'D', 'R', 'O', 'V', 'E', 'R', 'M', '0'},
    sizeof(drover_manifest),
    DROVER_ABI_MAJOR,
    0,
    0,
    "exit_notifier",
    "0.1.0",
    "Apache-2.0"};

__attribute__((visibility("default"))) const drover_driver* drover_driver_entry_v1(void);
const drover_driver* drover_driver_entry_v1(void) {
  static const drover_driver kDriver = {
      sizeof(drover_driver),
      DROVER_ABI_MAJOR,
      0,
      0,
      info,
      create,
      get_extension,
      configure,
      start_refused,
      recover_refused,
      wait_refused,
      stop_refused,
      signal_refused,
      destroy_refused,
      inspect_refused,
      restore_complete,
      shut_down,
      fingerprint,
      events,
      stream_cancel,
      stream_join,
      call_cancelled,
  };
  return &kDriver;
}
