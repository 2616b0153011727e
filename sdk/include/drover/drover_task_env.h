/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Task environment: the service of the host that replaces the references ${...} in texts of a
 * driver, with the values of a run.
 *
 * This service is a DRAFT. Its id ends in "/draft", and it comes with no promise: a later version
 * of Drover may change it, and then gives it another id. The rules at the top of drover.h hold
 * here, too.
 *
 * The host has already replaced the references in the configuration of a task. This service is for
 * texts of other places: the plugin's own configuration, or a file. It knows the references that a
 * task's configuration may have: variables of the task's environment, node..., attr..., meta...,
 * and the forms with brackets, such as ${env["HOME"]}. References in an inserted value stay.
 *
 * The values are those with which the host has started or recovered the run. They do not change
 * until the run is destroyed. A driver asks for the service with host->get_extension, in create or
 * later. A host without this service returns null.
 */
#ifndef DROVER_DROVER_TASK_ENV_H
#define DROVER_DROVER_TASK_ENV_H

#include "drover/drover.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_TASK_ENV_ID "drover.task-env/1/draft"

#define DROVER_TASK_ENV_TEXTS_MAX 4096    /* texts of a request */
#define DROVER_TASK_ENV_BYTES_MAX 1048576 /* of all texts of a request, and of all its results */

/* An unknown reference, or a "${" without "}", is an error that names it, and "$${" becomes "${".
 * So it is in the configuration of a task. Without this flag, such text stays as it is. */
#define DROVER_TASK_ENV_STRICT (1u << 0)

typedef struct drover_interpolate_args {
  uint32_t struct_size;
  uint32_t flags;     /* DROVER_TASK_ENV_... */
  drover_array texts; /* of drover_str */
} drover_interpolate_args;

typedef struct drover_interpolate_result {
  uint32_t struct_size;
  uint32_t reserved;
  drover_array texts; /* of drover_str, in the order of the request */
} drover_interpolate_result;

typedef struct drover_task_env {
  uint32_t struct_size;
  uint32_t reserved;
  /* Replaces the references in texts, with the values of RUN. DONE gets either all results or an
   * error:
   *   E_NOT_FOUND           RUN is not one of this driver, or was destroyed
   *   E_INVALID_ARGUMENT    strict: an unknown reference; else: the texts are too many or too
   *                         long, or become so
   *   E_UNIMPLEMENTED       this host has no values for the run
   *                                                  -> drover_interpolate_result [any-thread] */
  int32_t (*interpolate)(const drover_host* host, const drover_run_id* run,
                         const drover_interpolate_args* args, drover_done done, void* context,
                         drover_error* error);
} drover_task_env;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_TASK_ENV_H */
