/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The devices of the test driver: things of the vendor "test" and the model "simple". The id that
 * is reserved says what happens: "t0" is reserved as it should be, "t-bad" with a wrong answer,
 * "t-never" without an answer, and "t-crash" ends the process. "t-changes" makes the unhealthy "t1"
 * healthy, and "t-ends" ends the stream of devices.
 */
#include "test_driver.h"

#ifdef OFFERS_DEVICES

static uint64_t device_stream;
static int32_t health_of_t1 = DROVER_UNHEALTHY;

static void send_devices(drover_instance* self) {
  static const char* const kIds[] = {"t0",      "t1",        "t-bad", "t-never",
                                     "t-crash", "t-changes", "t-ends"};
  drover_device_instance all[sizeof kIds / sizeof kIds[0]];
  drover_device_value memory = {
      sizeof memory, DROVER_VALUE_INTEGER, TEXT("memory"), {0}, 64, 0, TEXT("MiB"), {0}};
  drover_device_group group = {sizeof group,   0,   TEXT("test"), TEXT("thing"),
                               TEXT("simple"), {0}, {0}};
  drover_devices message = {sizeof message, DROVER_MESSAGE_DEVICES, {&group, 1, sizeof group}};
  drover_str broken = TEXT("it is broken");
  size_t i;
  for (i = 0; i < sizeof kIds / sizeof kIds[0]; ++i) {
    memset(&all[i], 0, sizeof all[i]);
    all[i].struct_size = sizeof all[i];
    all[i].health = i == 1 ? health_of_t1 : DROVER_HEALTHY;
    all[i].id.data = kIds[i];
    all[i].id.size = strlen(kIds[i]);
    if (all[i].health != DROVER_HEALTHY) all[i].health_description = broken;
  }
  group.attributes.data = &memory;
  group.attributes.count = 1;
  group.attributes.element_size = sizeof memory;
  group.instances.data = all;
  group.instances.count = sizeof kIds / sizeof kIds[0];
  group.instances.element_size = sizeof all[0];
#ifdef FAULT_WRONG_DEVICES
  group.vendor.size = 0;
#endif
  self->host->stream_send(self->host, device_stream, (const drover_message*)&message);
}

static int32_t devices(drover_instance* self, uint64_t id, drover_error* error) {
  (void)error;
  CONTROL(self);
  pthread_mutex_lock(&self->mutex);
  device_stream = id;
  send_devices(self);
  pthread_mutex_unlock(&self->mutex);
  return DROVER_OK;
}

static int is(drover_str text, const char* what) {
  return text.size == strlen(what) && memcmp(text.data, what, text.size) == 0;
}

static int32_t reserve(drover_instance* self, const drover_call* call,
                       const drover_reserve_args* args, drover_error* error) {
  const drover_str* id = args->ids.data;
  drover_pair variable = {TEXT("THING"), {0}};
  drover_mount mount = {sizeof mount, 1, TEXT("/thing"), TEXT("/usr/share"), {0}};
  drover_device node = {sizeof node, 0, TEXT("/dev/thing"), TEXT("/dev/zero"), TEXT("rw")};
  drover_reserve_result result = {sizeof result,
                                  0,
                                  {&variable, 1, sizeof variable},
                                  {&mount, 1, sizeof mount},
                                  {&node, 1, sizeof node}};
  ANY();
  if (!is(args->vendor, "test") || !is(args->type, "thing") || !is(args->name, "simple")) {
    return fail(error, DROVER_E_NOT_FOUND, "no such things");
  }
  if (is(*id, "t1")) return fail(error, DROVER_E_UNAVAILABLE, "t1 is broken");
  if (is(*id, "t-never")) return DROVER_OK;
  if (is(*id, "t-crash")) abort();
  if (is(*id, "t-bad")) node.host_path.size = 0;
  variable.value = *id;
  self->host->complete(self->host, call->id, NULL, &result);
  pthread_mutex_lock(&self->mutex);
  if (is(*id, "t-changes")) {
    health_of_t1 = DROVER_HEALTHY;
    send_devices(self);
  } else if (is(*id, "t-ends")) {
    drover_error again;
    memset(&again, 0, sizeof again);
    again.struct_size = sizeof again;
    again.code = DROVER_E_UNAVAILABLE;
    again.flags = DROVER_ERROR_RECOVERABLE;
    self->host->stream_end(self->host, device_stream, &again);
  }
  pthread_mutex_unlock(&self->mutex);
  return DROVER_OK;
}

static int32_t device_stats(drover_instance* self, uint64_t id, const drover_stats_args* args,
                            drover_error* error) {
  drover_device_value used = {sizeof used, DROVER_VALUE_INTEGER, TEXT("used"),  {0}, 5,
                              0,           TEXT("MiB"),          TEXT("in use")};
  drover_device_instance_stats one = {sizeof one, 0,     TEXT("t0"),
                                      1000,       &used, {&used, 1, sizeof used}};
  drover_device_group_stats group = {
      sizeof group, 0, TEXT("test"), TEXT("thing"), TEXT("simple"), {&one, 1, sizeof one}};
  drover_device_stats message = {
      sizeof message, DROVER_MESSAGE_DEVICE_STATS, {&group, 1, sizeof group}};
  (void)args, (void)error;
  ANY();
  self->host->stream_send(self->host, id, (const drover_message*)&message);
  return DROVER_OK;
}

const drover_device_plugin the_devices = {sizeof(drover_device_plugin), 0, devices, reserve,
                                          device_stats};

#else
typedef int no_devices; /* a file must have something in it */
#endif
