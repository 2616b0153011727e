/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin with task hooks at all stages, for tests. The meta "hook_STAGE" of a task says what a
 * stage does:
 *
 *   (none)    answers nothing
 *   env       answers the variable HOOKED
 *   count     keeps how often it has counted for this task, and answers COUNT and an event
 *   mount     mounts the directory of the meta "hook_path" at /hooked
 *   relative  mounts the directory "../etc"
 *   foreign   answers a variable of the host
 *   garbage   answers an array that cannot be read
 *   late_env  answers a variable, though that is for prestart only
 *   fail      fails
 *   hang      never answers
 *   block     never returns
 *   crash     ends the plugin's process
 *   twice     answers twice
 *
 * Each call appends a line to the file in its configuration, if there is one.
 */
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "drover/drover.h"
#include "drover/drover_task_hooks.h"

#define TEXT(literal) {(literal), sizeof(literal) - 1}

struct drover_instance {
  const drover_host* host;
  char log[512];
};

static int32_t fail(drover_error* error, int32_t code, const char* message) {
  error->code = code;
  error->flags = 0;
  error->message_size = (uint32_t)strlen(message);
  memcpy(error->message, message, error->message_size);
  return code;
}

static drover_str find(drover_array pairs, const char* key) {
  const drover_str none = {NULL, 0};
  const char* at = pairs.data;
  size_t i;
  for (i = 0; i < pairs.count; ++i, at += pairs.element_size) {
    const drover_pair* pair = (const drover_pair*)at;
    if (pair->key.size == strlen(key) && memcmp(pair->key.data, key, pair->key.size) == 0)
      return pair->value;
  }
  return none;
}

/* A text of the ABI does not end with a NUL. */
static int number_in(drover_str text) {
  int number = 0;
  for (size_t i = 0; i < text.size && text.data[i] >= '0' && text.data[i] <= '9'; ++i)
    number = number * 10 + (text.data[i] - '0');
  return number;
}

static int is(drover_str text, const char* other) {
  return text.size == strlen(other) && memcmp(text.data, other, text.size) == 0;
}

static const char* stage_name(int32_t stage) {
  static const char* const kNames[] = {"", "prestart", "poststart", "prekill", "exited", "stop"};
  return stage >= 1 && stage <= 5 ? kNames[stage] : "unknown";
}

static void note(drover_instance* self, const drover_hook_args* args, int count) {
  char line[1024];
  int fd, i, size;
  int ran = 0;
  if (self->log[0] == '\0') return;
  for (i = 0; i < 16; ++i) ran |= args->run_id.bytes[i];
  size = snprintf(line, sizeof line, "%s %.*s %.*s count=%d run=%s exit=%d\n",
                  stage_name(args->stage), (int)args->alloc_id.size, args->alloc_id.data,
                  (int)args->task_name.size, args->task_name.data, count, ran ? "yes" : "no",
                  args->exit_result != NULL ? (int)args->exit_result->exit_code : -1);
  fd = open(self->log, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0644);
  if (fd < 0) return;
  (void)!write(fd, line, (size_t)size);
  close(fd);
}

static int32_t hook(drover_instance* self, const drover_call* call, const drover_hook_args* args,
                    drover_error* error) {
  const drover_host* host = self->host;
  const drover_str kept = find(args->data, "count");
  drover_pair variable = {TEXT("HOOKED"), TEXT("yes")};
  drover_pair data = {TEXT("count"), {NULL, 0}};
  drover_mount mount;
  drover_hook_result out;
  drover_str what;
  char key[32], number[16], event[64];
  int count = number_in(kept);
  memset(&out, 0, sizeof out);
  memset(&mount, 0, sizeof mount);
  out.struct_size = sizeof out;
  mount.struct_size = sizeof mount;
  snprintf(key, sizeof key, "hook_%s", stage_name(args->stage));
  what = find(args->meta, key);
  note(self, args, count);
#ifdef FAULT_HOOKS_SILENT
  return DROVER_OK;
#endif
#ifdef FAULT_HOOKS_EXACT_SIZES
  if (args->struct_size != sizeof *args) return DROVER_OK;
#endif
#ifdef FAULT_HOOKS_KNOWN_STAGES
  if (args->stage < DROVER_HOOK_PRESTART || args->stage > DROVER_HOOK_STOP) abort();
#endif
#ifdef FAULT_HOOKS_ODD_ANSWER
  out.env.data = &variable;
  out.env.count = 1;
  out.env.element_size = sizeof variable;
#endif
  if (is(what, "fail")) return fail(error, DROVER_E_PERMISSION_DENIED, "no luck today");
  if (is(what, "hang")) return DROVER_OK;
  if (is(what, "crash")) abort();
  while (is(what, "block")) pause();
  if (is(what, "env") || is(what, "late_env") || is(what, "foreign")) {
    if (is(what, "foreign")) {
      variable.key.data = "NOMAD_ALLOC_ID";
      variable.key.size = 14;
    }
    out.env.data = &variable;
    out.env.count = 1;
    out.env.element_size = sizeof variable;
  } else if (is(what, "count")) {
    snprintf(number, sizeof number, "%d", count + 1);
    snprintf(event, sizeof event, "%s number %d", stage_name(args->stage), count + 1);
    data.value.data = number;
    data.value.size = strlen(number);
    out.keeps_data = 1;
    out.data.data = &data;
    out.data.count = 1;
    out.data.element_size = sizeof data;
    out.event.data = event;
    out.event.size = strlen(event);
    if (args->stage == DROVER_HOOK_PRESTART) {
      variable.key.data = "COUNT";
      variable.key.size = 5;
      variable.value = data.value;
      out.env.data = &variable;
      out.env.count = 1;
      out.env.element_size = sizeof variable;
    }
  } else if (is(what, "mount") || is(what, "relative")) {
    const drover_str relative = TEXT("/tmp/../etc");
    const drover_str place = TEXT("/hooked");
    mount.read_only = 1;
    mount.task_path = place;
    mount.host_path = is(what, "mount") ? find(args->meta, "hook_path") : relative;
    out.mounts.data = &mount;
    out.mounts.count = 1;
    out.mounts.element_size = sizeof mount;
  } else if (is(what, "garbage")) {
    out.env.data = &variable;
    out.env.count = (size_t)1 << 40;
    out.env.element_size = 3;
  }
  host->complete(host, call->id, NULL, &out);
  if (is(what, "twice")) host->complete(host, call->id, NULL, &out);
  return DROVER_OK;
}

static void complete_empty(const drover_host* host, uint64_t id) {
  drover_empty_result result = {sizeof result, 0};
  host->complete(host, id, NULL, &result);
}

/* The text after "log": in a configuration that the host has checked. */
static void read_log(drover_instance* self, drover_str config) {
  static const char kKey[] = "\"log\":\"";
  const size_t key = sizeof kKey - 1;
  size_t i, to;
  self->log[0] = '\0';
  for (i = 0; i + key < config.size; ++i) {
    if (memcmp(config.data + i, kKey, key) != 0) continue;
    for (to = 0; to + 1 < sizeof self->log && config.data[i + key + to] != '"'; ++to) {
      self->log[to] = config.data[i + key + to];
    }
    self->log[to] = '\0';
  }
}

static int32_t create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) {
  drover_create_result result = {sizeof result, 0, NULL, NULL};
  drover_instance* self = calloc(1, sizeof *self);
  if (self == NULL) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "no memory");
  self->host = host;
  read_log(self, args->config);
  result.instance = self;
  host->complete(host, call->id, NULL, &result);
  return DROVER_OK;
}

static int32_t configure(drover_instance* self, const drover_call* call,
                         const drover_configure_args* args, drover_error* error) {
  (void)error;
  read_log(self, args->config);
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
  const drover_host* host = self->host;
  (void)args, (void)error;
  free(self);
  complete_empty(host, call->id);
  return DROVER_OK;
}

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
  return DROVER_OK;
}

static void stream_cancel(drover_instance* self, uint64_t stream) {
  self->host->stream_end(self->host, stream, NULL);
}

static int32_t stream_join(drover_instance* self, uint64_t stream, int64_t deadline,
                           drover_error* error) {
  (void)self, (void)stream, (void)deadline, (void)error;
  return DROVER_OK;
}

static void call_cancelled(drover_instance* self, uint64_t call) { (void)self, (void)call; }

#define NO_TASKS(verb)                                                                   \
  static int32_t verb##_refused(drover_instance* self, const drover_call* call,          \
                                const drover_##verb##_args* args, drover_error* error) { \
    (void)self, (void)call, (void)args;                                                  \
    return fail(error, DROVER_E_UNIMPLEMENTED, "no tasks");                              \
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
#ifdef FAULT_HOOKS_MISSING
  return NULL;
#endif
  return is(id, DROVER_TASK_HOOKS_ID) ? &kHooks : NULL;
}

#ifdef FAULT_HOOKS_UNOFFERED
#define STAGES 0
#else
#define STAGES                                                                      \
  (DROVER_CAP_HOOK_PRESTART | DROVER_CAP_HOOK_POSTSTART | DROVER_CAP_HOOK_PREKILL | \
   DROVER_CAP_HOOK_EXITED | DROVER_CAP_HOOK_STOP)
#endif
static const drover_info* info(void) {
  static const drover_info kInfo = {
      sizeof(drover_info),
      DROVER_FS_NONE,
      TEXT("hooking"),
      TEXT("1.2.3"),
      DROVER_CAP_ONLY_TASK_HOOKS | STAGES,
      0,
      TEXT("{\"type\":\"object\",\"properties\":{\"log\":{\"type\":\"string\"}}}"),
      TEXT("{\"type\":\"object\"}")};
  return &kInfo;
}

__attribute__((section(DROVER_MANIFEST_SECTION), used)) const drover_manifest test_manifest = {
    {'D', 'R', 'O', 'V', 'E', 'R', 'M', '0'},
    sizeof(drover_manifest),
    DROVER_ABI_MAJOR,
    0,
    0,
    "hooking",
    "1.2.3",
    "Apache-2.0",
};

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
