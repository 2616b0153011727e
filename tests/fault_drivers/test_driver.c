/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The library and its instances, as test_driver.h describes them. */
#define _GNU_SOURCE
#include "test_driver.h"

#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/prctl.h>

#ifndef TEST_DRIVER_NAME
#define TEST_DRIVER_NAME "test"
#endif
#ifndef TEST_ABI_MAJOR
#define TEST_ABI_MAJOR DROVER_ABI_MAJOR
#endif
#ifndef TEST_MIN_MINOR
#define TEST_MIN_MINOR 0
#endif
#ifndef TEST_FS
#define TEST_FS DROVER_FS_NONE
#endif
#ifndef TEST_NEEDS
#define TEST_NEEDS 0
#endif

#ifdef USES_PROCESSES
#define TEST_OFFERS DROVER_CAP_EXEC
#else
#define TEST_OFFERS 0
#endif

#ifndef FAULT_NO_MANIFEST
__attribute__((section(DROVER_MANIFEST_SECTION), used)) const drover_manifest test_manifest = {
    {'D', 'R', 'O', 'V', 'E', 'R', 'M', '0'},
    sizeof(drover_manifest),
    TEST_ABI_MAJOR,
    0,
    TEST_MIN_MINOR,
    TEST_DRIVER_NAME,
    "1.2.3",
    "Apache-2.0",
};
#endif

/* Instances are never freed, since a timer may come late. This list keeps them reachable. */
static drover_instance* _Atomic instances;

int32_t fail(drover_error* error, int32_t code, const char* message) {
  error->code = code;
  error->flags = 0;
  error->message_size = (uint32_t)strlen(message);
  memcpy(error->message, message, error->message_size);
  return code;
}

int same(const drover_run_id* a, const drover_run_id* b) {
  return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

void complete_empty(const drover_host* host, uint64_t id) {
  drover_empty_result result = {sizeof result, 0};
  host->complete(host, id, NULL, &result);
}

#ifdef FAULT_OPEN_SCHEMA
#define OPEN "\"additionalProperties\":true,"
#else
#define OPEN
#endif
#ifdef FAULT_UNTYPED
#define RUN_FOR "{}"
#else
#define RUN_FOR "{\"type\":\"integer\"}"
#endif
static const drover_info the_info = {
    sizeof(drover_info),
    TEST_FS,
    TEXT(TEST_DRIVER_NAME),
    TEXT("1.2.3"),
    DROVER_CAP_SIGNALS | DROVER_CAP_STATS | TEST_OFFERS,
    TEST_NEEDS,
    TEXT("{\"type\":\"object\",\"properties\":{\"color\":{\"type\":\"string\",\"default\":\"red\"}}"
         "}"),
    TEXT("{\"type\":\"object\"," OPEN "\"properties\":{\"run_for_ms\":" RUN_FOR ","
         "\"exit_code\":{\"type\":\"integer\",\"default\":0}}}"),
};
static const drover_info* info(void) { return &the_info; }

#ifdef FAULT_CREATE_LATE
/* Comes after the host has given it up, and although it was cancelled. */
static struct late_create {
  const drover_host* host;
  uint64_t call;
  drover_instance* self;
} late;
static void* create_late(void* context) {
  struct late_create* what = context;
  usleep(200000);
  drover_create_result result = {sizeof result, 0, what->self, NULL};
  what->host->complete(what->host, what->call, NULL, &result);
  return NULL;
}
#endif

static int32_t create(const drover_host* host, const drover_call* call,
                      const drover_create_args* args, drover_error* error) {
  (void)args;
#ifdef FAULT_CREATE_FAILS
  return fail(error, DROVER_E_INVALID_ARGUMENT, "no color today");
#endif
#ifdef FAULT_CREATE_FORGES
  return fail(error, DROVER_E_INVALID_ARGUMENT, "no color\nforged \x1b[31mred");
#endif
  drover_instance* self = calloc(1, sizeof *self);
  if (!self) return fail(error, DROVER_E_RESOURCE_EXHAUSTED, "no memory");
  self->host = host;
  self->next = instances;
  while (!atomic_compare_exchange_weak(&instances, &self->next, self)) {
  }
  drover_str id = TEXT(DROVER_TIMER_ID);
  self->timer = host->get_extension(host, id);
#ifdef USES_PROCESSES
  find_processes(host);
#endif
  pthread_mutexattr_t kind;
  pthread_mutexattr_init(&kind);
  pthread_mutexattr_settype(&kind, PTHREAD_MUTEX_RECURSIVE);
  pthread_mutex_init(&self->mutex, &kind);
#ifdef FAULT_CREATE_NEVER
  fprintf(stderr, "creating\n");
  return DROVER_OK;
#endif
#ifdef FAULT_CREATE_LATE
  late.host = host;
  late.call = call->id;
  late.self = self;
  pthread_t thread;
  if (pthread_create(&thread, NULL, create_late, &late) != 0) abort();
  pthread_detach(thread);
  return DROVER_OK;
#endif
  drover_create_result result = {sizeof result, 0, self, NULL};
  host->complete(host, call->id, NULL, &result);
  return DROVER_OK;
}

__attribute__((unused)) static int32_t configure(drover_instance* self, const drover_call* call,
                                                 const drover_configure_args* args,
                                                 drover_error* error) {
  (void)args, (void)error;
  CONTROL(self);
#ifdef FAULT_NO_FINGERPRINT
  /* The first report of its health. */
  pthread_mutex_lock(&self->mutex);
  for (int i = 0; i < MAX_STREAMS; ++i) {
    if (self->streams[i].used) send_health(self, self->streams[i].id);
  }
  pthread_mutex_unlock(&self->mutex);
#endif
  complete_empty(self->host, call->id);
  return DROVER_OK;
}

static int32_t restore_complete(drover_instance* self, const drover_call* call,
                                const drover_restore_complete_args* args, drover_error* error) {
  (void)args, (void)error;
  CONTROL(self);
  complete_empty(self->host, call->id);
  return DROVER_OK;
}

static int32_t shutdown_instance(drover_instance* self, const drover_call* call,
                                 const drover_shutdown_args* args, drover_error* error) {
  (void)self, (void)call, (void)args, (void)error;
  CONTROL(self);
#ifdef USES_PROCESSES
  no_more();
#endif
#if defined(FAULT_CREATE_LATE) || defined(FAULT_RECOVER_SLOW)
  drover_str id = TEXT(DROVER_DIAG_LOG_ID);
  drover_str line = TEXT("the instance goes");
  const drover_diag_log* log = self->host->get_extension(self->host, id);
  if (log) log->write(self->host, DROVER_LOG_INFO, NULL, line);
#endif
#ifndef FAULT_SHUTDOWN_HANGS
  complete_empty(self->host, call->id);
#endif
  return DROVER_OK;
}

#ifdef FAULT_NO_STATS_FUNCTION
static const drover_task_stats the_stats = {.struct_size = sizeof(drover_task_stats)};
#else
static const drover_task_stats the_stats = {sizeof(drover_task_stats), 0, stats};
#endif

static const void* get_extension(drover_instance* self, drover_str id) {
  (void)self;
#ifdef FAULT_ANY_EXTENSION
  if (id.size > 7 && memcmp(id.data, "drover.", 7) == 0) return &the_stats;
#endif
  if (id.size == sizeof DROVER_TASK_STATS_ID - 1 &&
      memcmp(id.data, DROVER_TASK_STATS_ID, id.size) == 0) {
    return &the_stats;
  }
#ifdef USES_PROCESSES
  if (id.size == sizeof DROVER_TASK_EXEC_ID - 1 &&
      memcmp(id.data, DROVER_TASK_EXEC_ID, id.size) == 0) {
    return &the_exec;
  }
#endif
#ifdef PREPARES
  if (id.size == sizeof DROVER_TASK_PREPARE_ID - 1 &&
      memcmp(id.data, DROVER_TASK_PREPARE_ID, id.size) == 0) {
    return &the_prepare;
  }
#endif
#ifdef OFFERS_DEVICES
  if (id.size == sizeof DROVER_DEVICE_ID - 1 && memcmp(id.data, DROVER_DEVICE_ID, id.size) == 0) {
    return &the_devices;
  }
#endif
  return NULL;
}

static const drover_driver the_driver = {sizeof(drover_driver),
                                         TEST_ABI_MAJOR,
                                         TEST_MIN_MINOR,
                                         0,
                                         info,
                                         create,
                                         get_extension,
#ifdef FAULT_NO_CONFIGURE
                                         NULL,
#else
                                         configure,
#endif
                                         start,
                                         recover,
                                         wait_for,
                                         stop,
                                         send_signal,
                                         destroy,
                                         inspect,
                                         restore_complete,
                                         shutdown_instance,
                                         fingerprint,
                                         events,
                                         stream_cancel,
                                         stream_join,
                                         call_cancelled};

__attribute__((visibility("default"))) const drover_driver* drover_driver_entry_v1(void) {
#ifdef FAULT_ENTRY_NULL
  (void)the_driver;
  return NULL;
#else
  return &the_driver;
#endif
}

#ifdef FAULT_TWO_EXPORTS
__attribute__((visibility("default"))) int another_export(void) { return 1; }
#endif
#ifdef FAULT_CONSTRUCTOR_CRASHES
__attribute__((constructor)) static void crash(void) {
  fprintf(stderr, "the constructor gives up\n");
  abort();
}
#endif
#ifdef FAULT_CONSTRUCTOR_FORKS
/* Leaves a process with a session of its own behind, and a child of that process. */
__attribute__((constructor)) static void leave_processes(void) {
  if (!getenv("DROVER_PROBE_CHILD") || fork() != 0) return;
  setsid();
  prctl(PR_SET_NAME, "left-by-probe");
  (void)!fork();
  for (;;) pause();
}
#endif
#ifdef FAULT_CONSTRUCTOR_THREADS
static void* idle(void* nothing) {
  for (;;) pause();
  return nothing;
}
/* Aborts without its threads, as some runtimes do. */
__attribute__((constructor)) static void start_threads(void) {
  if (!getenv("DROVER_PROBE_CHILD")) return;
  for (int i = 0; i < 20; ++i) {
    pthread_t thread;
    if (pthread_create(&thread, NULL, idle, NULL) != 0) abort();
  }
}
#endif
#ifdef FAULT_CONSTRUCTOR_MAPS
/* Reserves 3 GiB of addresses. */
__attribute__((constructor)) static void reserve(void) {
  if (!getenv("DROVER_PROBE_CHILD")) return;
  if (mmap(NULL, 3ull << 30, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0) ==
      MAP_FAILED)
    abort();
}
#endif
#ifdef FAULT_CONSTRUCTOR_FLOODS
__attribute__((constructor)) static void flood(void) {
  static const char text[4096];
  for (;;) (void)!write(2, text, sizeof text);
}
#endif
#ifdef FAULT_CONSTRUCTOR_WRITES
/* A file of 1 MiB. */
__attribute__((constructor)) static void write_file(void) {
  if (!getenv("DROVER_PROBE_CHILD")) return;
  if (ftruncate(memfd_create("written", 0), 1 << 20) != 0) abort();
}
#endif
#ifdef FAULT_CONSTRUCTOR_HANGS
__attribute__((constructor)) static void hang(void) {
  for (;;) pause();
}
#endif
#ifdef FAULT_HANGS_IN_THE_AGENT
/* Holds the dynamic loader's lock for ever, but only in the agent, not in the probe. */
__attribute__((constructor)) static void hang(void) {
  while (!getenv("DROVER_PROBE_CHILD")) pause();
}
#endif
#ifdef FAULT_SLOW_TO_LOAD
__attribute__((constructor)) static void dawdle(void) { usleep(300000); }
#endif
#ifdef FAULT_CONSTRUCTOR_EXITS
__attribute__((constructor)) static void leave(void) { _exit(0); }
#endif
#ifdef FAULT_CONSTRUCTOR_LOOKS
/* Fails if the probe has left it rights: as root, or with descriptors of the agent. */
__attribute__((constructor)) static void look(void) {
  if (!getenv("DROVER_PROBE_CHILD")) return;
  if (geteuid() == 0 || getenv("HOME") || dup(6) >= 0) abort();
}
#endif
