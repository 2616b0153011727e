/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Preparation: the optional part of a driver that fetches or makes what tasks need before they can
 * start, such as the image of a container.
 *
 * This part is a DRAFT. Its id ends in "/draft", and it comes with no promise: a later version of
 * Drover may change it, and then gives it another id. The rules at the top of drover.h hold here,
 * too.
 *
 * The driver's get_extension returns a drover_task_prepare for DROVER_TASK_PREPARE_ID. It needs no
 * bit in its offers. For each start of a task, after its prestart hooks, the host calls
 *
 *   key      What does this task need? The key is a text that the driver chooses, such as the name
 *            and the digest of an image. An empty key means: nothing. Then start follows at once.
 *   prepare  Fetch it. Tasks with the same key wait for one call together, so the key must hold
 *            everything that decides the result, also credentials if these decide who may have it.
 *            What is there already needs no work: the call then completes at once.
 *   start    As ever. It must cope with a thing that is missing, since things can be removed.
 *
 * Prepare has a deadline of its own (limits { prepare = "30m" } of the plugin), and no kill timer
 * runs meanwhile. If all tasks that wait are stopped, or the agent ends, the host gives the call
 * up. The driver should report progress, and may ask for more time (drover_progress.h). The host
 * shows the reports with each task that waits.
 *
 * If prepare fails, each task that waits fails as if its start had failed, and its restart policy
 * decides. If the agent or the driver's process ends during prepare, the next one calls key and
 * prepare again. So prepare must cope with what an earlier call has left.
 *
 * Collection. What is prepared stays after the tasks have ended, for the next ones. The host
 * removes what no task of the node has used for the time that the operator sets (limits {
 * prepared_age = "1h" }): it calls list, asks for the keys of all tasks that it knows, and calls
 * remove for the rest. The host never removes a key while it prepares it, or while a run exists
 * that needs it. A driver that lists only things that it has made itself is safe: what other
 * programs use is not for the host to remove.
 */
#ifndef DROVER_DROVER_PREPARE_H
#define DROVER_DROVER_PREPARE_H

#include "drover/drover.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_TASK_PREPARE_ID "drover.task-prepare/1/draft"

/* A key is valid UTF-8 without control characters. The host refuses longer ones, and more items. */
#define DROVER_PREPARE_KEY_MAX 1024
#define DROVER_PREPARED_MAX 16384

typedef struct drover_prepare_key_args {
  uint32_t struct_size;
  uint32_t reserved;
  const drover_task_config* config;
} drover_prepare_key_args;

typedef struct drover_prepare_key_result {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str key; /* empty means that the task needs nothing */
} drover_prepare_key_result;

typedef struct drover_prepare_args {
  uint32_t struct_size;
  uint32_t reserved;
  /* The configuration of one of the tasks that wait. Its run has not been started, and may never
   * be. */
  const drover_task_config* config;
  drover_str key; /* what the function key has answered for it */
} drover_prepare_args;

typedef struct drover_prepare_result {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t size; /* in bytes on the disk; 0 means unknown */
} drover_prepare_result;

typedef struct drover_prepared_list_args {
  uint32_t struct_size;
  uint32_t reserved;
} drover_prepared_list_args;

typedef struct drover_prepared_item {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str key;
  uint64_t size;     /* in bytes on the disk; 0 means unknown */
  int64_t last_used; /* in ns since 1970; 0 means unknown */
} drover_prepared_item;

typedef struct drover_prepared_list {
  uint32_t struct_size;
  uint32_t reserved;
  drover_array items; /* of drover_prepared_item */
} drover_prepared_list;

typedef struct drover_prepared_remove_args {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str key;
} drover_prepared_remove_args;

/* The calls of all four have no run id. They are asynchronous verbs. */
typedef struct drover_task_prepare {
  uint32_t struct_size;
  uint32_t reserved;
  /* Returns the key of a task. It must be quick: it asks neither a network nor a slow daemon. It
   * gives the same key for the same configuration, whatever its run id.
   *                                                 -> drover_prepare_key_result [any-thread] */
  int32_t (*key)(drover_instance* self, const drover_call* call,
                 const drover_prepare_key_args* args, drover_error* error);
  /* Fetches or makes the thing. Calls of different keys come at the same time. If the host gives a
   * call up, another one for the same key may come before the first is completed.
   *                                                     -> drover_prepare_result [any-thread] */
  int32_t (*prepare)(drover_instance* self, const drover_call* call,
                     const drover_prepare_args* args, drover_error* error);
  /* Lists what is prepared, also by earlier instances.   -> drover_prepared_list [any-thread] */
  int32_t (*list)(drover_instance* self, const drover_call* call,
                  const drover_prepared_list_args* args, drover_error* error);
  /* Removes one thing. It fails with E_NOT_FOUND if there is none, and with E_FAILED_PRECONDITION
   * if somebody else uses it.                               -> drover_empty_result [any-thread] */
  int32_t (*remove)(drover_instance* self, const drover_call* call,
                    const drover_prepared_remove_args* args, drover_error* error);
} drover_task_prepare;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_PREPARE_H */
