/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * A plugin of devices in C, without any wrapper: it offers /dev/kvm and /dev/net/tun. Any number of
 * tasks can use them at the same time, so it offers several instances of each. It runs no tasks,
 * and needs no services of the host and no state but the two streams that it closes.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "drover/drover_device.h"

#define TEXT(literal) {literal, sizeof(literal) - 1}
#define INSTANCES 4
#define KINDS 2

/* What is offered. */
static const struct {
  drover_str type;
  const char* path;
  drover_str node;
} kKinds[KINDS] = {{TEXT("kvm"), "/dev/kvm", TEXT("/dev/kvm")},
                   {TEXT("tun"), "/dev/net/tun", TEXT("/dev/net/tun")}};
static const drover_str kIds[INSTANCES] = {TEXT("0"), TEXT("1"), TEXT("2"), TEXT("3")};

struct drover_instance {
  const drover_host* host;
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

static int is_device(const char* path) {
  struct stat found;
  return stat(path, &found) == 0 && S_ISCHR(found.st_mode);
}

/* ---------------------------------------------------------------------------------- devices */

/* One message is enough: these devices neither come nor go while the machine runs. */
static int32_t devices(drover_instance* self, uint64_t stream, drover_error* error) {
  drover_device_instance instances[KINDS][INSTANCES];
  drover_device_value path[KINDS];
  drover_device_group groups[KINDS];
  drover_devices message;
  size_t kind, i, count = 0;
  (void)error;
  memset(instances, 0, sizeof instances);
  memset(path, 0, sizeof path);
  memset(groups, 0, sizeof groups);
  memset(&message, 0, sizeof message);
  for (kind = 0; kind < KINDS; ++kind) {
    static const drover_str kVendor = TEXT("linux"), kPath = TEXT("path");
    drover_device_group* group = &groups[count];
    if (!is_device(kKinds[kind].path)) continue;
    for (i = 0; i < INSTANCES; ++i) {
      instances[kind][i].struct_size = sizeof instances[kind][i];
      instances[kind][i].health = DROVER_HEALTHY;
      instances[kind][i].id = kIds[i];
    }
    path[kind].struct_size = sizeof path[kind];
    path[kind].kind = DROVER_VALUE_TEXT;
    path[kind].name = kPath;
    path[kind].text = kKinds[kind].node;
    group->struct_size = sizeof *group;
    group->vendor = kVendor;
    group->type = group->name = kKinds[kind].type;
    group->attributes.data = &path[kind];
    group->attributes.count = 1;
    group->attributes.element_size = sizeof path[kind];
    group->instances.data = instances[kind];
    group->instances.count = INSTANCES;
    group->instances.element_size = sizeof instances[kind][0];
    ++count;
  }
  message.struct_size = sizeof message;
  message.type = DROVER_MESSAGE_DEVICES;
  message.groups.data = groups;
  message.groups.count = count;
  message.groups.element_size = sizeof groups[0];
  self->host->stream_send(self->host, stream, (const drover_message*)&message);
  return DROVER_OK; /* the stream stays open until it is cancelled */
}

/* The task gets the device node under its usual path, whichever instance it has. */
static int32_t reserve(drover_instance* self, const drover_call* call,
                       const drover_reserve_args* args, drover_error* error) {
  drover_device node;
  drover_reserve_result result;
  size_t kind;
  memset(&node, 0, sizeof node);
  memset(&result, 0, sizeof result);
  for (kind = 0; kind < KINDS; ++kind) {
    const drover_str* type = &kKinds[kind].type;
    if (args->type.size != type->size || memcmp(args->type.data, type->data, type->size) != 0) {
      continue;
    }
    if (!is_device(kKinds[kind].path)) return fail(error, DROVER_E_UNAVAILABLE, "it is gone");
    node.struct_size = sizeof node;
    node.task_path = node.host_path = kKinds[kind].node;
    node.permissions.data = "rwm";
    node.permissions.size = 3;
    result.struct_size = sizeof result;
    result.devices.data = &node;
    result.devices.count = 1;
    result.devices.element_size = sizeof node;
    self->host->complete(self->host, call->id, NULL, &result);
    return DROVER_OK;
  }
  return fail(error, DROVER_E_NOT_FOUND, "there are no such devices");
}

static int32_t stats(drover_instance* self, uint64_t stream, const drover_stats_args* args,
                     drover_error* error) {
  (void)self, (void)stream, (void)args;
  return fail(error, DROVER_E_UNIMPLEMENTED, "these devices have no statistics");
}

static const drover_device_plugin kDevices = {sizeof(drover_device_plugin), 0, devices, reserve,
                                              stats};

static const void* get_extension(drover_instance* self, drover_str id) {
  static const drover_str kId = TEXT(DROVER_DEVICE_ID);
  (void)self;
  return id.size == kId.size && memcmp(id.data, kId.data, id.size) == 0 ? &kDevices : NULL;
}

/* ---------------------------------------------------------------------- what every plugin has */

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
  return DROVER_OK;
}

static void stream_cancel(drover_instance* self, uint64_t stream) {
  self->host->stream_end(self->host, stream, NULL);
}

static int32_t stream_join(drover_instance* self, uint64_t stream, int64_t deadline,
                           drover_error* error) {
  (void)self, (void)stream, (void)deadline, (void)error;
  return DROVER_OK; /* nothing is ever sent after the verb has returned */
}

/* No call is open when its verb has returned. */
static void call_cancelled(drover_instance* self, uint64_t call) { (void)self, (void)call; }

/* The verbs of tasks are never called, since the plugin says that it runs none. */
#define NO_TASKS(verb)                                                                          \
  static int32_t verb##_verb(drover_instance* self, const drover_call* call,                    \
                             const drover_##verb##_args* args, drover_error* error) {           \
    (void)self, (void)call, (void)args;                                                         \
    return fail(error, DROVER_E_UNIMPLEMENTED, "this plugin offers devices and runs no tasks"); \
  }
NO_TASKS(start)
NO_TASKS(recover)
NO_TASKS(wait)
NO_TASKS(stop)
NO_TASKS(signal)
NO_TASKS(destroy)
NO_TASKS(inspect)

static void complete_empty(const drover_host* host, const drover_call* call) {
  drover_empty_result out = {sizeof out, 0};
  host->complete(host, call->id, NULL, &out);
}

static int32_t configure(drover_instance* self, const drover_call* call,
                         const drover_configure_args* args, drover_error* error) {
  (void)args, (void)error;
  complete_empty(self->host, call);
  return DROVER_OK;
}

static int32_t restore_complete(drover_instance* self, const drover_call* call,
                                const drover_restore_complete_args* args, drover_error* error) {
  (void)args, (void)error;
  complete_empty(self->host, call);
  return DROVER_OK;
}

static int32_t shut_down(drover_instance* self, const drover_call* call,
                         const drover_shutdown_args* args, drover_error* error) {
  const drover_host* host = self->host;
  (void)args, (void)error;
  free(self);
  complete_empty(host, call);
  return DROVER_OK;
}

static const drover_info* info(void) {
  static const drover_info kInfo = {sizeof(drover_info),
                                    DROVER_FS_NONE,
                                    TEXT("machine_c"),
                                    TEXT("0.1.0"),
                                    DROVER_CAP_ONLY_DEVICES,
                                    0,
                                    TEXT("{\"type\":\"object\",\"additionalProperties\":false}"),
                                    TEXT("{\"type\":\"object\",\"additionalProperties\":false}")};
  return &kInfo;
}

static int32_t create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) {
  drover_create_result out = {sizeof out, 0, NULL, NULL};
  (void)args;
  out.instance = calloc(1, sizeof *out.instance);
  if (out.instance == NULL) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");
  out.instance->host = host;
  host->complete(host, call->id, NULL, &out);
  return DROVER_OK;
}

__attribute__((used, section(DROVER_MANIFEST_SECTION))) static const drover_manifest kManifest = {
    {'D', 'R', 'O', 'V', 'E', 'R', 'M', '0'},
    sizeof(drover_manifest),
    DROVER_ABI_MAJOR,
    0,
    0,
    "machine_c",
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
      start_verb,
      recover_verb,
      wait_verb,
      stop_verb,
      signal_verb,
      destroy_verb,
      inspect_verb,
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
