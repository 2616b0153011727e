/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The task driver "@NAME@": each task writes its configuration and sleeps. It keeps no
 * tasks: the host finds the process by the run id that comes with every call. It must keep its
 * calls: it must answer a call at once that the host gives up, and cannot cancel the operation of
 * the service that the call waits for.
 */
#include <pthread.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "drover/drover.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}

/* A call of the host that waits for the process service. It lives until the service has ended. */
typedef struct pending {
  drover_instance* self;
  uint64_t call;
  drover_run_id run;
  int only_waits; /* changes nothing itself: may be answered before the service has ended */
  int answered;
  struct pending *next, *previous;
} pending;

struct drover_instance {
  const drover_host* host;
  const drover_process* process;
  pthread_mutex_t mutex; /* guards OPEN */
  pending* open;
};

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

static pending* new_pending(drover_instance* self, const drover_call* call, int only_waits) {
  pending* out = calloc(1, sizeof *out);
  if (out == NULL) return NULL;
  out->self = self;
  out->call = call->id;
  out->run = call->run_id;
  out->only_waits = only_waits;
  pthread_mutex_lock(&self->mutex);
  out->next = self->open;
  if (out->next != NULL) out->next->previous = out;
  self->open = out;
  pthread_mutex_unlock(&self->mutex);
  return out;
}

static void forget(pending* p) {
  drover_instance* self = p->self;
  pthread_mutex_lock(&self->mutex);
  if (p->next != NULL) p->next->previous = p->previous;
  *(p->previous != NULL ? &p->previous->next : &self->open) = p->next;
  pthread_mutex_unlock(&self->mutex);
  free(p);
}

/* Called when the service has ended: completes the call with its result, unless the call was given
 * up, and forgets it. */
static void answer(pending* p, const drover_error* error, const void* result) {
  drover_instance* self = p->self;
  int answered;
  pthread_mutex_lock(&self->mutex);
  answered = p->answered;
  p->answered = 1;
  pthread_mutex_unlock(&self->mutex);
  if (!answered) self->host->complete(self->host, p->call, error, error == NULL ? result : NULL);
  forget(p);
}

/* Ends the call with the result of the service: wait, stop and release have the verb's result. */
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

/* The host has given a call up. A start or a release is answered when it has ended, which is soon:
 * the next verb must find it ended. This may come before the call is added: see FORWARD_AS. */
static void call_cancelled(drover_instance* self, uint64_t call) {
  drover_error error;
  pending* p;
  int mine = 0;
  pthread_mutex_lock(&self->mutex);
  for (p = self->open; p != NULL && !mine; p = p->next) {
    if (p->call != call || !p->only_waits || p->answered) continue;
    p->answered = mine = 1;
  }
  pthread_mutex_unlock(&self->mutex);
  if (!mine) return;
  memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  fail(&error, DROVER_E_CANCELLED, "the call was given up");
  self->host->complete(self->host, call, &error, NULL);
}

/* Calls a function of the service for a call of the host. If the service refuses, this refuses the
 * call, too, unless the call was given up and answered meanwhile. */
#define FORWARD_AS(only_waits, function, args, done)                                         \
  do {                                                                                       \
    pending* p_ = new_pending(self, call, only_waits);                                       \
    int32_t code_;                                                                           \
    int answered_;                                                                           \
    if (p_ == NULL) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");        \
    if (self->host->call_is_cancelled(self->host, call->id)) call_cancelled(self, call->id); \
    code_ = self->process->function(self->host, &call->run_id, args, done, p_, error);       \
    if (code_ == DROVER_OK) return DROVER_OK;                                                \
    pthread_mutex_lock(&self->mutex);                                                        \
    answered_ = p_->answered;                                                                \
    p_->answered = 1;                                                                        \
    pthread_mutex_unlock(&self->mutex);                                                      \
    forget(p_);                                                                              \
    return answered_ ? DROVER_OK : code_;                                                    \
  } while (0)
#define FORWARD(function, args, done) FORWARD_AS(0, function, args, done)

/* The number after "seconds": in a configuration that the host has checked. The search finds no
 * text value, in which the quotes would be escaped. */
static drover_str seconds(drover_str config) {
  static const char kKey[] = "\"seconds\":";
  const size_t key = sizeof kKey - 1;
  drover_str out = TEXT("1");
  size_t i, size;
  for (i = 0; i + key < config.size; ++i) {
    if (memcmp(config.data + i, kKey, key) != 0) continue;
    for (size = 0; i + key + size < config.size; ++size) {
      const char c = config.data[i + key + size];
      if (c < '0' || c > '9') break;
    }
    out.data = config.data + i + key;
    out.size = size;
  }
  return out;
}

static const drover_process_none_args kNone = {sizeof(drover_process_none_args), 0};

static int32_t start(drover_instance* self, const drover_call* call, const drover_start_args* args,
                     drover_error* error) {
  const drover_task_config* task = args->config;
  drover_str argv[6] = {TEXT("/bin/sh"), TEXT("-c"), TEXT("echo \"$1\"; exec sleep \"$2\""),
                        TEXT("@NAME@"),  {NULL, 0},  {NULL, 0}};
  drover_process_start_args process;
  argv[4] = task->driver_config;
  argv[5] = seconds(task->driver_config);
  memset(&process, 0, sizeof process);
  process.struct_size = sizeof process;
  process.argv.data = argv;
  process.argv.count = 6;
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
  FORWARD_AS(1, wait, &kNone, pass_on);
}

/* A real driver knows all signals. */
static int32_t signal_number(drover_str name) {
  static const struct {
    drover_str name;
    int32_t number;
  } kSignals[] = {{TEXT("SIGHUP"), SIGHUP},   {TEXT("SIGINT"), SIGINT},
                  {TEXT("SIGQUIT"), SIGQUIT}, {TEXT("SIGKILL"), SIGKILL},
                  {TEXT("SIGUSR1"), SIGUSR1}, {TEXT("SIGUSR2"), SIGUSR2},
                  {TEXT("SIGALRM"), SIGALRM}, {TEXT("SIGTERM"), SIGTERM},
                  {TEXT("SIGCONT"), SIGCONT}, {TEXT("SIGWINCH"), SIGWINCH}};
  size_t i;
  for (i = 0; i < sizeof kSignals / sizeof kSignals[0]; ++i) {
    if (name.size != kSignals[i].name.size) continue;
    if (memcmp(name.data, kSignals[i].name.data, name.size) == 0) return kSignals[i].number;
  }
  return 0;
}

static const drover_str kTerm = TEXT("SIGTERM");

static int32_t stop(drover_instance* self, const drover_call* call, const drover_stop_args* args,
                    drover_error* error) {
  drover_process_stop_args out = {sizeof out, 0, 0};
  out.number = signal_number(args->signal.size != 0 ? args->signal : kTerm);
  if (out.number == 0) return fail(error, DROVER_E_INVALID_ARGUMENT, "unknown signal");
  out.timeout = args->timeout;
  FORWARD_AS(1, stop, &out, pass_on);
}

/* Releases the run, unless its process still runs. */
static void release_if_ended(void* context, const drover_error* error, const void* result) {
  pending* p = context;
  drover_instance* self = p->self;
  const drover_process_state* state = result;
  drover_error own;
  memset(&own, 0, sizeof own);
  own.struct_size = sizeof own;
  if (error == NULL && state->state == DROVER_TASK_RUNNING) {
    fail(&own, DROVER_E_FAILED_PRECONDITION, "cannot destroy running task");
  } else if (self->process->release(self->host, &p->run, &kNone, pass_on, p, &own) == DROVER_OK) {
    return;
  }
  answer(p, &own, NULL);
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

/* No call is open: the host has ended each operation of its services before, so each call that
 * waited for one is answered. The host's pointer is valid until the completion. */
static int32_t shut_down(drover_instance* self, const drover_call* call,
                         const drover_shutdown_args* args, drover_error* error) {
  const drover_host* host = self->host;
  drover_empty_result out = {sizeof out, 0};
  (void)args, (void)error;
  pthread_mutex_destroy(&self->mutex);
  free(self);
  host->complete(host, call->id, NULL, &out);
  return DROVER_OK;
}

static int32_t send_signal(drover_instance* self, const drover_call* call,
                           const drover_signal_args* args, drover_error* error) {
  drover_process_signal_args out = {sizeof out, 0};
  out.number = signal_number(args->name);
  if (out.number == 0) return fail(error, DROVER_E_INVALID_ARGUMENT, "unknown signal");
  FORWARD(signal, &out, pass_on);
}

/* One message is enough: this driver's health never changes. */
static int32_t fingerprint(drover_instance* self, uint64_t stream, drover_error* error) {
  drover_pair attribute = {TEXT("driver.@NAME@"), TEXT("true")};
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

static const void* get_extension(drover_instance* self, drover_str id) {
  (void)self, (void)id;
  return NULL;
}

static const drover_info* info(void) {
  static const drover_info kInfo = {sizeof(drover_info),
                                    DROVER_FS_NONE,
                                    TEXT("@NAME@"),
                                    TEXT("0.1.0"),
                                    DROVER_CAP_SIGNALS,
                                    DROVER_NEEDS_PROCESS_SERVICE,
                                    TEXT("{\"type\":\"object\",\"additionalProperties\":false}"),
                                    TEXT("{\"type\":\"object\",\"additionalProperties\":false,"
                                         "\"properties\":{\"text\":{\"type\":\"string\"},"
                                         "\"seconds\":{\"type\":\"integer\",\"minimum\":0,"
                                         "\"default\":1}}}")};
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
    "@NAME@",
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
