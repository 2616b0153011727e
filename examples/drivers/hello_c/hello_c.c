/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The smallest complete driver in C: each task prints its configuration and sleeps. Its tasks are
 * processes of the host's process service, so drover_c_process.h has all of its verbs but start.
 * The driver keeps no tasks: the host finds the process by the run id that comes with every call.
 *
 *   task "greet" {
 *     driver = "hello_c"
 *     config {
 *       text    = "hi"
 *       seconds = 60
 *     }
 *   }
 */
#include "drover/drover_c_process.h"

/* The instance. This driver needs nothing of its own. */
struct drover_instance {
  drover_c_base base; /* the host, its process service, the open calls and streams */
};

/* ------------------------------------------------------------------------ what it is */

static const drover_info* info(void) {
  static const drover_info kInfo = {
      .struct_size = sizeof(drover_info),
      .fs_isolation = DROVER_FS_NONE,
      .name = DROVER_C_TEXT("hello_c"),
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
  (void)args; /* the plugin has no configuration: see config_schema */
  if (self == NULL) return DROVER_E_RESOURCE_EXHAUSTED;
  return drover_c_created(&self->base, call);
}

/* One message is enough: this driver's health never changes. */
static int32_t fingerprint(drover_instance* self, uint64_t stream, drover_error* error) {
  const drover_pair attributes[] = {{DROVER_C_TEXT("driver.hello_c"), DROVER_C_TEXT("true")}};
  const int32_t code = drover_c_stream_open(&self->base, stream, error);
  if (code != DROVER_OK) return code;
  drover_c_send_health(&self->base, stream, DROVER_HEALTHY, "Healthy", DROVER_C_ARRAY(attributes));
  return DROVER_OK;
}

/* ------------------------------------------------------------------------ its tasks */

/* The number after "seconds": in a configuration that the host has checked. The search finds no
 * text value, in which the quotes would be escaped. A driver with more options uses a JSON
 * library. */
static drover_str seconds(drover_str config) {
  static const char kKey[] = "\"seconds\":";
  const size_t key = sizeof kKey - 1;
  drover_str out = DROVER_C_TEXT("1");
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

static int32_t start(drover_instance* self, const drover_call* call, const drover_start_args* args,
                     drover_error* error) {
  const drover_task_config* const task = args->config;
  const drover_str argv[] = {DROVER_C_TEXT("/bin/sh"),
                             DROVER_C_TEXT("-c"),
                             DROVER_C_TEXT("echo \"$1\"; exec sleep \"$2\""),
                             DROVER_C_TEXT("hello"),
                             task->driver_config,
                             seconds(task->driver_config)};
  drover_process_start_args process = drover_c_process_of(task);
  process.argv = DROVER_C_ARRAY(argv);
  return drover_c_process_start(self, call, &process, error);
}

/* ------------------------------------------------------------------------ the driver */

static const drover_driver kDriver = {
    DROVER_C_FIRST_MEMBERS(0),
    .info = info,
    .create = create,
    .get_extension = drover_c_no_extension,
    .configure = drover_c_configure_nothing,
    .start = start,
    DROVER_C_PROCESS_MEMBERS,
    .restore_complete = drover_c_restore_nothing,
    .shutdown = drover_c_shut_down,
    .fingerprint = fingerprint,
    .events = drover_c_no_events,
    DROVER_C_LAST_MEMBERS,
};

DROVER_C_DRIVER(kDriver, "hello_c", "0.1.0", "Apache-2.0", 0);
