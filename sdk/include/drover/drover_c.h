/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for drivers in C11, as inline functions: texts, errors, completions, the calls that are
 * open, streams, the manifest. drover_c_process.h adds the verbs of a driver whose tasks are
 * processes. Nothing here is a part of the ABI: the helpers are compiled into the driver, and a
 * built driver does not notice when they change.
 *
 * The instance of a driver that uses the calls, the streams or the common verbs begins with a
 * drover_c_base:
 *
 *   struct drover_instance {
 *     drover_c_base base;
 *     int greetings; // whatever the driver needs
 *   };
 *
 * and create makes it with drover_c_new and drover_c_created. The helpers then find it from the
 * drover_instance that each function gets.
 *
 * Threads: each function may be called on any thread, if nothing else is said. None of them blocks
 * for longer than a look-up.
 */
#ifndef DROVER_DROVER_C_H
#define DROVER_DROVER_C_H

#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "drover/drover.h"

/* A file may use some of the functions only. */
#define DROVER_C_API static inline __attribute__((unused))

/* ------------------------------------------------------------------------- texts and arrays */

/* The initializer of a drover_str: drover_str name = DROVER_C_TEXT("hello"); */
#define DROVER_C_TEXT(literal) {literal, sizeof(literal) - 1}

/* Returns TEXT, which ends with NUL, as a drover_str. It is valid as long as TEXT. */
DROVER_C_API drover_str drover_c_text(const char* text) {
  drover_str out;
  out.data = text;
  out.size = strlen(text);
  return out;
}

/* Returns 1 if TEXT is the same as WANTED, which ends with NUL. */
DROVER_C_API int drover_c_equal(drover_str text, const char* wanted) {
  const size_t size = strlen(wanted);
  return text.size == size && (size == 0 || memcmp(text.data, wanted, size) == 0);
}

/* Returns a copy of TEXT that ends with NUL. The caller frees it with free. Returns null if there
 * is no memory. Texts of the host are valid during the call only, so a driver that needs one later
 * copies it. */
DROVER_C_API char* drover_c_copy(drover_str text) {
  char* out = (char*)malloc(text.size + 1);
  if (out == NULL) return NULL;
  if (text.size != 0) memcpy(out, text.data, text.size);
  out[text.size] = '\0';
  return out;
}

/* Returns COUNT elements at DATA as a drover_array. It is valid as long as DATA. */
DROVER_C_API drover_array drover_c_array(const void* data, size_t count, size_t element_size) {
  drover_array out;
  out.data = data;
  out.count = count;
  out.element_size = element_size;
  return out;
}

/* The elements of a C array, not of a pointer: args.argv = DROVER_C_ARRAY(argv); */
#define DROVER_C_ARRAY(elements) \
  drover_c_array((elements), sizeof(elements) / sizeof((elements)[0]), sizeof((elements)[0]))

/* Returns the element INDEX of ARRAY, or null behind its end. The other side's elements may be
 * larger than those of this header, so never index the data of an array yourself. */
DROVER_C_API const void* drover_c_at(drover_array array, size_t index) {
  if (index >= array.count) return NULL;
  return (const char*)array.data + index * array.element_size;
}

/* ---------------------------------------------------------------------------------- errors */

/* Returns the size of TEXT without what an error has no room for. A character is never cut. */
DROVER_C_API size_t drover_c_message_size(const char* text) {
  size_t size = strlen(text);
  if (size <= DROVER_ERROR_MESSAGE_MAX) return size;
  size = DROVER_ERROR_MESSAGE_MAX;
  while (size > 0 && ((unsigned char)text[size] & 0xC0u) == 0x80u) --size;
  return size;
}

/* Fills ERROR, which may be null, and returns CODE: what a verb returns that refuses a call.
 *   return drover_c_refuse(error, DROVER_E_NOT_FOUND, "there is no such run"); */
DROVER_C_API int32_t drover_c_refuse(drover_error* error, int32_t code, const char* text) {
  if (error != NULL && DROVER_HAS(error, drover_error, message)) {
    const size_t size = drover_c_message_size(text);
    error->code = code;
    error->flags = 0;
    error->message_size = (uint32_t)size;
    memcpy(error->message, text, size);
  }
  return code;
}

/* The same with the text of printf. A longer text is truncated. */
__attribute__((format(printf, 3, 4))) DROVER_C_API int32_t drover_c_refusef(drover_error* error,
                                                                            int32_t code,
                                                                            const char* format,
                                                                            ...) {
  char text[DROVER_ERROR_MESSAGE_MAX + 8];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return drover_c_refuse(error, code, text);
}

/* Returns an error, for drover_host.complete and drover_host.stream_end. */
DROVER_C_API drover_error drover_c_error(int32_t code, const char* text) {
  drover_error out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  drover_c_refuse(&out, code, text);
  return out;
}

/* ------------------------------------------------------------------------------ completions */

/* Completes a call with RESULT, the result struct of its verb, which is copied. */
DROVER_C_API void drover_c_complete(const drover_host* host, uint64_t call, const void* result) {
  host->complete(host, call, NULL, result);
}

/* Completes a call whose result is drover_empty_result. */
DROVER_C_API void drover_c_complete_ok(const drover_host* host, uint64_t call) {
  drover_empty_result result;
  memset(&result, 0, sizeof result);
  result.struct_size = sizeof result;
  host->complete(host, call, NULL, &result);
}

/* Completes a call with an error. A verb that has not accepted the call uses drover_c_refuse. */
DROVER_C_API void drover_c_fail(const drover_host* host, uint64_t call, int32_t code,
                                const char* text) {
  const drover_error error = drover_c_error(code, text);
  host->complete(host, call, &error, NULL);
}

/* ----------------------------------------------------------------------------- the instance */

struct drover_c_call;
struct drover_c_stream;

/* The beginning of an instance. Its host and services are valid until the shutdown is completed. */
typedef struct drover_c_base {
  const drover_host* host;
  const drover_process* process; /* null if the host has no process service */
  pthread_mutex_t mutex;         /* guards what follows; the helpers lock it */
  struct drover_c_call* calls;   /* those that are open */
  struct drover_c_stream* streams;
} drover_c_base;

/* Returns the base of an instance. */
DROVER_C_API drover_c_base* drover_c_base_of(drover_instance* self) { return (drover_c_base*)self; }

/* Returns the service or the table with the id ID, or null if the host has none. */
DROVER_C_API const void* drover_c_service(const drover_host* host, const char* id) {
  return host->get_extension(host, drover_c_text(id));
}

/* Returns a new instance of SIZE bytes, which begins with a drover_c_base. The rest of it is zero.
 * drover_c_shut_down frees it. Returns null and fills ERROR if there is no memory. Call it in
 * create. [control] */
DROVER_C_API void* drover_c_new(const drover_host* host, size_t size, drover_error* error) {
  drover_c_base* const base = (drover_c_base*)calloc(1, size);
  if (base == NULL || pthread_mutex_init(&base->mutex, NULL) != 0) {
    free(base);
    drover_c_refuse(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");
    return NULL;
  }
  base->host = host;
  base->process = (const drover_process*)drover_c_service(host, DROVER_PROCESS_ID);
  return base;
}

/* Completes create with the instance that drover_c_new has made. [control] */
DROVER_C_API int32_t drover_c_created(drover_c_base* base, const drover_call* call) {
  drover_create_result out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.instance = (drover_instance*)base;
  drover_c_complete(base->host, call->id, &out);
  return DROVER_OK;
}

/* --------------------------------------------------------------------------- the open calls */

/* A call that the driver has accepted and not completed. Its memory belongs to the helpers. From
 * drover_c_open to drover_c_answer or drover_c_refused, exactly one owner may use it: the thread or
 * the callback that answers it. */
typedef struct drover_c_call {
  drover_c_base* base;
  uint64_t id;
  drover_run_id run;
  void* data; /* the driver's own; the helpers neither read nor free it */
  /* The members below belong to the helpers. */
  int gives_up;
  int cancelled;
  int answered;
  struct drover_c_call *next, *previous;
} drover_c_call;

/* The call only waits. It is completed with E_CANCELLED as soon as the host gives it up, and what
 * it waited for comes to nothing. Without this flag a call that was given up is completed by its
 * owner: it has changed something, and the next verb must find that done. */
#define DROVER_C_GIVES_UP 1u

/* The host has given up the call ID. The host may do so before the verb has entered the call.
 * Put it into drover_driver.call_cancelled. */
DROVER_C_API void drover_c_call_cancelled(drover_instance* self, uint64_t id) {
  drover_c_base* const base = drover_c_base_of(self);
  const drover_host* const host = base->host;
  drover_c_call* call;
  int mine = 0;
  pthread_mutex_lock(&base->mutex);
  for (call = base->calls; call != NULL && call->id != id; call = call->next) {
  }
  if (call != NULL) {
    call->cancelled = 1;
    mine = call->gives_up && !call->answered;
    if (mine) call->answered = 1;
  }
  pthread_mutex_unlock(&base->mutex);
  if (mine) drover_c_fail(host, id, DROVER_E_CANCELLED, "the call was given up");
}

/* Enters a call into the table of open calls. FLAGS is 0 or DROVER_C_GIVES_UP. No cancellation is
 * lost, not even one that came before the verb. Returns null and fills ERROR if there is no
 * memory. */
DROVER_C_API drover_c_call* drover_c_open(drover_c_base* base, const drover_call* call,
                                          uint32_t flags, drover_error* error) {
  drover_c_call* const out = (drover_c_call*)calloc(1, sizeof *out);
  if (out == NULL) {
    drover_c_refuse(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");
    return NULL;
  }
  out->base = base;
  out->id = call->id;
  out->run = call->run_id;
  out->gives_up = (flags & DROVER_C_GIVES_UP) != 0;
  pthread_mutex_lock(&base->mutex);
  out->next = base->calls;
  if (out->next != NULL) out->next->previous = out;
  base->calls = out;
  pthread_mutex_unlock(&base->mutex);
  if (base->host->call_is_cancelled(base->host, call->id)) {
    drover_c_call_cancelled((drover_instance*)base, call->id);
  }
  return out;
}

/* Returns 1 if the host has given CALL up. A driver that works for long looks now and then. */
DROVER_C_API int drover_c_is_cancelled(drover_c_call* call) {
  int cancelled;
  pthread_mutex_lock(&call->base->mutex);
  cancelled = call->cancelled;
  pthread_mutex_unlock(&call->base->mutex);
  return cancelled;
}

/* Removes CALL from the table and frees it. Returns 1 if nobody has answered it. For the helpers.
 */
DROVER_C_API int drover_c_close(drover_c_call* call) {
  drover_c_base* const base = call->base;
  int unanswered;
  pthread_mutex_lock(&base->mutex);
  unanswered = !call->answered;
  if (call->next != NULL) call->next->previous = call->previous;
  *(call->previous != NULL ? &call->previous->next : &base->calls) = call->next;
  pthread_mutex_unlock(&base->mutex);
  free(call);
  return unanswered;
}

/* Completes CALL, unless it was given up and completed before, and frees it. ERROR is null on
 * success. RESULT is then the result struct of the verb. Both are copied. */
DROVER_C_API void drover_c_answer(drover_c_call* call, const drover_error* error,
                                  const void* result) {
  const drover_host* const host = call->base->host;
  const uint64_t id = call->id;
  if (drover_c_close(call)) host->complete(host, id, error, error == NULL ? result : NULL);
}

/* The same for a verb whose result is drover_empty_result. */
DROVER_C_API void drover_c_answer_ok(drover_c_call* call) {
  drover_empty_result result;
  memset(&result, 0, sizeof result);
  result.struct_size = sizeof result;
  drover_c_answer(call, NULL, &result);
}

/* The same for an error. */
DROVER_C_API void drover_c_answer_error(drover_c_call* call, int32_t code, const char* text) {
  const drover_error error = drover_c_error(code, text);
  drover_c_answer(call, &error, NULL);
}

/* Frees CALL, which its verb refuses with CODE after it was entered, and returns what the verb must
 * return: OK if the call was given up and completed meanwhile, else CODE. */
DROVER_C_API int32_t drover_c_refused(drover_c_call* call, int32_t code) {
  return drover_c_close(call) ? code : (int32_t)DROVER_OK;
}

/* --------------------------------------------------------------------------------- streams */

/* A stream that is open. Nothing is sent on a stream after it was cancelled or ended: the helpers
 * hold the lock of the instance while they send. */
typedef struct drover_c_stream {
  uint64_t id;
  struct drover_c_stream* next;
} drover_c_stream;

/* Enters a stream. Call it in the verb that begins the stream. Returns a code, for the verb to
 * return. The stream stays open until the driver ends it or the host cancels it. */
DROVER_C_API int32_t drover_c_stream_open(drover_c_base* base, uint64_t id, drover_error* error) {
  drover_c_stream* const out = (drover_c_stream*)calloc(1, sizeof *out);
  if (out == NULL) return drover_c_refuse(error, DROVER_E_RESOURCE_EXHAUSTED, "out of memory");
  out->id = id;
  pthread_mutex_lock(&base->mutex);
  out->next = base->streams;
  base->streams = out;
  pthread_mutex_unlock(&base->mutex);
  return DROVER_OK;
}

/* Removes the stream ID, and ends it with ERROR, or without one if ERROR is null. Returns 1 if the
 * stream was open. For the helpers: the caller holds the lock. */
DROVER_C_API int drover_c_stream_remove(drover_c_base* base, uint64_t id,
                                        const drover_error* error) {
  drover_c_stream** at = &base->streams;
  drover_c_stream* found;
  while (*at != NULL && (*at)->id != id) at = &(*at)->next;
  found = *at;
  if (found == NULL) return 0;
  *at = found->next;
  free(found);
  base->host->stream_end(base->host, id, error);
  return 1;
}

/* Ends a stream. ERROR is null if it ends without an error. Does nothing if it has ended. */
DROVER_C_API void drover_c_stream_end(drover_c_base* base, uint64_t id, const drover_error* error) {
  pthread_mutex_lock(&base->mutex);
  drover_c_stream_remove(base, id, error);
  pthread_mutex_unlock(&base->mutex);
}

/* Sends one message, which is copied: (const drover_message*)&fingerprint. Returns 0 if the stream
 * is open afterwards, and 1 if there is nothing more to send on it. */
DROVER_C_API int drover_c_send(drover_c_base* base, uint64_t id, const drover_message* message) {
  const drover_c_stream* at;
  int over = 1;
  pthread_mutex_lock(&base->mutex);
  for (at = base->streams; at != NULL && at->id != id; at = at->next) {
  }
  if (at != NULL) {
    over = base->host->stream_send(base->host, id, message) != 0;
    if (over) drover_c_stream_remove(base, id, NULL);
  }
  pthread_mutex_unlock(&base->mutex);
  return over;
}

/* Sends a fingerprint: HEALTH is a value of drover_health, ATTRIBUTES are of drover_pair. */
DROVER_C_API int drover_c_send_health(drover_c_base* base, uint64_t id, int32_t health,
                                      const char* description, drover_array attributes) {
  drover_fingerprint out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.type = DROVER_MESSAGE_FINGERPRINT;
  out.health = health;
  out.description = drover_c_text(description);
  out.attributes = attributes;
  return drover_c_send(base, id, (const drover_message*)&out);
}

/* For drover_driver.stream_cancel: ends the stream at once. */
DROVER_C_API void drover_c_stream_cancel(drover_instance* self, uint64_t id) {
  drover_c_stream_end(drover_c_base_of(self), id, NULL);
}

/* For drover_driver.stream_join: returns when nothing more will be sent. It never waits, since a
 * stream that is still open is ended. */
DROVER_C_API int32_t drover_c_stream_join(drover_instance* self, uint64_t id, int64_t deadline,
                                          drover_error* error) {
  (void)deadline, (void)error;
  drover_c_stream_end(drover_c_base_of(self), id, NULL);
  return DROVER_OK;
}

/* ------------------------------------------------------- verbs that are the same in most drivers
 */

/* For drover_driver.get_extension of a driver without optional parts. */
DROVER_C_API const void* drover_c_no_extension(drover_instance* self, drover_str id) {
  (void)self, (void)id;
  return NULL;
}

/* For drover_driver.configure of a driver whose config_schema has no keys. */
DROVER_C_API int32_t drover_c_configure_nothing(drover_instance* self, const drover_call* call,
                                                const drover_configure_args* args,
                                                drover_error* error) {
  (void)args, (void)error;
  drover_c_complete_ok(drover_c_base_of(self)->host, call->id);
  return DROVER_OK;
}

/* For drover_driver.restore_complete of a driver that keeps nothing but runs of the host. */
DROVER_C_API int32_t drover_c_restore_nothing(drover_instance* self, const drover_call* call,
                                              const drover_restore_complete_args* args,
                                              drover_error* error) {
  (void)args, (void)error;
  drover_c_complete_ok(drover_c_base_of(self)->host, call->id);
  return DROVER_OK;
}

/* For drover_driver.events of a driver that has none: the stream is silent until it is cancelled.
 */
DROVER_C_API int32_t drover_c_no_events(drover_instance* self, uint64_t id, drover_error* error) {
  return drover_c_stream_open(drover_c_base_of(self), id, error);
}

/* For drover_driver.shutdown: completes all open calls, ends all streams, frees the instance. No
 * operation of a service is open then. A driver with threads or timers of its own first ends them,
 * and calls this from its own shutdown, on any thread. */
DROVER_C_API int32_t drover_c_shut_down(drover_instance* self, const drover_call* call,
                                        const drover_shutdown_args* args, drover_error* error) {
  drover_c_base* const base = drover_c_base_of(self);
  const drover_host* const host = base->host;
  const uint64_t id = call->id;
  (void)args, (void)error;
  while (base->calls != NULL) {
    drover_c_answer_error(base->calls, DROVER_E_CANCELLED, "the driver is shut down");
  }
  pthread_mutex_lock(&base->mutex);
  while (base->streams != NULL) drover_c_stream_remove(base, base->streams->id, NULL);
  pthread_mutex_unlock(&base->mutex);
  pthread_mutex_destroy(&base->mutex);
  free(base);
  drover_c_complete_ok(host, id);
  return DROVER_OK;
}

/* ------------------------------------------------------------------------------- the driver */

/* The members of a drover_driver that the helpers above are enough for, in their order:
 *   static const drover_driver kDriver = {
 *       DROVER_C_FIRST_MEMBERS(0), .info = info, ... .events = events, DROVER_C_LAST_MEMBERS};
 * MIN_HOST_MINOR is the lowest minor of a host with which the driver works. */
#define DROVER_C_FIRST_MEMBERS(min_minor) \
  .struct_size = sizeof(drover_driver), .abi_major = DROVER_ABI_MAJOR, .min_host_minor = (min_minor)
#define DROVER_C_LAST_MEMBERS                                                   \
  .stream_cancel = drover_c_stream_cancel, .stream_join = drover_c_stream_join, \
  .call_cancelled = drover_c_call_cancelled

#ifdef __cplusplus
#define DROVER_C_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define DROVER_C_EXPORT __attribute__((visibility("default")))
#endif

/* Makes a driver of the file: exports DRIVER, a drover_driver, and writes the manifest. NAME,
 * VERSION and LICENSE are literals, of at most 63, 31 and 63 bytes. Use it once, at the end of the
 * file: DROVER_C_DRIVER(kDriver, "hello", "0.1.0", "Apache-2.0", 0); */
#define DROVER_C_DRIVER(driver, name, version, license, min_minor)                        \
  DROVER_C_EXPORT const drover_driver* drover_driver_entry_v1(void);                      \
  DROVER_C_EXPORT const drover_driver* drover_driver_entry_v1(void) { return &(driver); } \
  DROVER_C_MANIFEST(name, version, license, min_minor)

/* Only the manifest, for a driver whose entry is in another file or language. */
#define DROVER_C_MANIFEST(name, version, license, min_minor)                                      \
  __attribute__((                                                                                 \
      used, section(DROVER_MANIFEST_SECTION))) static const drover_manifest drover_c_manifest = { \
      {'D', 'R', 'O', 'V', 'E', 'R', 'M', '0'},                                                   \
      sizeof(drover_manifest),                                                                    \
      DROVER_ABI_MAJOR,                                                                           \
      0,                                                                                          \
      (min_minor),                                                                                \
      name,                                                                                       \
      version,                                                                                    \
      license}

#endif /* DROVER_DROVER_C_H */
