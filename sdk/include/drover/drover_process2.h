/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Named processes: the service of the host that starts and manages several processes of one run,
 * such as a machine and its trusted platform module.
 *
 * This service is a DRAFT. Its id ends in "/draft", and it comes with no promise: a later version
 * of Drover may change it, and then gives it another id. The rules at the top of drover.h hold
 * here, too.
 *
 * Each process of a run has a name. The process "main" is the process of drover.process/1: both
 * services mean the same process, and the host's statistics, logs, exec and recovery are about it.
 * Each other process has a shim, an exit record and log files of its own. Their names are
 * TASK.NAME.stdout.N and TASK.NAME.stderr.N.
 *
 * All processes of a run live in the cgroup of the run, so the limits of the run hold for all of
 * them together. They may start in any order. When "main" has ended or could not be started, the
 * host kills the others. The release of "main" releases all. Like "main", the others survive the
 * agent and the plugin's process, and attach finds them again.
 *
 * A name has 1 to 32 letters, digits, "-" and "_". A run has at most DROVER_PROCESS2_MAX processes.
 */
#ifndef DROVER_DROVER_PROCESS2_H
#define DROVER_DROVER_PROCESS2_H

#include "drover/drover.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_PROCESS2_ID "drover.process/2/draft"

#define DROVER_PROCESS2_MAX 16             /* processes of a run */
#define DROVER_PROCESS2_DESCRIPTORS_MAX 16 /* descriptors beyond the standard ones */
#define DROVER_PROCESS2_LIMITS_MAX 16      /* resource limits */
#define DROVER_PROCESS2_SESSIONS_MAX 64    /* open sessions of a run */

/* The bits of drover_process2_start_args.flags. */
/* The host makes a terminal for the process: its standard descriptors, and its controlling
 * terminal. The driver gets the other side. The process gets SIGHUP when the driver closes it, also
 * by the end of the driver. */
#define DROVER_PROCESS2_TERMINAL (1u << 0)

/* A limit as of setrlimit. It replaces the host's limit of the same resource. */
typedef struct drover_process2_limit {
  uint32_t struct_size;
  int32_t resource; /* an RLIMIT_ number of Linux */
  uint64_t soft;    /* UINT64_MAX means no limit */
  uint64_t hard;
} drover_process2_limit;

typedef struct drover_process2_descriptor {
  uint32_t struct_size;
  uint32_t reserved;
  drover_fd fd;
} drover_process2_descriptor;

typedef struct drover_process2_start_args {
  uint32_t struct_size;
  uint32_t flags; /* DROVER_PROCESS2_... */
  drover_str name;
  const drover_process_start_args* process; /* as for drover.process/1; must not be null */
  /* An absolute path of a directory of the host, whose entries appear read-only in the root of the
   * process. It needs an isolation, and takes the place of root_paths. The entries dev, proc, sys,
   * alloc, local, secrets and tmp are left out, since the isolation makes them. A link among the
   * entries is followed inside the directory. Empty means the root of the isolation. */
  drover_str root;
  drover_array limits; /* of drover_process2_limit */
  /* The standard descriptors. Without an input, it is /dev/null. Without an output or error, it
   * goes to the log files. None may be given with a terminal. The host closes the descriptors with
   * the ownership GIVEN, also if it refuses the call. */
  drover_fd input;
  drover_fd output;
  drover_fd error;
  /* Of drover_process2_descriptor. They become the descriptors 3, 4 and so on of the process. No
   * element may be empty. */
  drover_array descriptors;
  int32_t width; /* of the terminal, in cells; 0 means 80 and 24 */
  int32_t height;
} drover_process2_start_args;

typedef struct drover_process2_info {
  uint32_t struct_size;
  int32_t pid;
  drover_str cgroup;  /* the directory of the cgroup of the process; empty if there is none */
  drover_fd pidfd;    /* GIVEN to the driver; empty if the process has ended */
  drover_fd terminal; /* GIVEN to the driver; only from start, with a terminal */
  int64_t started_at; /* ns since 1970 */
} drover_process2_info;

typedef struct drover_process2_state {
  uint32_t struct_size;
  int32_t state; /* DROVER_TASK_RUNNING or DROVER_TASK_EXITED */
  drover_str name;
  const drover_process2_info* info;      /* of a running process; else null */
  const drover_exit_result* exit_result; /* of an ended process; else null */
} drover_process2_state;

typedef struct drover_process2_list {
  uint32_t struct_size;
  uint32_t reserved;
  drover_array
      names; /* of drover_str: every process but "main" that was started and not released */
} drover_process2_list;

typedef struct drover_process2_name_args {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str name;
} drover_process2_name_args;

typedef struct drover_process2_signal_args {
  uint32_t struct_size;
  int32_t number;
  drover_str name;
} drover_process2_signal_args;

typedef struct drover_process2_stop_args {
  uint32_t struct_size;
  int32_t number;  /* the number of the signal */
  int64_t timeout; /* in ns; SIGKILL follows after this time */
  drover_str name;
} drover_process2_stop_args;

/* An extra command beside a process, with the user, the limits and the root of that process. */
typedef struct drover_process2_exec_args {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str name;
  uint64_t session; /* the driver's choice; no open session of the run may have the same */
  const drover_exec_args* command; /* must not be null */
} drover_process2_exec_args;

typedef struct drover_process2_session_args {
  uint32_t struct_size;
  uint32_t reserved;
  uint64_t session;
  int32_t width; /* of its terminal; only resize reads WIDTH and HEIGHT */
  int32_t height;
} drover_process2_session_args;

/*
 * The functions of the service, each as X(function, arguments, result). Each function is
 * asynchronous. It calls DONE once, unless the host refuses the operation.
 *   start        starts the process NAME of a run. It succeeds only if the program runs. It fails
 *                with E_FAILED_PRECONDITION if the run has this process already
 *   attach       finds the process NAME again after a restart of the agent. It fails with
 *                E_NOT_FOUND if the run has no such process
 *   list         returns the names of the processes
 *   wait         waits for the end of the process NAME
 *   signal       sends a signal to the process NAME
 *   stop         sends a signal to the process NAME. When it has ended, or after the timeout, sends
 *                SIGKILL to what is left of it
 *   kill         sends SIGKILL to the process NAME and its descendants. The kill of "main" kills
 *                all processes of the run
 *   release      kills what is left of the process NAME and forgets it and its exit. The release of
 *                "main" does so with all processes of the run. Its name can be used again
 *   exec         runs a command beside the process NAME until the command ends
 *   resize       sets the size of the terminal of a session. Does nothing if it has ended
 *   end_session  ends a session soon. Does nothing if it has ended
 */
#define DROVER_PROCESS2_FUNCTIONS(X)                           \
  X(start, drover_process2_start_args, drover_process2_info)   \
  X(attach, drover_process2_name_args, drover_process2_state)  \
  X(list, drover_process_none_args, drover_process2_list)      \
  X(wait, drover_process2_name_args, drover_exit_result)       \
  X(signal, drover_process2_signal_args, drover_empty_result)  \
  X(stop, drover_process2_stop_args, drover_empty_result)      \
  X(kill, drover_process2_name_args, drover_empty_result)      \
  X(release, drover_process2_name_args, drover_empty_result)   \
  X(exec, drover_process2_exec_args, drover_exit_result)       \
  X(resize, drover_process2_session_args, drover_empty_result) \
  X(end_session, drover_process2_session_args, drover_empty_result)

#define DROVER_PROCESS2_MEMBER(function, args_type, result_type)                                \
  int32_t (*function)(const drover_host* host, const drover_run_id* run, const args_type* args, \
                      drover_done done, void* context, drover_error* error); /* [any-thread] */

typedef struct drover_process2 {
  uint32_t struct_size;
  uint32_t reserved;
  /* CONTEXT also identifies the operation for cancel. No other operation of this service whose
   * DONE has not returned may have the same CONTEXT. */
  DROVER_PROCESS2_FUNCTIONS(DROVER_PROCESS2_MEMBER)
  /* Cancels an operation. Its DONE is called soon, with E_CANCELLED unless the operation has ended
   * before. A cancelled start leaves no process. A cancelled exec ends its command. The other
   * operations only stop waiting. Does nothing if the operation has ended. Returns at once.
   * [any-thread] */
  void (*cancel)(const drover_host* host, void* context);
} drover_process2;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_PROCESS2_H */
