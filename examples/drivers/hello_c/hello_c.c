/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest whole driver in C: each task prints its configuration and sleeps a second. It keeps
 * nothing in memory: the run id that comes with every call finds the process at the host.
 */
#include <stdlib.h>
#include <string.h>

#include "drover/drover.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

struct drover_instance {
  const drover_host* host;
  const drover_process* process;
};

/* One call of the host that waits for the process service. */
typedef struct pending {
  const drover_host* host;
  uint64_t call;
  drover_instance* self;
  drover_run_id run;
} pending;

static int32_t fail(drover_error* error, int32_t code, const char* text) {
  size_t size = strlen(text);
  if (error != NULL && DROVER_HAS(error, drover_error, message)) {
    error->code = code;
    error->flags = 0;
    error->message_size = (uint32_t)size;
    memcpy(error->message, text, size);
  }
  return code;
}

static pending* new_pending(drover_instance* self, const drover_call* call) {
  pending* out = calloc(1, sizeof *out);
  if (out != NULL) {
    out->host = self->host;
    out->call = call->id;
    out->self = self;
    out->run = call->run_id;
  }
  return out;
}

/* Ends the call with what the service said: the results of wait, stop and release are the verb's.
 */
static void pass_on(void* context, const drover_error* error, const void* result) {
  pending* p = context;
  p->host->complete(p->host, p->call, error, result);
  free(p);
}

static void started(void* context, const drover_error* error, const void* result) {
  pending* p = context;
  drover_task_handle handle = {sizeof handle, 1, {NULL, 0}, TEXT("-")};
  drover_start_result out = {sizeof out, 0, &handle, NULL};
  (void)result;
  p->host->complete(p->host, p->call, error, error == NULL ? &out : NULL);
  free(p);
}

static void recovered(void* context, const drover_error* error, const void* result) {
  pending* p = context;
  const drover_process_state* state = result;
  drover_recover_result out = {sizeof out, 0, NULL, NULL};
  if (error == NULL) {
    out.state = state->state;
    out.exit_result = state->exit_result;
  }
  p->host->complete(p->host, p->call, error, error == NULL ? &out : NULL);
  free(p);
}

static void inspected(void* context, const drover_error* error, const void* result) {
  pending* p = context;
  const drover_process_state* state = result;
  drover_task_status out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  if (error == NULL) {
    out.state = state->state;
    out.started_at = state->started_at;
    out.exit_result = state->exit_result;
  }
  p->host->complete(p->host, p->call, error, error == NULL ? &out : NULL);
  free(p);
}

/* Calls a function of the service for a call of the host; a refusal refuses the call. */
#define FORWARD(function, args, done)                                                  \
  do {                                                                                 \
    pending* p_ = new_pending(self, call);                                             \
    int32_t code_;                                                                     \
    if (p_ == NULL) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");  \
    code_ = self->process->function(self->host, &call->run_id, args, done, p_, error); \
    if (code_ != DROVER_OK) free(p_);                                                  \
    return code_;                                                                      \
  } while (0)

static const drover_process_none_args kNone = {sizeof(drover_process_none_args), 0};

static int32_t start(drover_instance* self, const drover_call* call, const drover_start_args* args,
                     drover_error* error) {
  const drover_task_config* task = args->config;
  drover_str argv[5] = {
      TEXT("/bin/sh"), TEXT("-c"), TEXT("echo \"$1\"; exec sleep 1"), TEXT("hello"), {NULL, 0}};
  drover_process_start_args process;
  argv[4] = task->driver_config;
  memset(&process, 0, sizeof process);
  process.struct_size = sizeof process;
  process.argv.data = argv;
  process.argv.count = 5;
  process.argv.element_size = sizeof argv[0];
  process.env = task->env;
  process.work_dir = task->task_dir;
  process.user = task->user;
  FORWARD(start, &process, started);
}

static int32_t recover(drover_instance* self, const drover_call* call,
                       const drover_recover_args* args, drover_error* error) {
  (void)args;
  FORWARD(attach, &kNone, recovered);
}

static int32_t wait_for(drover_instance* self, const drover_call* call,
                        const drover_wait_args* args, drover_error* error) {
  (void)args;
  FORWARD(wait, &kNone, pass_on);
}

static int32_t stop(drover_instance* self, const drover_call* call, const drover_stop_args* args,
                    drover_error* error) {
  drover_process_stop_args out = {sizeof out, 15, 0};
  out.timeout = args->timeout;
  FORWARD(stop, &out, pass_on);
}

/* Releases the run unless it goes on and may not be killed. */
static void release_if_ended(void* context, const drover_error* error, const void* result) {
  pending* p = context;
  const drover_process_state* state = result;
  drover_error own;
  memset(&own, 0, sizeof own);
  own.struct_size = sizeof own;
  if (error == NULL && state->state == DROVER_TASK_RUNNING) {
    fail(&own, DROVER_E_FAILED_PRECONDITION, "cannot destroy running task");
  } else if (p->self->process->release(p->host, &p->run, &kNone, pass_on, p, &own) == DROVER_OK) {
    return;
  }
  p->host->complete(p->host, p->call, &own, NULL);
  free(p);
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

static void complete_empty(drover_instance* self, const drover_call* call) {
  drover_empty_result out = {sizeof out, 0};
  self->host->complete(self->host, call->id, NULL, &out);
}

static int32_t configure(drover_instance* self, const drover_call* call,
                         const drover_configure_args* args, drover_error* error) {
  (void)args, (void)error;
  complete_empty(self, call);
  return DROVER_OK;
}

static int32_t restore_complete(drover_instance* self, const drover_call* call,
                                const drover_restore_complete_args* args, drover_error* error) {
  (void)args, (void)error;
  complete_empty(self, call);
  return DROVER_OK;
}

static int32_t shut_down(drover_instance* self, const drover_call* call,
                         const drover_shutdown_args* args, drover_error* error) {
  drover_instance copy = *self;
  (void)args, (void)error;
  free(self);
  complete_empty(&copy, call);
  return DROVER_OK;
}

static int32_t send_signal(drover_instance* self, const drover_call* call,
                           const drover_signal_args* args, drover_error* error) {
  (void)self, (void)call, (void)args;
  return fail(error, DROVER_E_UNIMPLEMENTED, "this driver sends no signals");
}

/* One message says it all: this driver's health never changes. */
static int32_t fingerprint(drover_instance* self, uint64_t stream, drover_error* error) {
  drover_pair attribute = {TEXT("driver.hello_c"), TEXT("true")};
  drover_fingerprint out;
  (void)error;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.type = DROVER_MESSAGE_FINGERPRINT;
  out.health = DROVER_HEALTHY;
  out.description.data = "Healthy";
  out.description.size = 7;
  out.attributes.data = &attribute;
  out.attributes.count = 1;
  out.attributes.element_size = sizeof attribute;
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

static void call_cancelled(drover_instance* self, uint64_t call) { (void)self, (void)call; }

static const void* get_extension(drover_instance* self, drover_str id) {
  (void)self, (void)id;
  return NULL;
}

static const drover_info* info(void) {
  static const drover_info kInfo = {sizeof(drover_info),
                                    DROVER_FS_NONE,
                                    TEXT("hello_c"),
                                    TEXT("0.1.0"),
                                    0,
                                    DROVER_NEEDS_PROCESS_SERVICE,
                                    TEXT("{\"type\":\"object\",\"additionalProperties\":false}"),
                                    TEXT("{\"type\":\"object\",\"additionalProperties\":false,"
                                         "\"properties\":{\"text\":{\"type\":\"string\"}}}")};
  return &kInfo;
}

static int32_t create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) {
  drover_str id = TEXT(DROVER_PROCESS_ID);
  drover_create_result out = {sizeof out, 0, NULL, NULL};
  const drover_process* process = host->get_extension(host, id);
  (void)args;
  if (process == NULL) return fail(error, DROVER_E_UNIMPLEMENTED, "no process service");
  out.instance = calloc(1, sizeof *out.instance);
  if (out.instance == NULL) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");
  out.instance->host = host;
  out.instance->process = process;
  host->complete(host, call->id, NULL, &out);
  return DROVER_OK;
}

__attribute__((used, section(DROVER_MANIFEST_SECTION))) static const drover_manifest kManifest = {
    {'D', 'R', 'O', 'V', 'E', 'R', 'M', '0'},
    sizeof(drover_manifest),
    DROVER_ABI_MAJOR,
    0,
    0,
    "hello_c",
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
      call_cancelled,
  };
  return &kDriver;
}
