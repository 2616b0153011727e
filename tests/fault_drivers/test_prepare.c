/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * What the tasks of the test driver need before they start. The key is the member "key" of a task's
 * configuration. Its first letter says what prepare does:
 *
 *   f   fails
 *   h   never answers, until the host gives the call up; then it fails
 *   d   never answers, whatever the host does
 *   c   ends the process, the first time: then a directory with the name of the key is there, after
 *       the member "place"
 *   k   ends the process each time
 *   b   the key itself is no text
 *
 * All others are prepared at once. Removed keys are gone.
 */
#include "test_driver.h"

#ifdef PREPARES
#include <sys/stat.h>

#define MAX_KEYS 64
#define KEY_SIZE 64

static pthread_mutex_t keys_mutex = PTHREAD_MUTEX_INITIALIZER;
static char keys[MAX_KEYS][KEY_SIZE];
static uint64_t open_calls[MAX_KEYS];

/* Copies the text of the member NAME, such as "\"key\":\"", to TO. */
static void member(drover_str json, const char* name, char* to, size_t room) {
  size_t size = strlen(name);
  to[0] = 0;
  for (size_t i = 0; i + size < json.size; ++i) {
    if (memcmp(json.data + i, name, size) != 0) continue;
    size_t n = 0;
    for (i += size; i < json.size && n + 1 < room && json.data[i] != '"'; ++i) {
      to[n++] = json.data[i];
    }
    to[n] = 0;
    return;
  }
}

static int32_t key(drover_instance* self, const drover_call* call,
                   const drover_prepare_key_args* args, drover_error* error) {
  char text[KEY_SIZE];
  drover_prepare_key_result result = {sizeof result, 0, {text, 0}};
  (void)error;
  member(args->config->driver_config, "\"key\":\"", text, sizeof text);
#ifdef PREPARES_FOR_THE_KIT
  if (text[0] == 0) strcpy(text, "thing"); /* the kit knows no member "key" */
#endif
  if (text[0] == 'b') text[0] = 1;
#ifdef FAULT_PREPARE_KEY_CHANGES
  static int asked;
  snprintf(text, sizeof text, "thing %d", asked++);
#endif
  result.key.size = strlen(text);
  self->host->complete(self->host, call->id, NULL, &result);
  return DROVER_OK;
}

static int32_t prepare(drover_instance* self, const drover_call* call,
                       const drover_prepare_args* args, drover_error* error) {
  drover_prepare_result result = {sizeof result, 0, 7};
  char text[KEY_SIZE], place[512];
  size_t size = args->key.size < KEY_SIZE - 1 ? args->key.size : KEY_SIZE - 1;
  memcpy(text, args->key.data, size);
  text[size] = 0;
  member(args->config->driver_config, "\"place\":\"", place, sizeof place);
  fprintf(stderr, "prepares %s\n", text);
#ifdef FAULT_PREPARE_SILENT
  return DROVER_OK;
#endif
  if (text[0] == 'f') return fail(error, DROVER_E_PERMISSION_DENIED, "no such thing");
  if (text[0] == 'k') abort();
  if (text[0] == 'c' && mkdir(place, 0700) == 0) abort();
  pthread_mutex_lock(&keys_mutex);
  for (int i = 0; i < MAX_KEYS; ++i) {
    if (text[0] == 'h' || text[0] == 'd') {
      if (open_calls[i]) continue;
      if (text[0] == 'h') open_calls[i] = call->id;
      break;
    }
    if (keys[i][0] && strcmp(keys[i], text) != 0) continue;
    memcpy(keys[i], text, sizeof text);
    break;
  }
  pthread_mutex_unlock(&keys_mutex);
  if (text[0] == 'd') return DROVER_OK;
  if (text[0] != 'h') {
    self->host->complete(self->host, call->id, NULL, &result);
  } else if (self->host->call_is_cancelled(self->host, call->id)) {
    prepare_cancelled(self, call->id);
  }
  return DROVER_OK;
}

void prepare_cancelled(drover_instance* self, uint64_t id) {
  drover_error error;
  int open = 0;
  memset(&error, 0, sizeof error);
  error.struct_size = sizeof error;
  error.code = DROVER_E_CANCELLED;
  pthread_mutex_lock(&keys_mutex);
  for (int i = 0; i < MAX_KEYS; ++i) {
    if (open_calls[i] != id) continue;
    open_calls[i] = 0;
    open = 1;
  }
  pthread_mutex_unlock(&keys_mutex);
  if (open) self->host->complete(self->host, id, &error, NULL);
}

__attribute__((unused)) static int32_t list(drover_instance* self, const drover_call* call,
                                            const drover_prepared_list_args* args,
                                            drover_error* error) {
  drover_prepared_item items[MAX_KEYS];
  drover_prepared_list result = {sizeof result, 0, {items, 0, sizeof items[0]}};
  (void)args, (void)error;
  memset(items, 0, sizeof items);
  pthread_mutex_lock(&keys_mutex);
  for (int i = 0; i < MAX_KEYS; ++i) {
    drover_prepared_item* item = &items[result.items.count];
    if (!keys[i][0]) continue;
#ifdef FAULT_PREPARE_FORGETS
    break;
#endif
    item->struct_size = sizeof *item;
    item->key.data = keys[i];
    item->key.size = strlen(keys[i]);
    item->size = 7;
    ++result.items.count;
  }
  self->host->complete(self->host, call->id, NULL, &result);
  pthread_mutex_unlock(&keys_mutex);
  return DROVER_OK;
}

static int32_t remove_key(drover_instance* self, const drover_call* call,
                          const drover_prepared_remove_args* args, drover_error* error) {
  int found = 0;
  pthread_mutex_lock(&keys_mutex);
  for (int i = 0; i < MAX_KEYS; ++i) {
    if (!keys[i][0] || strlen(keys[i]) != args->key.size ||
        memcmp(keys[i], args->key.data, args->key.size) != 0)
      continue;
#ifndef FAULT_PREPARE_KEEPS
    keys[i][0] = 0;
#endif
    found = 1;
  }
  pthread_mutex_unlock(&keys_mutex);
  if (!found) return fail(error, DROVER_E_NOT_FOUND, "there is no such thing");
  complete_empty(self->host, call->id);
  return DROVER_OK;
}

const drover_task_prepare the_prepare = {.struct_size = sizeof(drover_task_prepare),
                                         .key = key,
                                         .prepare = prepare,
#ifndef FAULT_PREPARE_NO_LIST
                                         .list = list,
#endif
                                         .remove = remove_key};
#else
typedef int nothing_to_prepare; /* a file must have something in it */
#endif
