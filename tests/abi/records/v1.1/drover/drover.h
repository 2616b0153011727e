/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The C ABI between the Drover host and its task drivers.
 *
 * The ABI is released as v1: from here on it only grows. A driver built with this header loads in
 * every host of ABI major 1 that is new enough. The minor of the host must be at least the minor
 * that the driver says it needs. docs/abi.md has the rules.
 *
 * A driver is a shared library that exports one symbol, drover_driver_entry_v1. This function
 * returns a constant descriptor. All other calls go through two function tables. The host calls
 * the driver's table. The driver calls the host's table, which it gets in create(). Nothing is
 * linked by name.
 *
 * Rules that hold for every line below
 *   - Sizes. Each struct begins with struct_size, which the side that fills the struct sets. The
 *     reader tests DROVER_HAS(ptr, type, field) before it reads a field that was added later, and
 *     treats a missing field as zero. Structs only grow at their end and are never embedded by
 *     value. These rules do not hold for five structs, which never change: drover_run_id,
 *     drover_str, drover_pair, drover_array, drover_fd.
 *   - Reserved members. The writer sets members called reserved to zero. The reader ignores them.
 *   - Unknown values. Enumerations and flags may grow. The reader treats an unknown drover_code as
 *     E_INTERNAL. An unknown offer is ignored. A message of an unknown kind is dropped and logged.
 *     Any other unknown value is refused. So a driver may use an addition of a later minor in two
 *     cases only: the driver needs that minor, or host->abi_minor shows that the host has the
 *     addition.
 *   - Text is UTF-8, passed as pointer and length, without a NUL. Text and all other data behind
 *     pointers are valid during the call only. A side that needs the data later must copy them.
 *   - Memory is freed by the side that allocated it.
 *   - Errors. A function that can fail returns DROVER_OK on success. On failure it returns another
 *     drover_code and fills the caller's drover_error. Neither side interprets the error text.
 *   - Nothing unwinds from one side into the other: no C++ exception, no panic, no longjmp.
 *   - Asynchronous verbs return at once. DROVER_OK means that the driver has accepted the call.
 *     The driver then calls host->complete exactly once for the call's id, from any thread, maybe
 *     before the verb returns. Another code means that the driver has refused the call. Then the
 *     driver must not call complete. The host drops and logs a second or late completion, and does
 *     not report it to the driver.
 *   - Cancellation. A host that gives a call up calls call_cancelled. The host may do so before it
 *     calls the verb of that call, during the verb, or after the driver has completed the call. So
 *     a driver ignores an id that it does not know. A driver that finds its calls by their ids must
 *     call call_is_cancelled after it has recorded a call, since call_cancelled may have come
 *     earlier. If the host gives up a create, there is no instance for call_cancelled. Only
 *     call_is_cancelled and call_cancel_fd report the cancellation then. If the driver runs in a
 *     process of its own, the host ends that process instead.
 *   - Ids. In its life, a host never uses an id of a call, stream or session twice.
 *   - Lifetime. create gets a drover_host. This drover_host, and the tables that its get_extension
 *     returns, are valid until the end of the instance. The instance ends when its shutdown is
 *     completed, or when its create has failed. The pointers that the driver's functions
 *     drover_driver_entry_v1, info and get_extension return are valid for the life of the library.
 *   - Re-entry. No function of the host calls the driver on its caller's thread. If a function of
 *     the host causes calls to the driver, these calls run on another thread, maybe before the
 *     function has returned. So a driver may hold a lock of its own while it calls complete,
 *     stream_send, stream_end or a service. The DONE of a service may run before the function of
 *     the service has returned.
 *   - File descriptors are passed as drover_fd. The sender of a BORROWED descriptor keeps it; the
 *     receiver may use it during the call only. The receiver of a GIVEN descriptor closes it,
 *     whatever the call returns.
 *
 * Threads. A tag in brackets says where a function is called, or from where it may be called:
 *   [control]    Functions with this tag are called one at a time per driver instance. They run on
 *                a thread of the host's pool for the plugin. The next function may be called as
 *                soon as the previous function has returned, even if the asynchronous call of the
 *                previous function is still open.
 *   [task]       The functions with this tag are start, recover, stop and destroy. They are called
 *                one at a time per run, in parallel with other runs. The next function is called
 *                after the driver has completed the call of the previous function. If the host
 *                gives that call up, the host delays the next function for some seconds only. Then
 *                both functions may run at the same time, most often a start and the destroy that
 *                follows it. So the driver must protect the state of a run by a lock.
 *   [any-thread] Functions with this tag are called, or may be called, on any thread, in parallel
 *                with everything else.
 *   [callback]   Functions with this tag are called on a thread of the plugin's pool. As with
 *                [any-thread], they run in parallel with everything else.
 * No function is called on the host's control thread. A function must not block for longer than a
 * look-up takes, except stream_join, which has a deadline of its own. If a function returns after
 * the deadline of its call, the driver becomes unhealthy.
 *
 * Order for one run:  start or recover -> (wait, signal, stop, inspect, stats, exec) -> destroy.
 * destroy follows every start that was accepted, also a start that failed or was given up. If a
 * start is completed with success after its destroy, another destroy follows.
 *
 * Order at the end of an instance: the host cancels the streams of the instance. The host gives up
 * those operations of the host's services for which the driver waits. The host calls the DONE of
 * each open operation. When all these DONEs have returned, the host calls shutdown. So shutdown may
 * free the data that the driver's DONEs use. Calls that the driver has not completed are still open
 * when the host calls shutdown.
 *
 * An instance can be replaced while its tasks run, by an instance of the same file or of another
 * file. The host creates the new instance. The new instance recovers the runs while the old
 * instance still knows them, and gets restore_complete. Then the host shuts the old instance down.
 * If a run is not recovered, the host shuts the new instance down and keeps the old instance.
 */
#ifndef DROVER_DROVER_H
#define DROVER_DROVER_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_ABI_MAJOR 1
#define DROVER_ABI_MINOR 1
#define DROVER_ENTRY_SYMBOL "drover_driver_entry_v1"

/* True if *PTR, which the other side has filled, is large enough to hold FIELD. */
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

/* Flags of an error. RECOVERABLE means that the same call may succeed if it is repeated. */
#define DROVER_ERROR_RECOVERABLE 1u

#define DROVER_ERROR_MESSAGE_MAX 1000

/* The side that fails fills this struct. A longer message than DROVER_ERROR_MESSAGE_MAX bytes is
 * truncated. */
typedef struct drover_error {
  uint32_t struct_size;
  int32_t code; /* enum drover_code */
  uint32_t flags;
  uint32_t message_size; /* in bytes */
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

/* COUNT elements of ELEMENT_SIZE bytes each. The reader must step by element_size, since the other
 * side's elements may be larger than its own. */
typedef struct drover_array {
  const void* data;
  size_t count;
  size_t element_size;
} drover_array;

/* 128 bits that identify one start of a task in the store, the files and the cgroups of the
 * host. */
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

/* The offers of a driver (drover_info.offers). A host ignores bits that it does not know. */
#define DROVER_CAP_SIGNALS (1ull << 0) /* the verb signal works */
#define DROVER_CAP_EXEC (1ull << 1)    /* the driver has drover.task-exec */
#define DROVER_CAP_STATS (1ull << 2)   /* the driver has drover.task-stats */
#define DROVER_CAP_DISABLES_LOG_COLLECTION (1ull << 3)
/* Since minor 1: the driver gives a task the name in the member hostname of its configuration. The
 * host refuses a job whose network has a name if the driver lacks this bit. Not needed by a driver
 * whose processes are isolated by drover.process, since the host itself sets their name. */
#define DROVER_CAP_HOSTNAME (1ull << 4)
/* Since minor 1: the driver carries out the members dns_... of the configuration of a task. To a
 * driver with fs_isolation IMAGE, the host also passes a mount of a resolv.conf with these data. */
#define DROVER_CAP_DNS (1ull << 5)
/* The needs of a driver (drover_info.needs). A host refuses bits that it does not know. */
#define DROVER_NEEDS_PROCESS_SERVICE (1ull << 0) /* the driver needs drover.process */
#define DROVER_NEEDS_TASK_OUTPUT (1ull << 1)     /* the driver needs drover.task-output */

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

/* Describes a library, or one of its instances. The description never changes. The struct that the
 * function info returns, and the data to which its pointers lead, are valid for the life of the
 * library. The function complete copies the struct in drover_create_result, as it copies every
 * result. The struct lists neither network modes nor kinds of mounts: a driver refuses the start of
 * a task whose configuration it does not support. A later minor may add a member to the
 * configuration of a task. A driver may ignore the new member, unless a new bit of offers belongs
 * to it. If a task needs a member that has a bit, the host does not start the task with a driver
 * that lacks the bit. */
typedef struct drover_info {
  uint32_t struct_size;
  int32_t fs_isolation;          /* enum drover_fs_isolation */
  drover_str name;               /* the name of the driver in jobs: "raw_exec" */
  drover_str version;            /* the version of the plugin: "0.1.0" */
  uint64_t offers;               /* DROVER_CAP_... */
  uint64_t needs;                /* DROVER_NEEDS_... */
  drover_str config_schema;      /* JSON Schema of the plugin's configuration (docs/schema.md) */
  drover_str task_config_schema; /* JSON Schema of a task's configuration */
} drover_info;

typedef struct drover_port {
  uint32_t struct_size;
  int32_t value; /* the port on the host */
  int32_t to;    /* the port inside the task's network; 0 means the same port as value */
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
  drover_str permissions; /* some of the letters "rwm" */
} drover_device;

/* A task as the driver must run it. Both start and recover get the same configuration. Drivers of
 * Nomad also get the following data, which this struct does not have:
 *   - Files for the output. The output goes through drover.process or drover.task-output.
 *   - Paths of cgroups. drover.process puts the processes that it starts into its own cgroups.
 *   - An OOM score. It is an option of a driver's own task configuration.
 *   - Names and SELinux labels of volumes. Jobs cannot have these data yet. Their members will be
 *     added at the end of this struct. */
typedef struct drover_task_config {
  uint32_t struct_size;
  uint32_t logs_disabled; /* not 0 if the output is not collected */
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
  drover_array device_env; /* of drover_pair: the variables in env that devices added */
  drover_str user;         /* empty means the driver's default user */
  drover_str alloc_dir;    /* this and the next four paths are paths on the host */
  drover_str task_dir;
  drover_str local_dir;
  drover_str secrets_dir;
  drover_str log_dir;       /* drover.process and drover.task-output write the logs here */
  drover_str driver_config; /* JSON, valid under task_config_schema, with its defaults */
  int64_t log_max_files;
  int64_t log_max_file_size; /* in bytes */
  int64_t cpu_mhz;
  int64_t cpu_shares;
  int64_t memory_mb;
  int64_t memory_max_mb;
  int64_t memory_limit;    /* in bytes; the larger of memory_mb and memory_max_mb */
  drover_array ports;      /* of drover_port */
  drover_array mounts;     /* of drover_mount */
  drover_array devices;    /* of drover_device */
  drover_str kill_signal;  /* "SIGTERM"; empty means the driver's default signal */
  int64_t kill_timeout;    /* in ns; after this time the host itself kills the task */
  drover_str network_mode; /* "", "host", "none", "bridge" or "cni/NAME" */
  /* A path on the host, valid while the task lives. Empty means the host's network namespace.
   * drover.process itself enters the namespace. A driver that does not use drover.process must
   * enter the namespace itself. */
  drover_str network_namespace;
  drover_str cpu_cores; /* the cores reserved for this task, "0,5-7"; empty means none */
  int64_t cpu_period;   /* in ns */
  /* For a hard limit: the time of one core, in ns, that the task may use in each cpu_period. It is
   * the time that gives the task cpu_mhz on this machine. 0 if cores are reserved. */
  int64_t cpu_quota;
  /* The members from here on are there since minor 1. */
  drover_str hostname; /* the name of the task's host in its network; empty means none is wanted */
  /* Of drover_pair: labels that the job wants its tasks to have. The host adds none of its own. A
   * driver may ignore them. */
  drover_array labels;
  /* Of drover_str: how the task looks names up. All three are empty if it does so as the host. */
  drover_array dns_servers;  /* IP addresses */
  drover_array dns_searches; /* domains */
  drover_array dns_options;  /* such as "ndots:2" */
} drover_task_config;

/* The data by which recover finds the task again. Only the driver interprets the bytes in
 * state. */
typedef struct drover_task_handle {
  uint32_t struct_size;
  uint32_t format_version;   /* the version of the driver's own format */
  drover_str driver_version; /* the version of the plugin that wrote the handle; set by the host */
  drover_str state;
} drover_task_handle;

typedef struct drover_driver_network {
  uint32_t struct_size;
  uint32_t auto_advertise;
  drover_str ip;
  drover_array ports; /* of drover_port, each with label and value */
} drover_driver_network;

typedef struct drover_exit_result {
  uint32_t struct_size;
  int32_t exit_code;
  int32_t signal; /* 0 means none */
  uint32_t oom_killed;
  drover_str error; /* why the true result is not known; empty if it is known */
} drover_exit_result;

typedef struct drover_task_status {
  uint32_t struct_size;
  int32_t state;      /* enum drover_task_state */
  int64_t started_at; /* in ns since 1970; 0 means not started yet */
  int64_t completed_at;
  const drover_exit_result* exit_result; /* null while the task runs */
  drover_array attributes;               /* of drover_pair */
} drover_task_status;

/* ---------------------------------------------------------------------------------- calls */

/* One call of an asynchronous verb. The struct is valid during the verb only. The id is valid until
 * the call is completed. */
typedef struct drover_call {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t id;
  drover_run_id run_id; /* zero if the call does not belong to a run */
  int64_t deadline;     /* in ns of CLOCK_BOOTTIME; INT64_MAX means none */
} drover_call;

typedef struct drover_create_args {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str config; /* JSON, valid under config_schema, with its defaults */
} drover_create_args;

typedef struct drover_instance drover_instance; /* the driver's own type; opaque to the host */

typedef struct drover_create_result {
  uint32_t struct_size;
  uint32_t reserved;
  drover_instance* instance;
  /* Describes the instance. Null means that the library's info describes it. Only fs_isolation and
   * offers may differ from the library's info, if the instance's configuration decides them. */
  const drover_info* info;
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
  const drover_driver_network* network; /* null means the host's network */
} drover_start_result;

typedef struct drover_recover_args {
  uint32_t struct_size;
  uint32_t reserved;
  const drover_task_config* config;
  /* Null if no handle was stored; the start may then never have happened. */
  const drover_task_handle* handle;
} drover_recover_args;

/* An error of recover decides what the host does next:
 *   - E_NOT_FOUND means that the driver does not know the run, and that no part of it runs. If no
 *     handle was stored, the host may then start the task again.
 *   - E_TIMEOUT: the host calls recover again later.
 *   - E_UNAVAILABLE, if it is recoverable: the host calls recover again later.
 *   - E_UNIMPLEMENTED, from a driver that cannot recover tasks, and any other error: the host calls
 *     destroy with force for the run before it starts the task again. */
typedef struct drover_recover_result {
  uint32_t struct_size;
  int32_t state; /* DROVER_TASK_RUNNING or DROVER_TASK_EXITED */
  /* Null means that the stored handle does not change. Only recover can replace a handle. The
   * network that start returned does not change. */
  const drover_task_handle* handle;
  const drover_exit_result* exit_result; /* the result of a task that has exited */
} drover_recover_result;

typedef struct drover_wait_args {
  uint32_t struct_size;
  uint32_t reserved;
} drover_wait_args;

typedef struct drover_stop_args {
  uint32_t struct_size;
  uint32_t reserved;
  int64_t timeout;   /* in ns; 0 kills the task at once */
  drover_str signal; /* "SIGINT"; empty means the driver's default signal */
} drover_stop_args;

typedef struct drover_signal_args {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str name; /* "SIGHUP" */
} drover_signal_args;

typedef struct drover_destroy_args {
  uint32_t struct_size;
  uint32_t force; /* if 0, destroy of a running task fails with E_FAILED_PRECONDITION */
} drover_destroy_args;

typedef struct drover_inspect_args {
  uint32_t struct_size;
  uint32_t reserved;
} drover_inspect_args;

typedef struct drover_restore_complete_args {
  uint32_t struct_size;
  uint32_t reserved;
  /* Of drover_run_id: all runs that the host knows. The driver may remove all other runs. */
  drover_array run_ids;
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

/* Every message begins with these members. */
typedef struct drover_message {
  uint32_t struct_size;
  int32_t type; /* enum drover_message_type */
} drover_message;

/* All attributes are texts. Numbers are texts, too ("8192"). */
typedef struct drover_fingerprint {
  uint32_t struct_size;
  int32_t type;
  int32_t health; /* enum drover_health */
  uint32_t reserved;
  drover_str description;
  drover_array attributes; /* of drover_pair */
} drover_fingerprint;

/* The host uses the time of arrival as the time of an event. */
typedef struct drover_event {
  uint32_t struct_size;
  int32_t type;
  drover_run_id run_id;
  drover_str message;
  drover_array annotations; /* of drover_pair */
} drover_event;

/* Bits of drover_usage.measured. A bit is set if the member of its name was measured. */
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
  int32_t pid; /* the pid of one process in a list of processes; 0 for the whole task */
  uint64_t measured;
  /* All eight members are in bytes. */
  uint64_t rss, cache, swap, mapped_file, usage, max_usage, kernel_usage, kernel_max_usage;
  double system_mode, user_mode, percent; /* all in percent of one core */
  double total_ticks;                     /* in MHz */
  uint64_t throttled_periods;
  uint64_t throttled_time; /* in ns */
} drover_usage;

typedef struct drover_stats {
  uint32_t struct_size;
  int32_t type;
  int64_t timestamp; /* ns since 1970 */
  const drover_usage* total;
  drover_array processes; /* of drover_usage; empty is allowed without DROVER_STATS_PROCESSES */
} drover_stats;

/* Bits that request more data in a sample than the total. The side that takes the sample ignores
 * bits that it does not know. */
#define DROVER_STATS_PROCESSES (1u << 0) /* each process; this costs far more than the total */

/* ----------------------------------------------- the functions of the host, passed to create */

/* The host calls this function when an operation of a service has ended. ERROR is null on success.
 * RESULT is the result of the service, or null. A driver cannot cancel an accepted operation,
 * except an exec session. An operation ends by itself, or the host ends it before shutdown. The
 * host may give a call up while the driver waits for an operation that the call needs. The driver
 * then completes the call, and does not wait for the operation. When DONE is called later for that
 * operation, the driver closes the descriptors that are GIVEN to it, and ignores the other results.
 * [callback] */
typedef void (*drover_done)(void* context, const drover_error* error, const void* result);

typedef struct drover_host drover_host;
struct drover_host {
  uint32_t struct_size;
  uint32_t abi_minor;

  /* Returns the service with the id ID ("drover.process/1"), or null. The answer for an id never
   * changes. [any-thread] */
  const void* (*get_extension)(const drover_host* host, drover_str id);

  /* Completes a call of an asynchronous verb. On success ERROR is null, and RESULT is the verb's
   * result struct or null. The function copies ERROR and RESULT. A late completion is dropped.
   * If a start succeeded after it was given up, destroy follows. [any-thread] */
  void (*complete)(const drover_host* host, uint64_t call_id, const drover_error* error,
                   const void* result);
  /* Returns 1 if the call was cancelled or is not known. [any-thread] */
  int32_t (*call_is_cancelled)(const drover_host* host, uint64_t call_id);
  /* Returns in OUT a file descriptor that becomes readable when the call is cancelled. The
   * descriptor is GIVEN to the driver. After the completion of the call, the function fails with
   * E_NOT_FOUND. [any-thread] */
  int32_t (*call_cancel_fd)(const drover_host* host, uint64_t call_id, drover_fd* out,
                            drover_error* error);

  /* Sends one message on a stream; the message is copied. Returns 0 if the stream stays open.
   * Returns 1 if the stream is cancelled; the driver must then end the stream. The function does
   * not wait until the message is read. If several fingerprints or several samples are unread,
   * the host may drop all but the newest. Unread events beyond some hundreds are dropped.
   * [any-thread] */
  int32_t (*stream_send)(const drover_host* host, uint64_t stream_id,
                         const drover_message* message);
  /* Ends a stream. ERROR is null if the stream ends without an error. After a RECOVERABLE error,
   * the host subscribes again later. [any-thread] */
  void (*stream_end)(const drover_host* host, uint64_t stream_id, const drover_error* error);
};

/* ------------------------------------------------------------------- the verbs of the driver */

/*
 * The list of the asynchronous verbs, each as X(verb, tag). The members of drover_driver, the SDK's
 * thunks, the host's calls and the trace are made from this list. The arguments of a verb "v" are
 * drover_v_args. The list does not change, since its members lie in the middle of drover_driver.
 * Later verbs come in optional parts, or in a second list after call_cancelled. The right column
 * has the result of each verb.
 *
 *   configure         takes a new configuration for a living instance     -> drover_empty_result
 *   start             starts a task                                       -> drover_start_result
 *   recover           takes over a task that an earlier agent started     -> drover_recover_result
 *   wait              completes when the task has ended; may be called any
 *                     number of times, also after the end, until destroy  -> drover_exit_result
 *   stop              sends the signal, waits for the timeout, then kills
 *                     the task; completes when the task has ended         -> drover_empty_result
 *   signal            sends a signal to the task; completes when the task
 *                     has received it                                     -> drover_empty_result
 *   destroy           forgets the task; stops it by force if it runs and
 *                     force is set                                        -> drover_empty_result
 *   inspect           returns the status of a task                        -> drover_task_status
 *   restore_complete  is called once after create, before the first start -> drover_empty_result
 *   shutdown          ends the instance: the driver completes all calls,
 *                     ends all streams and frees the instance. The tasks
 *                     go on running                                       -> drover_empty_result
 *
 * A verb on a run that the driver does not know fails with E_NOT_FOUND. For a run that the driver
 * knows already, start fails with E_FAILED_PRECONDITION and recover succeeds.
 */
#define DROVER_ASYNC_VERBS(X)      \
  X(configure, "[control]")        \
  X(start, "[task]")               \
  X(recover, "[task]")             \
  X(wait, "[any-thread]")          \
  X(stop, "[task]")                \
  X(signal, "[any-thread]")        \
  X(destroy, "[task]")             \
  X(inspect, "[any-thread]")       \
  X(restore_complete, "[control]") \
  X(shutdown, "[control]")

#define DROVER_VERB_MEMBER(verb, tag)                              \
  int32_t (*verb)(drover_instance * self, const drover_call* call, \
                  const drover_##verb##_args* args, drover_error* error);

typedef struct drover_driver {
  uint32_t struct_size;
  uint32_t abi_major;      /* DROVER_ABI_MAJOR */
  uint32_t min_host_minor; /* the lowest minor of a host with which this driver works */
  uint32_t reserved;

  const drover_info* (*info)(void); /* [any-thread] */

  /* Makes an instance. A library may have several instances.  -> drover_create_result [control] */
  int32_t (*create)(const drover_host* host, const drover_call* call,
                    const drover_create_args* args, drover_error* error);

  /* Returns the optional part with the id ID ("drover.task-stats/1"), or null. The host calls it
   * after create. The answer for an id is constant for an instance. [any-thread] */
  const void* (*get_extension)(drover_instance* self, drover_str id);

  DROVER_ASYNC_VERBS(DROVER_VERB_MEMBER)

  /* Begins a stream of drover_fingerprint. The driver sends the first fingerprint soon, then one at
   * each change. [control] */
  int32_t (*fingerprint)(drover_instance* self, uint64_t stream_id, drover_error* error);
  /* Begins a stream of drover_event. [control] */
  int32_t (*events)(drover_instance* self, uint64_t stream_id, drover_error* error);

  /* The host wants no more messages of this stream. The driver must end the stream soon. Returns at
   * once. [any-thread] */
  void (*stream_cancel)(drover_instance* self, uint64_t stream_id);
  /* Waits until the driver sends nothing more on the stream. Returns E_TIMEOUT at DEADLINE (in ns
   * of CLOCK_BOOTTIME). A stream that the driver does not know counts as ended. Only this function
   * may block, until DEADLINE. [any-thread] */
  int32_t (*stream_join)(drover_instance* self, uint64_t stream_id, int64_t deadline,
                         drover_error* error);
  /* The host has given the call up. The driver must complete the call soon, with any result.
   * Returns at once. The host may call this function before the verb itself, more than once, and
   * for a call that is completed: see "Cancellation" above. The host never calls this function for
   * a shutdown, which frees SELF. [any-thread] */
  void (*call_cancelled)(drover_instance* self, uint64_t call_id);
} drover_driver;

/* The type of drover_driver_entry_v1, the only function that a driver exports. */
typedef const drover_driver* (*drover_driver_entry)(void);

/* ----------------------------------------------------------- the optional parts of the driver */

#define DROVER_TASK_STATS_ID "drover.task-stats/1"

typedef struct drover_stats_args {
  uint32_t struct_size;
  uint32_t flags;   /* DROVER_STATS_... */
  int64_t interval; /* in ns */
} drover_stats_args;

typedef struct drover_task_stats {
  uint32_t struct_size;
  uint32_t reserved;
  /* Begins a stream of drover_stats. The driver sends the first sample at once, then one at each
   * interval. A driver may end the stream at any time: the host calls stats again after an
   * interval. After E_UNIMPLEMENTED the host never calls stats again. [any-thread] */
  int32_t (*stats)(drover_instance* self, uint64_t stream_id, const drover_run_id* run,
                   const drover_stats_args* args, drover_error* error);
} drover_task_stats;

#define DROVER_TASK_EXEC_ID "drover.task-exec/1"

typedef struct drover_exec_args {
  uint32_t struct_size;
  uint32_t tty;
  drover_array command; /* of drover_str */
  int32_t width, height;
  drover_fd input; /* GIVEN; the session reads from this descriptor */
  /* output and error are GIVEN. The session writes to both, or with a tty to output only. */
  drover_fd output;
  drover_fd error;
} drover_exec_args;

typedef struct drover_task_exec {
  uint32_t struct_size;
  uint32_t reserved;
  /* Runs an extra command for a running task. The command has the user, the limits, the root, the
   * namespaces and the environment of the task. The call's id identifies the session. The call
   * completes when the session ends. A cancellation of the call ends the session.
   *                                                         -> drover_exit_result [any-thread] */
  int32_t (*exec)(drover_instance* self, const drover_call* call, const drover_exec_args* args,
                  drover_error* error);
  /* [any-thread] */
  int32_t (*resize)(drover_instance* self, uint64_t session_id, int32_t width, int32_t height,
                    drover_error* error);
} drover_task_exec;

/* ------------------------------------------------------------------- the services of the host */

#define DROVER_PROCESS_ID "drover.process/1"

#define DROVER_ISOLATE_ROOT (1u << 0)     /* own root file system; all other flags need this one */
#define DROVER_ISOLATE_PIDS (1u << 1)     /* the process sees only processes of its run */
#define DROVER_ISOLATE_IPC (1u << 2)      /* the process shares memory and IPC only with its run */
#define DROVER_ISOLATE_CALLS (1u << 3)    /* filtered system calls, and no new privileges */
#define DROVER_ISOLATE_NO_PIVOT (1u << 4) /* use chroot where pivot_root is not possible */
/* The memory, the processor shares and the cores of the task configuration limit the process, as
 * far as this machine has cgroups for them. Cores that the process cannot have are an error. */
#define DROVER_ISOLATE_RESOURCES (1u << 5)
/* Together with RESOURCES: the process gets no more processor time than its cpu_mhz, even on an
 * idle machine. */
#define DROVER_ISOLATE_CPU_HARD (1u << 6)

/* Isolates a process from the host and from other tasks. The agent must be root. Inside the root,
 * the directories of the task configuration are /alloc (with /alloc/logs read-only), /local,
 * /secrets and /tmp. The mounts and devices of the task configuration are at the paths that the
 * task configuration names. Everything else in the root is read-only. The process makes no core
 * files and has at most 65536 file descriptors. A driver that uses this struct must declare
 * fs_isolation DROVER_FS_CHROOT. The host refuses a flag that it does not know. */
typedef struct drover_isolation {
  uint32_t struct_size;
  uint32_t flags; /* DROVER_ISOLATE_... */
  /* Of drover_str, such as "net_bind_service": the capabilities of a process that runs as root. */
  drover_array capabilities;
  /* Of drover_str: the capabilities of a process that runs as a user other than root. All of them
   * must also be in the member capabilities. */
  drover_array ambient_capabilities;
  /* Of drover_pair: a path on the host, and the path in the root where it appears read-only. If
   * there is no pair, the paths are /bin, /etc, /lib, /lib32, /lib64, /run/resolvconf,
   * /run/systemd/resolve, /sbin and /usr. Paths that the host does not have are left out. */
  drover_array root_paths;
  int64_t max_processes; /* the limit of processes and threads; 0 means no limit */
} drover_isolation;

/* Describes the process of a run. The host starts the process under the run's id, through a shim of
 * its own. The host tracks every descendant, and writes log files with rotation. It keeps an exit
 * record that survives the agent. */
typedef struct drover_process_start_args {
  uint32_t struct_size;
  int32_t oom_score_adj;
  drover_array argv; /* of drover_str; the first is an absolute path */
  drover_array env;  /* of drover_pair */
  drover_str work_dir;
  drover_str user; /* a name or a number; empty means the agent's user */
  /* Null means no isolation. With isolation, argv may begin with a plain name, which is looked up
   * in the PATH inside the root. */
  const drover_isolation* isolation;
  /* The next two members name cgroups of the operator, whose limits then hold for the run. These
   * cgroups must exist, and must stay. Their paths are relative to the mount point of the
   * hierarchy, or begin with it. They must not be combined with limits of the isolation.
   *
   * The member cgroup names a cgroup of version 2. The host makes the cgroup that tracks the run
   * inside this cgroup, or inside the host's own cgroup if the member is empty. */
  drover_str cgroup;
  drover_array v1_cgroups; /* of drover_pair: a controller of version 1, and the cgroup to enter */
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
  int32_t number;  /* the number of the signal */
  int64_t timeout; /* in ns; SIGKILL follows after this time */
} drover_process_stop_args;

typedef struct drover_process_state {
  uint32_t struct_size;
  int32_t state; /* DROVER_TASK_RUNNING or DROVER_TASK_EXITED */
  int32_t pid;
  int32_t reserved;
  int64_t started_at; /* ns since 1970 */
  const drover_exit_result* exit_result;
} drover_process_state;

/*
 * The functions of the process service, each as X(function, arguments, result). Each function is
 * asynchronous. It calls DONE once, unless the host refuses the operation.
 *   start    starts the process of a run. It succeeds only if the program runs. It fails with
 *            E_FAILED_PRECONDITION if the run has a process already
 *   attach   finds the process of a run again after a restart of the agent. It fails with
 *            E_NOT_FOUND if the run has no process
 *   wait     waits for the end of the process
 *   signal   sends a signal to the process
 *   stop     sends a signal to the process. When the process has ended, or after the timeout, it
 *            sends SIGKILL to all remaining processes of the run
 *   kill     sends SIGKILL to the process and every descendant
 *   release  kills the remaining processes and forgets the run, its exit record and its cgroup
 *   usage    returns one sample as drover_stats
 *   exec     runs an extra command for the run. exec_end cancels the command. CONTEXT identifies
 *            the session. No other session whose DONE has not returned may have the same CONTEXT
 */
#define DROVER_PROCESS_FUNCTIONS(X)                          \
  X(start, drover_process_start_args, drover_process_info)   \
  X(attach, drover_process_none_args, drover_process_state)  \
  X(wait, drover_process_none_args, drover_exit_result)      \
  X(signal, drover_process_signal_args, drover_empty_result) \
  X(stop, drover_process_stop_args, drover_empty_result)     \
  X(kill, drover_process_none_args, drover_empty_result)     \
  X(release, drover_process_none_args, drover_empty_result)  \
  X(usage, drover_process_usage_args, drover_stats)          \
  X(exec, drover_exec_args, drover_exit_result)

#define DROVER_PROCESS_MEMBER(function, args_type, result_type)                                 \
  int32_t (*function)(const drover_host* host, const drover_run_id* run, const args_type* args, \
                      drover_done done, void* context, drover_error* error); /* [any-thread] */

/* The functions of the process service. The host already knows the logs, the kill_timeout and the
 * run id of the task configuration, so the driver does not pass them. */
typedef struct drover_process {
  uint32_t struct_size;
  uint32_t reserved;
  DROVER_PROCESS_FUNCTIONS(DROVER_PROCESS_MEMBER)
  /* CONTEXT is the CONTEXT that the driver passed to exec. It identifies the exec session. The host
   * does not know a session that has ended: exec_end does nothing for it. A driver that may still
   * call these functions for an old session must not use the same CONTEXT for a new session.
   * [any-thread] */
  int32_t (*exec_resize)(const drover_host* host, void* context, int32_t width, int32_t height,
                         drover_error* error);
  void (*exec_end)(const drover_host* host, void* context);
} drover_process;

#define DROVER_TASK_OUTPUT_ID "drover.task-output/1"

/* Output pipes for drivers whose tasks are not processes of the host. A shim reads the pipes and
 * rotates the log files, as a shim does for a process. The shim ends when both pipes are closed. */
typedef struct drover_task_output_pipes {
  uint32_t struct_size;
  uint32_t reserved;
  drover_fd output; /* output and error are GIVEN to the driver */
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
  /* Writes a line to the agent's log. RUN may be null. Never blocks. [any-thread] */
  void (*write)(const drover_host* host, int32_t level, const drover_run_id* run,
                drover_str message);
} drover_diag_log;

#define DROVER_TIMER_ID "drover.timer/1"

typedef struct drover_timer {
  uint32_t struct_size;
  uint32_t reserved;
  /* Calls FUNCTION once after DELAY, which is in ns of CLOCK_BOOTTIME. Returns the timer's id,
   * which is never 0. A driver must cancel its timers before it completes shutdown. [any-thread] */
  uint64_t (*after)(const drover_host* host, int64_t delay, void (*function)(void* context),
                    void* context);
  /* Returns 1 if the function will not run. Returns 0 if it has run, is running, or the id is
   * unknown. cancel does not wait for a function that is running. So the driver itself must count
   * the functions that have not returned. [any-thread] */
  int32_t (*cancel)(const drover_host* host, uint64_t timer_id);
} drover_timer;

/* ------------------------------------------------------------------------------- the manifest */

#define DROVER_MANIFEST_SECTION ".drover_manifest"
#define DROVER_MANIFEST_MAGIC "DROVERM0"

/* The manifest of a plugin. It is in the section DROVER_MANIFEST_SECTION, and can be read without
 * loading the library. Texts end with NUL. */
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
