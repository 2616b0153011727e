/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Task hooks: the optional part of a plugin that takes part in the life of each task of a node.
 *
 * This part is a DRAFT. Its id ends in "/draft", and it comes with no promise: a later version of
 * Drover may change it, and then gives it another id. The rules at the top of drover.h hold here,
 * too.
 *
 * A plugin with task hooks is a driver as drover.h describes it: it has the same entry, the same
 * instances and the same streams. Its get_extension returns a drover_task_hooks for
 * DROVER_TASK_HOOKS_ID, and its offers name the stages at which the host calls it. A plugin that
 * only has hooks sets DROVER_CAP_ONLY_TASK_HOOKS in its offers. Its verbs for tasks are then never
 * called, except restore_complete. They must be there, and may fail with E_UNIMPLEMENTED.
 *
 * The operator lists the plugins in client { task_hooks = [...] }. The host calls them in this
 * order, for every task of the node, whatever driver the task has:
 *
 *   prestart   Before each start of the task, when its directories are there. An error ends the
 *              start, and the restart policy decides what follows. If the agent dies between this
 *              call and the start, prestart is called again: it must cope with what it has done
 *              before. It is not called for a task that still runs when the agent starts.
 *   poststart  When the task runs, after each start. Also when the agent has started again and has
 *              found the task running.
 *   prekill    Before the task is stopped, also for a restart. The stop waits for the answer.
 *   exited     After each end of a run. Not for a start that has failed.
 *   stop       When the task has ended for good, also for a task that never ran. If the agent dies
 *              meanwhile, stop is called again.
 *
 * Each call has a deadline, which the operator can set. Only an error of prestart has an effect on
 * the task. All other errors go to the agent's log. If the agent dies during a call, the next agent
 * makes the call again. If the plugin is replaced during a call that does not end soon, its next
 * instance gets the call. So a call may come twice for the same run. If the agent is shut down
 * during a call, it gives the call up, and may not repeat it.
 *
 * Data. The plugin may keep some bytes for each task, as pairs of texts. The host stores them
 * before it goes on, and passes them with every later call for the task, also after a restart of
 * the agent, of the plugin or of the machine. They are removed with the allocation. The data stand
 * in the agent's state file, so a secret does not belong there.
 *
 * Everything below the directories of a task can be changed by the task at any moment. A plugin
 * that opens a path there must not follow links (openat2 with RESOLVE_BENEATH and
 * RESOLVE_NO_SYMLINKS).
 */
#ifndef DROVER_DROVER_TASK_HOOKS_H
#define DROVER_DROVER_TASK_HOOKS_H

#include "drover/drover.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_TASK_HOOKS_ID "drover.task-hooks/1/draft"

/* Offers (drover_info.offers). The first one: the plugin runs no tasks. The others: the host calls
 * the plugin at this stage. The host takes these bits from the library's info, not from that of an
 * instance. */
#define DROVER_CAP_ONLY_TASK_HOOKS (1ull << 49)
#define DROVER_CAP_HOOK_PRESTART (1ull << 50)
#define DROVER_CAP_HOOK_POSTSTART (1ull << 51)
#define DROVER_CAP_HOOK_PREKILL (1ull << 52)
#define DROVER_CAP_HOOK_EXITED (1ull << 53)
#define DROVER_CAP_HOOK_STOP (1ull << 54)

enum drover_hook_stage {
  DROVER_HOOK_PRESTART = 1,
  DROVER_HOOK_POSTSTART = 2,
  DROVER_HOOK_PREKILL = 3,
  DROVER_HOOK_EXITED = 4,
  DROVER_HOOK_STOP = 5
};

typedef struct drover_hook_args {
  uint32_t struct_size;
  int32_t stage; /* enum drover_hook_stage */
  /* The next two together name the task: no other task of the node has both. */
  drover_str alloc_id;
  drover_str task_name;
  drover_str alloc_name;
  drover_str job_id;
  drover_str job_namespace;
  drover_str group_name;
  drover_str node_id;
  drover_str node_name;
  drover_str driver;    /* the name of the task's driver */
  drover_str user;      /* of the task, as in drover_task_config; only in prestart */
  drover_str alloc_dir; /* this and the next four paths are paths on the host */
  drover_str task_dir;
  drover_str local_dir;
  drover_str secrets_dir; /* in memory; only the task's user may look into it */
  drover_str log_dir;
  /* Of drover_pair: the meta of the job, the group and the task in one, as the task sees it. By it
   * a job says what it wants of the plugin. ${...} is not replaced in it. */
  drover_array meta;
  drover_array data;    /* of drover_pair: what the plugin keeps for this task */
  drover_run_id run_id; /* of the run that has started; zero in prestart and stop */
  /* How the run has ended. Only in exited; null if the end is not known. */
  const drover_exit_result* exit_result;
} drover_hook_args;

/* Env, mounts and devices belong to prestart only, and hold for the start that follows. The
 * variables go to the environment of the task, where those of the job win. Their names have
 * letters, digits and '_', do not begin with a digit, and do not begin with "NOMAD_". All paths are
 * absolute and without "..", and no part of a mount's host_path may be a symbolic link. A task
 * whose driver cannot mount does not start. The host refuses an answer that breaks a rule, as a
 * whole. */
typedef struct drover_hook_result {
  uint32_t struct_size;
  uint32_t keeps_data;  /* not 0: DATA replaces what the host keeps for the plugin and this task */
  drover_array env;     /* of drover_pair */
  drover_array mounts;  /* of drover_mount */
  drover_array devices; /* of drover_device */
  drover_array data;    /* of drover_pair; at most 64 KiB in all */
  drover_str event;     /* one line for the events of the task; empty means none */
} drover_hook_result;

typedef struct drover_task_hooks {
  uint32_t struct_size;
  uint32_t reserved;
  /* Carries out one stage for one task. The host calls it for several tasks at the same time, and
   * for one task one stage after another. If the host gives a call up, the next stage may come
   * while the call is still open. The call has no run id: see the arguments.
   *                                                        -> drover_hook_result [any-thread] */
  int32_t (*hook)(drover_instance* self, const drover_call* call, const drover_hook_args* args,
                  drover_error* error);
} drover_task_hooks;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_TASK_HOOKS_H */
