/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for drivers in C11 whose task is one process of the host's process service. They are the
 * verbs recover, wait, stop, signal, destroy and inspect, and what a driver needs for its start.
 *
 * The driver keeps no tasks: the host finds the process by the run id that comes with each call.
 * The helpers keep the calls (drover_c.h), since a call must be completed when the host gives it
 * up, while the operation of the service goes on.
 *
 *   static int32_t start(drover_instance* self, const drover_call* call,
 *                        const drover_start_args* args, drover_error* error) {
 *     const drover_str argv[] = {DROVER_C_TEXT("/bin/date")};
 *     drover_process_start_args process = drover_c_process_of(args->config);
 *     process.argv = DROVER_C_ARRAY(argv);
 *     return drover_c_process_start(self, call, &process, error);
 *   }
 *
 * The driver declares DROVER_NEEDS_PROCESS_SERVICE and DROVER_CAP_SIGNALS. Its instance begins with
 * a drover_c_base. Each function may be called on any thread, and does not block.
 */
#ifndef DROVER_DROVER_C_PROCESS_H
#define DROVER_DROVER_C_PROCESS_H

#include <signal.h>

#include "drover/drover_c.h"

/* ----------------------------------------------------------------- operations of the service */

/* Enters CALL and calls FUNCTION of the process service for its run. DONE gets the drover_c_call as
 * its context, and must answer it. A refusal of the service refuses the call. The macro is the body
 * of a function that has SELF, CALL and ERROR, and returns from it.
 *   DROVER_C_FORWARD(kill, &none, 0, drover_c_pass_on); */
#define DROVER_C_FORWARD(function, args, flags, done)                                           \
  do {                                                                                          \
    drover_c_base* const base_ = drover_c_base_of(self);                                        \
    drover_c_call* open_;                                                                       \
    if (base_->process == NULL) {                                                               \
      return drover_c_refuse(error, DROVER_E_UNIMPLEMENTED, "the host has no process service"); \
    }                                                                                           \
    open_ = drover_c_open(base_, call, flags, error);                                           \
    if (open_ == NULL) return DROVER_E_RESOURCE_EXHAUSTED;                                      \
    return drover_c_forwarded(                                                                  \
        open_, base_->process->function(base_->host, &open_->run, args, done, open_, error));   \
  } while (0)

/* Returns what a verb must return after the service has returned CODE for CALL. If the service has
 * accepted the operation, its DONE owns the call. */
DROVER_C_API int32_t drover_c_forwarded(drover_c_call* call, int32_t code) {
  return code == DROVER_OK ? (int32_t)DROVER_OK : drover_c_refused(call, code);
}

/* A DONE that answers the call with the result of the service: that of wait, signal, stop, kill and
 * release is the result of the verb, too. */
DROVER_C_API void drover_c_pass_on(void* context, const drover_error* error, const void* result) {
  drover_c_answer((drover_c_call*)context, error, result);
}

/* The arguments of attach, wait, kill and release. */
DROVER_C_API drover_process_none_args drover_c_none(void) {
  drover_process_none_args out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  return out;
}

/* Returns a copy of the state that attach has passed to a DONE. Members that the host does not know
 * are zero. The exit result is valid during the DONE only. */
DROVER_C_API drover_process_state drover_c_state_of(const void* result) {
  drover_process_state out;
  uint32_t size;
  memset(&out, 0, sizeof out);
  memcpy(&size, result, sizeof size);
  memcpy(&out, result, size < sizeof out ? size : sizeof out);
  return out;
}

/* Returns the number of a signal such as "SIGTERM" or "TERM", or 0 if there is none. */
DROVER_C_API int32_t drover_c_signal_number(drover_str name) {
  static const struct {
    const char* name;
    int32_t number;
  } kKnown[] = {
      {"ABRT", SIGABRT},     {"ALRM", SIGALRM},   {"BUS", SIGBUS},   {"CHLD", SIGCHLD},
      {"CONT", SIGCONT},     {"FPE", SIGFPE},     {"HUP", SIGHUP},   {"ILL", SIGILL},
      {"INT", SIGINT},       {"IO", SIGIO},       {"IOT", SIGABRT},  {"KILL", SIGKILL},
      {"PIPE", SIGPIPE},     {"POLL", SIGPOLL},   {"PROF", SIGPROF}, {"PWR", SIGPWR},
      {"QUIT", SIGQUIT},     {"SEGV", SIGSEGV},   {"STKFLT", 16},    {"STOP", SIGSTOP},
      {"SYS", SIGSYS},       {"TERM", SIGTERM},   {"TRAP", SIGTRAP}, {"TSTP", SIGTSTP},
      {"TTIN", SIGTTIN},     {"TTOU", SIGTTOU},   {"URG", SIGURG},   {"USR1", SIGUSR1},
      {"USR2", SIGUSR2},     {"WINCH", SIGWINCH}, {"XCPU", SIGXCPU}, {"XFSZ", SIGXFSZ},
      {"VTALRM", SIGVTALRM},
  };
  size_t i;
  if (name.size > 3 && memcmp(name.data, "SIG", 3) == 0) {
    name.data += 3;
    name.size -= 3;
  }
  for (i = 0; i < sizeof kKnown / sizeof kKnown[0]; ++i) {
    if (drover_c_equal(name, kKnown[i].name)) return kKnown[i].number;
  }
  return 0;
}

/* ----------------------------------------------------------------------------------- start */

/* Returns the arguments of a process that has the environment, the directory and the user of TASK.
 * The caller adds argv. The rest is valid as long as TASK. */
DROVER_C_API drover_process_start_args drover_c_process_of(const drover_task_config* task) {
  drover_process_start_args out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.env = task->env;
  out.work_dir = task->task_dir;
  out.user = task->user;
  return out;
}

/* The DONE of a start: completes it with a handle that says nothing, since the run id is enough to
 * find the process again. */
DROVER_C_API void drover_c_started(void* context, const drover_error* error, const void* result) {
  drover_task_handle handle;
  drover_start_result out;
  (void)result;
  memset(&handle, 0, sizeof handle);
  handle.struct_size = sizeof handle;
  handle.format_version = 1;
  handle.state = drover_c_text("-");
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.handle = &handle;
  drover_c_answer((drover_c_call*)context, error, &out);
}

/* Starts PROCESS for the run of CALL. Call it at the end of the verb start, and return its result:
 * the call is accepted or refused then. PROCESS need not outlive the call of this function. */
DROVER_C_API int32_t drover_c_process_start(drover_instance* self, const drover_call* call,
                                            const drover_process_start_args* process,
                                            drover_error* error) {
  DROVER_C_FORWARD(start, process, 0, drover_c_started);
}

/* Sends SIGKILL to the process of the run and to every descendant, and completes CALL, whose result
 * is empty. For verbs of the driver's own. */
DROVER_C_API int32_t drover_c_process_kill(drover_instance* self, const drover_call* call,
                                           drover_error* error) {
  const drover_process_none_args none = drover_c_none();
  DROVER_C_FORWARD(kill, &none, 0, drover_c_pass_on);
}

/* Asks for one sample of the usage of RUN, of each process too if PROCESSES is not 0. DONE gets
 * CONTEXT, and a drover_stats to pass on by drover_c_send. Returns the code of the service. */
DROVER_C_API int32_t drover_c_process_usage(drover_c_base* base, const drover_run_id* run,
                                            int processes, drover_done done, void* context,
                                            drover_error* error) {
  drover_process_usage_args args;
  if (base->process == NULL) {
    return drover_c_refuse(error, DROVER_E_UNIMPLEMENTED, "the host has no process service");
  }
  memset(&args, 0, sizeof args);
  args.struct_size = sizeof args;
  if (processes) args.flags = DROVER_STATS_PROCESSES;
  return base->process->usage(base->host, run, &args, done, context, error);
}

/* --------------------------------------------------------------------------------- the verbs */

DROVER_C_API void drover_c_recovered(void* context, const drover_error* error, const void* result) {
  drover_recover_result out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  if (error == NULL) {
    const drover_process_state state = drover_c_state_of(result);
    out.state = state.state;
    out.exit_result = state.exit_result;
  }
  drover_c_answer((drover_c_call*)context, error, &out);
}

/* For drover_driver.recover. */
DROVER_C_API int32_t drover_c_process_recover(drover_instance* self, const drover_call* call,
                                              const drover_recover_args* args,
                                              drover_error* error) {
  const drover_process_none_args none = drover_c_none();
  (void)args;
  DROVER_C_FORWARD(attach, &none, 0, drover_c_recovered);
}

/* For drover_driver.wait. */
DROVER_C_API int32_t drover_c_process_wait(drover_instance* self, const drover_call* call,
                                           const drover_wait_args* args, drover_error* error) {
  const drover_process_none_args none = drover_c_none();
  (void)args;
  DROVER_C_FORWARD(wait, &none, DROVER_C_GIVES_UP, drover_c_pass_on);
}

/* For drover_driver.stop. Without a signal in the arguments it sends SIGINT. */
DROVER_C_API int32_t drover_c_process_stop(drover_instance* self, const drover_call* call,
                                           const drover_stop_args* args, drover_error* error) {
  drover_process_stop_args out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.number = args->signal.size == 0 ? SIGINT : drover_c_signal_number(args->signal);
  out.timeout = args->timeout;
  if (out.number == 0) return drover_c_refuse(error, DROVER_E_INVALID_ARGUMENT, "unknown signal");
  DROVER_C_FORWARD(stop, &out, DROVER_C_GIVES_UP, drover_c_pass_on);
}

/* For drover_driver.signal. */
DROVER_C_API int32_t drover_c_process_signal(drover_instance* self, const drover_call* call,
                                             const drover_signal_args* args, drover_error* error) {
  drover_process_signal_args out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  out.number = drover_c_signal_number(args->name);
  if (out.number == 0) return drover_c_refuse(error, DROVER_E_INVALID_ARGUMENT, "unknown signal");
  DROVER_C_FORWARD(signal, &out, 0, drover_c_pass_on);
}

/* Releases the run, unless its process still runs. */
DROVER_C_API void drover_c_release_ended(void* context, const drover_error* error,
                                         const void* result) {
  drover_c_call* const call = (drover_c_call*)context;
  drover_c_base* const base = call->base;
  const drover_process_none_args none = drover_c_none();
  drover_error own;
  if (error != NULL) {
    drover_c_answer(call, error, NULL);
    return;
  }
  if (drover_c_state_of(result).state == DROVER_TASK_RUNNING) {
    drover_c_answer_error(call, DROVER_E_FAILED_PRECONDITION, "cannot destroy running task");
    return;
  }
  own = drover_c_error(DROVER_E_INTERNAL, "the host has refused to release the run");
  if (base->process->release(base->host, &call->run, &none, drover_c_pass_on, call, &own) !=
      DROVER_OK) {
    drover_c_answer(call, &own, NULL);
  }
}

/* For drover_driver.destroy: kills what is left of the run and forgets it. Without force, a task
 * that runs is refused. */
DROVER_C_API int32_t drover_c_process_destroy(drover_instance* self, const drover_call* call,
                                              const drover_destroy_args* args,
                                              drover_error* error) {
  const drover_process_none_args none = drover_c_none();
  if (args->force) DROVER_C_FORWARD(release, &none, 0, drover_c_pass_on);
  DROVER_C_FORWARD(attach, &none, 0, drover_c_release_ended);
}

DROVER_C_API void drover_c_inspected(void* context, const drover_error* error, const void* result) {
  drover_task_status out;
  memset(&out, 0, sizeof out);
  out.struct_size = sizeof out;
  if (error == NULL) {
    const drover_process_state state = drover_c_state_of(result);
    out.state = state.state;
    out.started_at = state.started_at;
    out.exit_result = state.exit_result;
  }
  drover_c_answer((drover_c_call*)context, error, &out);
}

/* For drover_driver.inspect. */
DROVER_C_API int32_t drover_c_process_inspect(drover_instance* self, const drover_call* call,
                                              const drover_inspect_args* args,
                                              drover_error* error) {
  const drover_process_none_args none = drover_c_none();
  (void)args;
  DROVER_C_FORWARD(attach, &none, 0, drover_c_inspected);
}

/* The members of a drover_driver behind start, in their order. */
#define DROVER_C_PROCESS_MEMBERS                                      \
  .recover = drover_c_process_recover, .wait = drover_c_process_wait, \
  .stop = drover_c_process_stop, .signal = drover_c_process_signal,   \
  .destroy = drover_c_process_destroy, .inspect = drover_c_process_inspect

#endif /* DROVER_DROVER_C_PROCESS_H */
