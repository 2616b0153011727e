/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands: the service of the host that runs a helper program for a plugin, and returns what the
 * program has written.
 *
 * This service is a DRAFT. Its id ends in "/draft", and it comes with no promise: a later version
 * of Drover may change it, and then gives it another id. The rules at the top of drover.h hold
 * here, too.
 *
 * A driver must not start processes by itself. A process of a task belongs to drover.process. This
 * service is for programs that end soon and that belong to no task: a credential helper, qemu-img,
 * the clean-up of a runtime.
 *
 * The host starts the program in a session of its own, without a shell, with no descriptors but its
 * standard ones, with the umask 022 and without blocked or ignored signals. When the program has
 * ended, the host kills every process that the program has started and that still runs, also one
 * with a session of its own. It does the same at the deadline, at a cancellation, at the end of
 * the instance, at the death of the plugin's process, and when the agent ends.
 *
 * At most DROVER_COMMANDS_AT_A_TIME commands of an instance run at the same time. The others wait
 * for their turn. A command has its own deadline from its start on.
 */
#ifndef DROVER_DROVER_COMMAND_H
#define DROVER_DROVER_COMMAND_H

#include "drover/drover.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_COMMAND_ID "drover.command/1/draft"

#define DROVER_COMMANDS_AT_A_TIME 8
#define DROVER_COMMANDS_WAITING 256         /* more than these are refused */
#define DROVER_COMMAND_OUTPUT 65536         /* in bytes; the default of max_output */
#define DROVER_COMMAND_OUTPUT_MAX 4194304   /* in bytes */
#define DROVER_COMMAND_INPUT_MAX 1048576    /* in bytes */
#define DROVER_COMMAND_ARGUMENTS_MAX 131072 /* in bytes; of argv and of env */

typedef struct drover_command_args {
  uint32_t struct_size;
  uint32_t reserved;
  /* Of drover_str. The first is an absolute path, or a plain name. A plain name is looked up in the
   * absolute directories of the variable PATH in env, or of the usual PATH if env has none. */
  drover_array argv;
  drover_array env;    /* of drover_pair: the whole environment */
  drover_str work_dir; /* an absolute path; empty means "/" */
  drover_str user;     /* a name or a number; empty means the agent's user */
  drover_str input;    /* bytes that the program reads from its standard input, then its end */
  int64_t timeout;     /* in ns; 0 means the operator's limit, which no timeout exceeds */
  int64_t max_output;  /* in bytes, of each output; 0 means DROVER_COMMAND_OUTPUT */
  /* In bytes; 0 means none. It limits the memory that each process of the program may have of its
   * own (RLIMIT_DATA). */
  int64_t memory_limit;
} drover_command_args;

#define DROVER_COMMAND_OUTPUT_TRUNCATED (1u << 0)
#define DROVER_COMMAND_ERROR_TRUNCATED (1u << 1)

typedef struct drover_command_result {
  uint32_t struct_size;
  uint32_t flags; /* DROVER_COMMAND_... */
  const drover_exit_result* exit_result;
  /* Bytes, not text. Each has the first max_output bytes that the program has written. The rest is
   * read and dropped, so the program does not wait. */
  drover_str output;
  drover_str error;
} drover_command_result;

typedef struct drover_command {
  uint32_t struct_size;
  uint32_t reserved;
  /* Runs a program and calls DONE when it has ended, with any exit code or signal. CONTEXT
   * identifies the command for cancel. No other command whose DONE has not returned may have the
   * same CONTEXT. Errors that DONE gets:
   *   E_NOT_FOUND, E_PERMISSION_DENIED   the program, the directory or the user cannot be used
   *   E_TIMEOUT                          the time was over; the program was killed
   *   E_CANCELLED, E_UNAVAILABLE         the command was cancelled, or the instance ends
   *   E_RESOURCE_EXHAUSTED               too many commands wait, or the host has no process left
   *                                                      -> drover_command_result [any-thread] */
  int32_t (*run)(const drover_host* host, const drover_command_args* args, drover_done done,
                 void* context, drover_error* error);
  /* Kills the program. DONE is then called soon, with E_CANCELLED unless the program has ended
   * before. Does nothing if the command has ended. Returns at once. [any-thread] */
  void (*cancel)(const drover_host* host, void* context);
} drover_command;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_COMMAND_H */
