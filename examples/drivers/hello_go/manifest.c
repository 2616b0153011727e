/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * What must be in C: the manifest, in a section of its own, and the entry. Go can write neither.
 * driver.h has the rest of the tables, since functions of Go have other types than the ABI wants.
 */
#include "_cgo_export.h"
#include "driver.h"

static const drover_info* info(void) {
  static const drover_info kInfo = {
      .struct_size = sizeof(drover_info),
      .fs_isolation = DROVER_FS_NONE,
      .name = DROVER_C_TEXT("hello_go"),
      .version = DROVER_C_TEXT("0.1.0"),
      .offers = DROVER_CAP_SIGNALS,
      .needs = DROVER_NEEDS_PROCESS_SERVICE,
      .config_schema = DROVER_C_TEXT("{\"type\":\"object\",\"additionalProperties\":false}"),
      .task_config_schema =
          DROVER_C_TEXT("{\"type\":\"object\",\"additionalProperties\":false,"
                        "\"properties\":{\"text\":{\"type\":\"string\"},"
                        "\"seconds\":{\"type\":\"integer\",\"minimum\":0,\"default\":1}}}")};
  return &kInfo;
}

static int32_t create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) {
  drover_instance* const self = drover_c_new(host, sizeof *self, error);
  (void)args;
  if (self == NULL) return DROVER_E_RESOURCE_EXHAUSTED;
  return drover_c_created(&self->base, call);
}

static int32_t fingerprint(drover_instance* self, uint64_t stream, drover_error* error) {
  const drover_pair attributes[] = {{DROVER_C_TEXT("driver.hello_go"), DROVER_C_TEXT("true")}};
  const int32_t code = drover_c_stream_open(&self->base, stream, error);
  if (code != DROVER_OK) return code;
  drover_c_send_health(&self->base, stream, DROVER_HEALTHY, "Healthy", DROVER_C_ARRAY(attributes));
  return DROVER_OK;
}

/* Enters the call, copies what Go needs, and returns. Go starts the process, on a goroutine. */
static int32_t start(drover_instance* self, const drover_call* call, const drover_start_args* args,
                     drover_error* error) {
  drover_c_call* const open = drover_c_open(&self->base, call, 0, error);
  const drover_task_config* const task = args->config;
  if (open == NULL) return DROVER_E_RESOURCE_EXHAUSTED;
  enter_instance(self);
  goStart(self, open, task->driver_config, task->task_dir, task->user, task->env);
  return DROVER_OK;
}

/* Frees the instance when no goroutine uses it. */
static int32_t shut_down(drover_instance* self, const drover_call* call,
                         const drover_shutdown_args* args, drover_error* error) {
  int idle;
  pthread_mutex_lock(&self->base.mutex);
  self->ending = 1;
  self->shutdown.id = call->id;
  idle = self->goroutines == 0;
  pthread_mutex_unlock(&self->base.mutex);
  return idle ? drover_c_shut_down(self, call, args, error) : (int32_t)DROVER_OK;
}

static const drover_driver kDriver = {
    DROVER_C_FIRST_MEMBERS(0),
    .info = info,
    .create = create,
    .get_extension = drover_c_no_extension,
    .configure = drover_c_configure_nothing,
    .start = start,
    DROVER_C_PROCESS_MEMBERS,
    .restore_complete = drover_c_restore_nothing,
    .shutdown = shut_down,
    .fingerprint = fingerprint,
    .events = drover_c_no_events,
    DROVER_C_LAST_MEMBERS,
};

DROVER_C_DRIVER(kDriver, "hello_go", "0.1.0", "Apache-2.0", 0);
