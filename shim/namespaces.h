/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The namespaces of a run, and the process that holds them. In a pid namespace the holder is the
 * init process with pid 1, and reaps the orphans of the task. The task's process and its exec
 * sessions are children of the shim that enter the namespaces, so the shim can signal and reap
 * them directly. When the task has ended, the shim kills the holder, and the kernel then kills all
 * other processes in the pid namespace.
 */
#ifndef DROVER_SHIM_NAMESPACES_H_
#define DROVER_SHIM_NAMESPACES_H_

#include <stdbool.h>
#include <sys/types.h>

#include "shim/plan.h"
#include "shim/steps.h"

/* The value of step_failure.step, with error 0, by which the holder reports that its namespaces
   can be entered. */
enum { kNamespacesReady = -2 };

/* Returns true if the plan makes namespaces. */
bool namespaces_wanted(const struct plan* plan);

/* Starts the process that holds the namespaces, and returns an errno. After that, the status pipe
   of HOLDER reports either a failure or kNamespacesReady. */
int namespaces_start(const struct plan* plan, struct child* holder, struct step_failure* failure);

/* Chooses the pid namespace of the children that the shim starts from now on. With INSIDE, the
   children begin in the pid namespace of the run, otherwise in the shim's own. Returns an
   errno. */
int namespaces_place_children(bool inside);
/* Enters all namespaces of the run except the pid namespace, in which the calling child runs
   already. Returns an errno. */
int namespaces_enter(void);

/* Enters the network namespace of STEP, and returns an errno. The task's process, a session or the
   holder calls this function. The holder calls it before it mounts /sys, because /sys shows the
   network namespace in which it was mounted. */
int namespaces_enter_network(const struct plan* plan, const struct drover_step* step);

/* Kills the holder. May be called several times. After the shim has reaped the holder it must call
   namespaces_reaped. */
void namespaces_end(void);
/* Returns true if PID, which the shim has reaped, was the holder. */
bool namespaces_reaped(pid_t pid);

#endif /* DROVER_SHIM_NAMESPACES_H_ */
