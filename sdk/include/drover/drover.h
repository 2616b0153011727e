/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The C ABI between the Drover host and its task drivers.
 *
 * Released as v1: from here on it only grows. A driver built with this header loads in every host of
 * ABI major 1 and at least the minor that the driver says it needs; docs/abi.md has the rules.
 *
 * A driver is a shared library that exports one symbol, drover_driver_entry_v1, which returns a
 * constant descriptor. Everything else goes through function tables: the driver's, which the host
 * calls, and the host's, which the driver gets in create(). Nothing is linked by name.
 *
 * Rules that hold for every line below
 *   - Sizes. Each struct begins with struct_size, set by the side that fills it. The reader tests
 *     DROVER_HAS(ptr, type, field) before it reads a field that was added later, and takes a
 *     missing field as zero. Structs only grow at their end and are never embedded by value. Five
 *     structs are fixed, and these rules do not hold for them: drover_run_id, drover_str,
 *     drover_pair, drover_array, drover_fd.
 *   - Members called reserved are written as zero and not read. Enumerations and flags may grow. An
 *     unknown code counts as E_INTERNAL, an unknown offer is ignored, an unknown kind of message is
 *     dropped and logged, any other unknown value is refused. So a driver uses an addition of a
 *     later minor only if it needs that minor, or if host->abi_minor says that the addition is
 *     there.
 *   - Text is UTF-8, pointer and length, without a NUL. It is valid during the call only, like
 *     everything else that a pointer leads to: a side that needs it later copies it.
 *   - Memory is freed by the side that allocated it.
 *   - Errors. A fallible function returns DROVER_OK; or it returns another drover_code and has
 *     filled the caller's drover_error. Neither side interprets the text.
 *   - Nothing unwinds from one side into the other: no C++ exception, no panic, no longjmp.
 *   - Asynchronous verbs return at once. DROVER_OK means accepted: the driver will call
 *     host->complete exactly once for the call's id, from any thread, maybe before the verb returns.
 *     Another code means refused: complete must not be called. A second or late completion is
 *     dropped and logged; the driver gets no report of that.
 *   - A host that gives a call up calls call_cancelled. It may do so before it calls the verb of
 *     that call, during the verb, or after the driver has completed the call. So a driver ignores
 *     an id that it does not know. A driver that looks its calls up by their ids asks
 *     call_is_cancelled after it has recorded the call: it must not rely on another call_cancelled.
 *     A create that is given up has no instance for call_cancelled, so call_is_cancelled and
 *     call_cancel_fd report it. A process that runs only that driver is ended instead.
 *   - Ids of calls, streams and sessions are never used twice in the life of a host.
 *   - Lifetime. The drover_host that create gets, and the tables that its get_extension returns,
 *     are valid until the shutdown of the instance has been completed, or its create has failed.
 *     The results of the driver's entry function, info and get_extension are valid for the life of
 *     the library.
 *   - Re-entry. No function of the host itself calls the driver: the calls that follow from it come
 *     on another thread, maybe before it has returned. So a driver may hold a lock of its own while
 *     it calls complete, stream_send, stream_end or a service, and DONE of a service may run before
 *     the function of the service has returned.
 *   - Descriptors travel as drover_fd. BORROWED: it stays with the giver, valid during the call.
 *     GIVEN: the receiver closes it, whatever the call returns.
 *
 * Threads. A tag in brackets says where a function is called, or from where it may be called:
 *   [control]    one at a time per driver instance, on a thread of the host's pool for the plugin.
 *                This holds for the function: its call may go on when the next function is called
 *   [task]       one at a time per run (start, recover, stop and destroy), in parallel with other
 *                runs: the next is called after the call before it has been completed. A call that
 *                was given up holds the next one back for some seconds only. Then both run at once,
 *                most often a start and the destroy that follows it, so the state needs a lock
 *   [any-thread] from every thread, in parallel with everything else
 *   [callback]   on a thread of the plugin's pool, like [any-thread]
 * No function is called on the host's control thread. A function must not block for longer than a
 * look-up, except stream_join, which has a deadline of its own. A function that holds its thread
 * past the call's deadline makes the driver unhealthy.
 *
 * Order for one run:  start or recover -> (wait, signal, stop, inspect, stats, exec) -> destroy.
 * destroy follows every start that was accepted, also a start that failed or was given up. A start
 * that is completed with success after its destroy is followed by another destroy.
 *
 * Order at the end of an instance: the host cancels its streams, gives up the operations of its
 * services that the driver waits for, and calls shutdown after each DONE that it owed has returned.
 * So a driver may free the data that its own DONEs use. Calls that the driver has not completed are
 * still open then.
 *
 * An instance can be replaced while its tasks run, by one of the same file or of another. The host
 * creates the new one, which recovers the runs while the old one still knows them, and gets
 * restore_complete. Then the host shuts the old one down. If a run is not recovered, it shuts the
 * new one down and keeps the old one.
 */
#ifndef DROVER_DROVER_H
#define DROVER_DROVER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_ABI_MAJOR 1
#define DROVER_ABI_MINOR 0
#define DROVER_ENTRY_SYMBOL "drover_driver_entry_v1"

/* True when *PTR, filled by the other side, is large enough to hold FIELD. */
#define DROVER_HAS(ptr, type, field) \
  ((ptr)->struct_size >= offsetof(type, field) + sizeof(((type*)0)->field))

/* ------------------------------------------------------------------------------- small types */

enum drover_code {
  DROVER_OK = 0,
  DROVER_E_INTERNAL = 1,
  DROVER_E_INVALID_ARGUMENT = 2,
  DROVER_E_NOT_FOUND = 3,
  DROVER_E_UNIMPLEMENTED = 4,
  DROVER_E_UNAVAILABLE = 5,
  DROVER_E_CANCELLED = 6,
  DROVER_E_TIMEOUT = 7,
  DROVER_E_FAILED_PRECONDITION = 8,
  DROVER_E_PERMISSION_DENIED = 9,
  DROVER_E_RESOURCE_EXHAUSTED = 10
};

/* Flags of an error. RECOVERABLE: the same may succeed when it is tried again. */
#define DROVER_ERROR_RECOVERABLE 1u

#define DROVER_ERROR_MESSAGE_MAX 1000

/* Filled by the side that fails. A longer message is cut. */
typedef struct drover_error {
  uint32_t struct_size;
  int32_t code; /* enum drover_code */
  uint32_t flags;
  uint32_t message_size; /* bytes */
  char message[DROVER_ERROR_MESSAGE_MAX];
} drover_error;

typedef struct drover_str {
  const char* data;
  size_t size;
} drover_str;

typedef struct drover_pair {
  drover_str key;
  drover_str value;
} drover_pair;

/* COUNT elements of ELEMENT_SIZE bytes each. Step by element_size: the other side's elements may be
 * larger than yours. */
typedef struct drover_array {
  const void* data;
  size_t count;
  size_t element_size;
} drover_array;

/* 128 bits that name one start of a task, in the host's store, its files and its cgroups. */
typedef struct drover_run_id {
  uint8_t bytes[16];
} drover_run_id;

#define DROVER_FD_NONE 0
#define DROVER_FD_BORROWED 1
#define DROVER_FD_GIVEN 2

typedef struct drover_fd {
  int32_t fd;
  int32_t ownership; /* DROVER_FD_... */
} drover_fd;

/* --------------------------------------------------------------------------- capabilities */

/* The offers of a driver; a host ignores bits that it does not know. */
#define DROVER_CAP_SIGNALS (1ull << 0)              /* signal works */
#define DROVER_CAP_EXEC (1ull << 1)                 /* drover.task-exec */
#define DROVER_CAP_STATS (1ull << 2)                /* drover.task-stats */
#define DROVER_CAP_DISABLES_LOG_COLLECTION (1ull << 3)
/* The needs of a driver; a host refuses bits that it does not know. */
#define DROVER_NEEDS_PROCESS_SERVICE (1ull << 0) /* drover.process */
#define DROVER_NEEDS_TASK_OUTPUT (1ull << 1)     /* drover.task-output */

enum drover_fs_isolation { DROVER_FS_NONE = 0, DROVER_FS_CHROOT = 1, DROVER_FS_IMAGE = 2 };
enum drover_health { DROVER_UNDETECTED = 0, DROVER_UNHEALTHY = 1, DROVER_HEALTHY = 2 };
enum drover_task_state { DROVER_TASK_UNKNOWN = 0, DROVER_TASK_RUNNING = 1, DROVER_TASK_EXITED = 2 };
enum drover_log_level {
  DROVER_LOG_TRACE = 0,
  DROVER_LOG_DEBUG = 1,
  DROVER_LOG_INFO = 2,
  DROVER_LOG_WARN = 3,
  DROVER_LOG_ERROR = 4
};

/* ------------------------------------------------------------------------------------ data */

/* Describes a library, or one of its instances; it never changes. The one that the function info
 * returns is valid for the life of the library, with everything that its pointers lead to. The one
 * in drover_create_result is copied by complete, like every result. It lists neither network modes
 * nor kinds of mounts: a driver that cannot do what a task's configuration says refuses its start.
 * A later minor may add to a task's configuration. A driver may ignore the addition, unless it
 * comes with a bit of offers: then a host starts no task that needs it with a driver that lacks the
 * bit. */
typedef struct drover_info {
  uint32_t struct_size;
  int32_t fs_isolation;   /* enum drover_fs_isolation */
  drover_str name;        /* as jobs name the driver: "raw_exec" */
  drover_str version;     /* of the plugin: "0.1.0" */
  uint64_t offers;        /* DROVER_CAP_... */
  uint64_t needs;         /* DROVER_NEEDS_... */
  drover_str config_schema;      /* JSON Schema of the plugin's configuration (docs/schema.md) */
  drover_str task_config_schema; /* JSON Schema of a task's configuration */
} drover_info;

typedef struct drover_port {
  uint32_t struct_size;
  int32_t value; /* on the host */
  int32_t to;    /* inside the task's network; 0: the same */
  int32_t reserved;
  drover_str label;
  drover_str host_ip;
} drover_port;

typedef struct drover_mount {
  uint32_t struct_size;
  uint32_t read_only;
  drover_str task_path;
  drover_str host_path;
  drover_str propagation;
} drover_mount;

typedef struct drover_device {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str task_path;
  drover_str host_path;
  drover_str permissions; /* of "rwm" */
} drover_device;

/* A task as the driver must run it; the same for start and for recover. Drivers of Nomad also get
 * the following, which is not here:
 *   - files for the output: it goes through drover.process or drover.task-output;
 *   - paths of cgroups: drover.process puts the processes that it starts into its own cgroups;
 *   - an OOM score: that is an option of a driver's own task configuration;
 *   - name servers, host names and labels of a network, names and SELinux labels of volumes: jobs
 *     cannot have them yet. They will be added at the end. */
typedef struct drover_task_config {
  uint32_t struct_size;
  uint32_t logs_disabled; /* nobody collects the output */
  drover_run_id run_id;
  drover_str id; /* "ALLOCATION/TASK/8 hex digits" */
  drover_str alloc_id;
  drover_str alloc_name;
  drover_str job_id;
  drover_str job_name;
  drover_str parent_job_id;
  drover_str job_namespace;
  drover_str group_name;
  drover_str task_name;
  drover_str node_id;
  drover_str node_name;
  drover_array env;        /* of drover_pair: the whole environment of the task */
  drover_array device_env; /* of drover_pair: the part that devices added, also in env */
  drover_str user;         /* empty: the driver's default */
  drover_str alloc_dir;    /* host paths */
  drover_str task_dir;
  drover_str local_dir;
  drover_str secrets_dir;
  drover_str log_dir;      /* for drover.process and drover.task-output: they write there */
  drover_str driver_config; /* JSON, valid by task_config_schema, with defaults filled in */
  int64_t log_max_files;
  int64_t log_max_file_size; /* bytes */
  int64_t cpu_mhz;
  int64_t cpu_shares;
  int64_t memory_mb;
  int64_t memory_max_mb;
  int64_t memory_limit;    /* bytes; the larger of the two above */
  drover_array ports;      /* of drover_port */
  drover_array mounts;     /* of drover_mount */
  drover_array devices;    /* of drover_device */
  drover_str kill_signal;  /* "SIGTERM"; empty: the driver's default */
  int64_t kill_timeout;    /* ns; after it the host kills the task, whatever the driver does */
  drover_str network_mode; /* "", "host" or "none" */
  drover_str network_namespace; /* path on the host, valid while the task lives; empty: the host's.
                                   drover.process enters it itself; a driver that does not use
                                   drover.process enters it */
  drover_str cpu_cores; /* "0,5-7": reserved for this task; empty: none */
  int64_t cpu_period;   /* ns */
  int64_t cpu_quota;    /* ns of one core's time in each period: equals cpu_mhz on this machine, for
                           a hard limit; 0 when cores are reserved */
} drover_task_config;

/* The data by which recover finds the task again: bytes of the driver, opaque to the host. */
typedef struct drover_task_handle {
  uint32_t struct_size;
  uint32_t format_version; /* of the driver's own format */
  drover_str driver_version; /* the version of the plugin that wrote it; set by the host */
  drover_str state;
} drover_task_handle;

typedef struct drover_driver_network {
  uint32_t struct_size;
  uint32_t auto_advertise;
  drover_str ip;
  drover_array ports; /* of drover_port: label and value */
} drover_driver_network;

typedef struct drover_exit_result {
  uint32_t struct_size;
  int32_t exit_code;
  int32_t signal; /* 0: none */
  uint32_t oom_killed;
  drover_str error; /* why the true result is not known; else empty */
} drover_exit_result;

typedef struct drover_task_status {
  uint32_t struct_size;
  int32_t state; /* enum drover_task_state */
  int64_t started_at; /* ns since 1970, 0: not yet */
  int64_t completed_at;
  const drover_exit_result* exit_result; /* null while it runs */
  drover_array attributes;               /* of drover_pair */
} drover_task_status;

/* ---------------------------------------------------------------------------------- calls */

/* One call of an asynchronous verb. The struct is valid during the verb only, the id until
 * completion. */
typedef struct drover_call {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t id;
  drover_run_id run_id; /* zero when the call is not of a run */
  int64_t deadline;     /* ns of CLOCK_BOOTTIME; INT64_MAX: none */
} drover_call;

typedef struct drover_create_args {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str config; /* JSON, valid by config_schema, with defaults filled in */
} drover_create_args;

typedef struct drover_instance drover_instance; /* the driver's own; opaque to the host */

typedef struct drover_create_result {
  uint32_t struct_size;
  uint32_t reserved;
  drover_instance* instance;
  const drover_info* info; /* describes the instance, if its configuration decides: fs_isolation and
                              offers may differ from the library's info. Null: they do not */
} drover_create_result;

typedef struct drover_configure_args {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str config;
} drover_configure_args;

typedef struct drover_start_args {
  uint32_t struct_size;
  uint32_t reserved;
  const drover_task_config* config;
} drover_start_args;

typedef struct drover_start_result {
  uint32_t struct_size;
  uint32_t reserved;
  const drover_task_handle* handle;
  const drover_driver_network* network; /* null: the host's */
} drover_start_result;

typedef struct drover_recover_args {
  uint32_t struct_size;
  uint32_t reserved;
  const drover_task_config* config;
  const drover_task_handle* handle; /* null: none was stored; the start may never have happened */
} drover_recover_args;

/* E_NOT_FOUND: the driver does not know the run, and no part of it runs. If no handle was stored,
 * the host may then start the task again. After E_TIMEOUT and a recoverable E_UNAVAILABLE it calls
 * recover again, later. After any other error it has the run destroyed by force before it starts
 * the task again. A driver that cannot recover answers E_UNIMPLEMENTED. */
typedef struct drover_recover_result {
  uint32_t struct_size;
  int32_t state; /* RUNNING or EXITED */
  const drover_task_handle* handle;      /* null: unchanged. A handle is replaced here and nowhere
                                            else, and the network that start returned stays */
  const drover_exit_result* exit_result; /* of an exited one */
} drover_recover_result;

typedef struct drover_wait_args {
  uint32_t struct_size;
  uint32_t reserved;
} drover_wait_args;

typedef struct drover_stop_args {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t timeout;   /* ns; 0: kill at once */
  drover_str signal; /* "SIGINT"; empty: the driver's default */
} drover_stop_args;

typedef struct drover_signal_args {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str name; /* "SIGHUP" */
} drover_signal_args;

typedef struct drover_destroy_args {
  uint32_t struct_size;
  uint32_t force; /* 0: a running task is E_FAILED_PRECONDITION */
} drover_destroy_args;

typedef struct drover_inspect_args {
  uint32_t struct_size;
  uint32_t reserved;
} drover_inspect_args;

typedef struct drover_restore_complete_args {
  uint32_t struct_size;
  uint32_t reserved;
  drover_array run_ids; /* of drover_run_id: all runs that the host knows; others are leftovers */
} drover_restore_complete_args;

typedef struct drover_shutdown_args {
  uint32_t struct_size;
  uint32_t reserved;
} drover_shutdown_args;

typedef struct drover_empty_result {
  uint32_t struct_size;
  uint32_t reserved;
} drover_empty_result;

/* -------------------------------------------------------------------------------- streams */

enum drover_message_type {
  DROVER_MESSAGE_FINGERPRINT = 1,
  DROVER_MESSAGE_EVENT = 2,
  DROVER_MESSAGE_STATS = 3
};

/* The beginning of each message. */
typedef struct drover_message {
  uint32_t struct_size;
  int32_t type; /* enum drover_message_type */
} drover_message;

/* Attributes are texts, numbers too ("8192"). */
typedef struct drover_fingerprint {
  uint32_t struct_size;
  int32_t type;
  int32_t health; /* enum drover_health */
  uint32_t reserved;
  drover_str description;
  drover_array attributes; /* of drover_pair */
} drover_fingerprint;

/* The time of an event is the time of its arrival. */
typedef struct drover_event {
  uint32_t struct_size;
  int32_t type;
  drover_run_id run_id;
  drover_str message;
  drover_array annotations; /* of drover_pair */
} drover_event;

/* Which members of drover_usage were measured. */
#define DROVER_STAT_RSS (1ull << 0)
#define DROVER_STAT_CACHE (1ull << 1)
#define DROVER_STAT_SWAP (1ull << 2)
#define DROVER_STAT_MAPPED_FILE (1ull << 3)
#define DROVER_STAT_USAGE (1ull << 4)
#define DROVER_STAT_MAX_USAGE (1ull << 5)
#define DROVER_STAT_KERNEL_USAGE (1ull << 6)
#define DROVER_STAT_KERNEL_MAX_USAGE (1ull << 7)
#define DROVER_STAT_SYSTEM_MODE (1ull << 8)
#define DROVER_STAT_USER_MODE (1ull << 9)
#define DROVER_STAT_PERCENT (1ull << 10)
#define DROVER_STAT_TOTAL_TICKS (1ull << 11)
#define DROVER_STAT_THROTTLED_PERIODS (1ull << 12)
#define DROVER_STAT_THROTTLED_TIME (1ull << 13)

typedef struct drover_usage {
  uint32_t struct_size;
  int32_t pid; /* in a list of processes; 0 for the whole task */
  uint64_t measured;
  uint64_t rss, cache, swap, mapped_file, usage, max_usage, kernel_usage, kernel_max_usage; /* bytes */
  double system_mode, user_mode, percent; /* percent of one core */
  double total_ticks;                     /* MHz */
  uint64_t throttled_periods;
  uint64_t throttled_time; /* ns */
} drover_usage;

typedef struct drover_stats {
  uint32_t struct_size;
  int32_t type;
  int64_t timestamp; /* ns since 1970 */
  const drover_usage* total;
  drover_array processes; /* of drover_usage; may be empty without DROVER_STATS_PROCESSES */
} drover_stats;

/* Parts of a sample beside the total; the side that samples ignores bits that it does not know. */
#define DROVER_STATS_PROCESSES (1u << 0) /* each process: to read them costs far more than a total */

/* ------------------------------------------------------------------ the host, given to create */

/* Called when an operation of a service has ended. ERROR is null on success; RESULT is the result
 * of the service, or null. An operation that was accepted cannot be cancelled, except exec
 * sessions: it ends by itself, or before shutdown. A driver whose call is given up meanwhile
 * completes the call. It ignores the arguments of DONE then, but closes the descriptors that it is
 * GIVEN. [callback] */
typedef void (*drover_done)(void* context, const drover_error* error, const void* result);

typedef struct drover_host drover_host;
struct drover_host {
  uint32_t struct_size;
  uint32_t abi_minor;

  /* A service by its id ("drover.process/1"), or null. The answer never changes. [any-thread] */
  const void* (*get_extension)(const drover_host* host, drover_str id);

  /* Ends an asynchronous verb: ERROR null for success, RESULT the verb's result struct or null.
   * Both are copied before it returns. A late completion is dropped: a start that succeeded after
   * it was given up is followed by destroy. [any-thread] */
  void (*complete)(const drover_host* host, uint64_t call_id, const drover_error* error,
                   const void* result);
  /* 1 when the call was cancelled or is not known. [any-thread] */
  int32_t (*call_is_cancelled)(const drover_host* host, uint64_t call_id);
  /* A descriptor, GIVEN to the driver, that becomes readable when the call is cancelled.
   * E_NOT_FOUND after its completion. [any-thread] */
  int32_t (*call_cancel_fd)(const drover_host* host, uint64_t call_id, drover_fd* out,
                            drover_error* error);

  /* Sends one message on a stream; the message is copied. 0: go on; 1: the stream is cancelled, end
   * it. The function does not wait until the message is read: of unread fingerprints and samples
   * the newest counts, and unread events beyond some hundreds are dropped. [any-thread] */
  int32_t (*stream_send)(const drover_host* host, uint64_t stream_id, const drover_message* message);
  /* Ends a stream: ERROR null when there are no more messages. A RECOVERABLE error means: subscribe
   * again, later. [any-thread] */
  void (*stream_end)(const drover_host* host, uint64_t stream_id, const drover_error* error);
};

/* ------------------------------------------------------------------------ the driver's verbs */

/*
 * The asynchronous verbs, each once: X(verb, tag). The members of drover_driver, the SDK's thunks,
 * the host's calls and the trace are made from this list. The arguments of a verb "v" are
 * drover_v_args. The list stays as it is, since it lies in the middle of drover_driver: later verbs
 * come in optional parts, or in a second list after call_cancelled.
 *
 *   configure         a new configuration for a living instance           -> drover_empty_result
 *   start             starts a task                                       -> drover_start_result
 *   recover           takes over a task that an earlier agent started     -> drover_recover_result
 *   wait              completes when the task has ended; may be called any
 *                     number of times, also after the end, until destroy  -> drover_exit_result
 *   stop              sends the signal, waits, kills; completes when the
 *                     task has ended                                      -> drover_empty_result
 *   signal            sends a signal to the task; completes when the task
 *                     has it                                              -> drover_empty_result
 *   destroy           forgets the task; stops it by force if it must      -> drover_empty_result
 *   inspect           returns the status of a task                        -> drover_task_status
 *   restore_complete  once after create, before the first start           -> drover_empty_result
 *   shutdown          the instance is given up: complete all calls, end
 *                     all streams and free it. Tasks go on running        -> drover_empty_result
 *
 * A verb on a run that the driver does not know fails with E_NOT_FOUND. For a run that the driver
 * knows already, start fails with E_FAILED_PRECONDITION and recover succeeds.
 */
#define DROVER_ASYNC_VERBS(X)   \
  X(configure, "[control]")     \
  X(start, "[task]")            \
  X(recover, "[task]")          \
  X(wait, "[any-thread]")       \
  X(stop, "[task]")             \
  X(signal, "[any-thread]")     \
  X(destroy, "[task]")          \
  X(inspect, "[any-thread]")    \
  X(restore_complete, "[control]") \
  X(shutdown, "[control]")

#define DROVER_VERB_MEMBER(verb, tag)                                          \
  int32_t (*verb)(drover_instance* self, const drover_call* call,              \
                  const drover_##verb##_args* args, drover_error* error);

typedef struct drover_driver {
  uint32_t struct_size;
  uint32_t abi_major;       /* DROVER_ABI_MAJOR */
  uint32_t min_host_minor;  /* the lowest minor that has what this driver needs */
  uint32_t reserved;

  const drover_info* (*info)(void); /* [any-thread] */

  /* Makes an instance; one library may have several.          -> drover_create_result [control] */
  int32_t (*create)(const drover_host* host, const drover_call* call,
                    const drover_create_args* args, drover_error* error);

  /* An optional part by its id ("drover.task-stats/1"), or null. Asked after create; the
   * answer is constant for an instance. [any-thread] */
  const void* (*get_extension)(drover_instance* self, drover_str id);

  DROVER_ASYNC_VERBS(DROVER_VERB_MEMBER)

  /* Streams drover_fingerprint: the first one soon, then at each change. [control] */
  int32_t (*fingerprint)(drover_instance* self, uint64_t stream_id, drover_error* error);
  /* Streams drover_event. [control] */
  int32_t (*events)(drover_instance* self, uint64_t stream_id, drover_error* error);

  /* The host wants no more of this stream: end it soon. Returns at once. [any-thread] */
  void (*stream_cancel)(drover_instance* self, uint64_t stream_id);
  /* Returns when nothing will be sent on the stream any more, or E_TIMEOUT at DEADLINE (ns of
   * CLOCK_BOOTTIME). An unknown stream has ended. Only this function may block, until DEADLINE.
   * [any-thread] */
  int32_t (*stream_join)(drover_instance* self, uint64_t stream_id, int64_t deadline,
                         drover_error* error);
  /* The host has given the call up: complete it soon, with anything. Returns at once. It may come
   * before the verb itself, more than once, and for a call that is completed: see the rules above.
   * It never comes for shutdown, which frees SELF. [any-thread] */
  void (*call_cancelled)(drover_instance* self, uint64_t call_id);
} drover_driver;

/* The type of the one exported function. */
typedef const drover_driver* (*drover_driver_entry)(void);

/* --------------------------------------------------------------- the driver's optional parts */

#define DROVER_TASK_STATS_ID "drover.task-stats/1"

typedef struct drover_stats_args {
  uint32_t struct_size;
  uint32_t flags;   /* DROVER_STATS_... */
  int64_t interval; /* ns */
} drover_stats_args;

typedef struct drover_task_stats {
  uint32_t struct_size;
  uint32_t reserved;
  /* Streams drover_stats at each interval, the first at once. A driver may end the stream at any
   * time: the host asks again after an interval. E_UNIMPLEMENTED: the host never asks again.
   * [any-thread] */
  int32_t (*stats)(drover_instance* self, uint64_t stream_id, const drover_run_id* run,
                   const drover_stats_args* args, drover_error* error);
} drover_task_stats;

#define DROVER_TASK_EXEC_ID "drover.task-exec/1"

typedef struct drover_exec_args {
  uint32_t struct_size;
  uint32_t tty;
  drover_array command; /* of drover_str */
  int32_t width, height;
  drover_fd input;  /* GIVEN: the session reads it */
  drover_fd output; /* GIVEN: it writes output and error; with a tty only output is used */
  drover_fd error;
} drover_exec_args;

typedef struct drover_task_exec {
  uint32_t struct_size;
  uint32_t reserved;
  /* Runs a command beside the task, with the task's user and limits, in its root, its namespaces
   * and its environment. The call's id names the session. The call's completion is the end of the
   * session, and a cancellation of the call ends it.        -> drover_exit_result [any-thread] */
  int32_t (*exec)(drover_instance* self, const drover_call* call, const drover_exec_args* args,
                  drover_error* error);
  /* [any-thread] */
  int32_t (*resize)(drover_instance* self, uint64_t session_id, int32_t width, int32_t height,
                    drover_error* error);
} drover_task_exec;

/* ----------------------------------------------------------------------- the host's services */

#define DROVER_PROCESS_ID "drover.process/1"

#define DROVER_ISOLATE_ROOT (1u << 0)      /* a root file system of its own; needed by all others */
#define DROVER_ISOLATE_PIDS (1u << 1)      /* it sees only the processes of its run */
#define DROVER_ISOLATE_IPC (1u << 2)       /* it shares memory and the like only within its run */
#define DROVER_ISOLATE_CALLS (1u << 3)     /* the host's filter of system calls; no new privileges */
#define DROVER_ISOLATE_NO_PIVOT (1u << 4)  /* for an agent whose root cannot be pivoted */
#define DROVER_ISOLATE_RESOURCES (1u << 5) /* the task configuration's memory, processor shares and
                                              cores limit it, as far as this machine has cgroups for
                                              them; cores that it cannot have are an error */
#define DROVER_ISOLATE_CPU_HARD (1u << 6)  /* with RESOURCES: it gets no more processor time than
                                              its cpu_mhz, even on an idle machine */

/* Isolates a process from the host and from other tasks. The agent must be root. Inside, the
 * directories of the task configuration are /alloc (with /alloc/logs read-only), /local, /secrets
 * and /tmp, and its mounts and devices are at the places that it names. Everything else in the root
 * is read-only. The process makes no core files and has at most 65536 descriptors. A driver that
 * uses this declares fs_isolation DROVER_FS_CHROOT. The host refuses a flag that it does not know. */
typedef struct drover_isolation {
  uint32_t struct_size;
  uint32_t flags; /* DROVER_ISOLATE_... */
  drover_array capabilities;         /* of drover_str, "net_bind_service": those of root */
  drover_array ambient_capabilities; /* of drover_str, some of these: those of another user */
  drover_array root_paths; /* of drover_pair: host path, path in the root; read-only. None: /bin,
                              /etc, /lib, /lib32, /lib64, /run/resolvconf, /run/systemd/resolve,
                              /sbin, /usr. Paths that the host does not have are left out. */
  int64_t max_processes; /* and threads; 0: no limit */
} drover_isolation;

/* A process of a run. The host starts it through a shim of its own, under the run's id, with
 * tracking of every descendant, log files with rotation, and an exit record that survives the
 * agent. */
typedef struct drover_process_start_args {
  uint32_t struct_size;
  int32_t oom_score_adj;
  drover_array argv; /* of drover_str; the first is an absolute path */
  drover_array env;  /* of drover_pair */
  drover_str work_dir;
  drover_str user; /* name or number; empty: the agent's */
  const drover_isolation* isolation; /* null: none. With it argv may begin with a plain name, which
                                        is looked up in the PATH inside. */
  /* Cgroups of the operator, whose limits then hold for the run: they must exist, and stay. Paths
   * are relative to the mount point of the hierarchy, or begin with it. Not together with limits of
   * the isolation. */
  drover_str cgroup;       /* of version 2: the cgroup that tracks the run is made in it. Empty: in
                              the host's own */
  drover_array v1_cgroups; /* of drover_pair: controller of version 1, the cgroup to enter */
} drover_process_start_args;

typedef struct drover_process_info {
  uint32_t struct_size;
  int32_t pid;
} drover_process_info;

typedef struct drover_process_none_args {
  uint32_t struct_size;
  uint32_t reserved;
} drover_process_none_args;

typedef struct drover_process_usage_args {
  uint32_t struct_size;
  uint32_t flags; /* DROVER_STATS_... */
} drover_process_usage_args;

typedef struct drover_process_signal_args {
  uint32_t struct_size;
  int32_t number;
} drover_process_signal_args;

typedef struct drover_process_stop_args {
  uint32_t struct_size;
  int32_t number;  /* the signal */
  int64_t timeout; /* ns until SIGKILL */
} drover_process_stop_args;

typedef struct drover_process_state {
  uint32_t struct_size;
  int32_t state; /* RUNNING or EXITED */
  int32_t pid;
  int32_t reserved;
  int64_t started_at; /* ns since 1970 */
  const drover_exit_result* exit_result;
} drover_process_state;

/*
 * X(function, arguments, result): each is asynchronous and calls DONE once, unless it is refused.
 *   start    E_FAILED_PRECONDITION for a run that has a process; success only when exec succeeded
 *   attach   finds the process of a run again after a restart of the agent; E_NOT_FOUND: none
 *   wait     waits for the end of the process
 *   signal   sends a signal to the process
 *   stop     sends a signal to the process, then SIGKILL to every descendant, when the process has
 *            ended or after the timeout
 *   kill     sends SIGKILL to every descendant
 *   release  kills the remaining processes and forgets the run: its exit record, its cgroup
 *   usage    returns a sample of drover_stats
 *   exec     runs a command beside the process; exec_end cancels it. Its CONTEXT names the session,
 *            and must not be that of another session whose DONE has not returned
 */
#define DROVER_PROCESS_FUNCTIONS(X)                                  \
  X(start, drover_process_start_args, drover_process_info)           \
  X(attach, drover_process_none_args, drover_process_state)          \
  X(wait, drover_process_none_args, drover_exit_result)              \
  X(signal, drover_process_signal_args, drover_empty_result)         \
  X(stop, drover_process_stop_args, drover_empty_result)             \
  X(kill, drover_process_none_args, drover_empty_result)             \
  X(release, drover_process_none_args, drover_empty_result)          \
  X(usage, drover_process_usage_args, drover_stats)                  \
  X(exec, drover_exec_args, drover_exit_result)

#define DROVER_PROCESS_MEMBER(function, args_type, result_type)                             \
  int32_t (*function)(const drover_host* host, const drover_run_id* run,                    \
                      const args_type* args, drover_done done, void* context,               \
                      drover_error* error); /* [any-thread] */

/* The host knows the task configuration's logs, kill_timeout and run id itself: the driver passes
 * only its own decisions. */
typedef struct drover_process {
  uint32_t struct_size;
  uint32_t reserved;
  DROVER_PROCESS_FUNCTIONS(DROVER_PROCESS_MEMBER)
  /* For an exec session, named by the CONTEXT that was given with it. A session that has ended is
   * not known, and its exec_end does nothing. A driver that may call these late must not use the
   * address for another session meanwhile. [any-thread] */
  int32_t (*exec_resize)(const drover_host* host, void* context, int32_t width, int32_t height,
                         drover_error* error);
  void (*exec_end)(const drover_host* host, void* context);
} drover_process;

#define DROVER_TASK_OUTPUT_ID "drover.task-output/1"

/* Output pipes for drivers whose tasks are no processes of the host: a shim reads them, with the
 * same rotation. It ends when both are closed. */
typedef struct drover_task_output_pipes {
  uint32_t struct_size;
  uint32_t reserved;
  drover_fd output; /* GIVEN to the driver */
  drover_fd error;
} drover_task_output_pipes;

typedef struct drover_task_output {
  uint32_t struct_size;
  uint32_t reserved;
  /* Opens the pipes of a run.                        -> drover_task_output_pipes [any-thread] */
  int32_t (*open)(const drover_host* host, const drover_run_id* run, drover_done done,
                  void* context, drover_error* error);
} drover_task_output;

#define DROVER_DIAG_LOG_ID "drover.diag-log/1"

typedef struct drover_diag_log {
  uint32_t struct_size;
  uint32_t reserved;
  /* Writes a line to the agent's log; RUN may be null. Never blocks. [any-thread] */
  void (*write)(const drover_host* host, int32_t level, const drover_run_id* run,
                drover_str message);
} drover_diag_log;

#define DROVER_TIMER_ID "drover.timer/1"

typedef struct drover_timer {
  uint32_t struct_size;
  uint32_t reserved;
  /* Calls FUNCTION once after DELAY ns (CLOCK_BOOTTIME). Returns the timer's id, never 0.
   * A driver cancels its timers before it completes shutdown. [any-thread] */
  uint64_t (*after)(const drover_host* host, int64_t delay, void (*function)(void* context),
                    void* context);
  /* Returns 1 when the function will not run; 0 when it has run, is running, or the id is unknown.
   * It does not wait for a function that is running: the driver itself must count those that have
   * not returned. [any-thread] */
  int32_t (*cancel)(const drover_host* host, uint64_t timer_id);
} drover_timer;

/* ------------------------------------------------------------------------------- the manifest */

#define DROVER_MANIFEST_SECTION ".drover_manifest"
#define DROVER_MANIFEST_MAGIC "DROVERM0"

/* It lies in the section above, readable without loading the library. Texts end with NUL. */
typedef struct drover_manifest {
  char magic[8]; /* without NUL */
  uint32_t struct_size;
  uint32_t abi_major;
  uint32_t reserved;
  uint32_t min_host_minor;
  char name[64];
  char version[32];
  char license[64];
} drover_manifest;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_H */
