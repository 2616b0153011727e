/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The namespaces of a run, and the process that holds them. With a pid namespace that process is
 * its init, pid 1: it reaps the orphans of the task. The task itself and its exec sessions are
 * children of the shim that enter the namespaces, so the shim signals and reaps them without a
 * relay. When the task has ended, the shim kills the holder, and the kernel kills all other
 * processes in the pid namespace.
 */
#ifndef DROVER_SHIM_NAMESPACES_H_
#define DROVER_SHIM_NAMESPACES_H_

#include <stdbool.h>
#include <sys/types.h>

#include "shim/plan.h"
#include "shim/steps.h"

/* A step_failure with this step and no error means: the namespaces can be entered. */
enum { kNamespacesReady = -2 };

/* True if the plan has namespaces. */
bool namespaces_wanted(const struct plan* plan);

/* Starts the holder, like steps_start. Its status pipe reports a failure or, once,
   kNamespacesReady. */
int namespaces_start(const struct plan* plan, struct child* holder, struct step_failure* failure);

/* From now on, children of the shim begin in the pid namespace of the run, or in the shim's own if
   not INSIDE. Returns an errno. */
int namespaces_place_children(bool inside);
/* Enters all namespaces but the pid namespace; for such a child. Returns an errno. */
int namespaces_enter(void);

/* Enters a given network namespace: for a child of either kind, and for the holder, so that the new
   /sys shows that network. Returns an errno. */
int namespaces_enter_network(const struct plan* plan, const struct drover_step* step);

/* Kills the holder. Idempotent; call namespaces_reaped when the holder has been reaped. */
void namespaces_end(void);
/* True if PID, which has been reaped, was the holder. */
bool namespaces_reaped(pid_t pid);

#endif /* DROVER_SHIM_NAMESPACES_H_ */
