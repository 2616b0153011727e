/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The namespaces of a run, and the process that holds them. With a pid namespace that process is
 * its init, pid 1: it collects what the task leaves behind. The task itself and its exec sessions
 * are children of the shim that enter the namespaces: so the shim signals them and hears of their
 * ends without a relay. When the task has ended, the shim kills the holder, and the kernel whatever
 * else is in the pid namespace.
 */
#ifndef DROVER_SHIM_NAMESPACES_H_
#define DROVER_SHIM_NAMESPACES_H_

#include <stdbool.h>
#include <sys/types.h>

#include "shim/plan.h"
#include "shim/steps.h"

/* The step of a step_failure without error: the namespaces are ready to be entered. */
enum { kNamespacesReady = -2 };

/* Has the plan namespaces? */
bool namespaces_wanted(const struct plan* plan);

/* Starts the holder; its status pipe tells a failure or, once, kNamespacesReady. As steps_start. */
int namespaces_start(const struct plan* plan, struct child* holder, struct step_failure* failure);

/*
 * Has the children that are made from now on born in the pid namespace, or no longer. For the shim.
 * An errno.
 */
int namespaces_bear_children(bool inside);
/* Enters all others; for such a child. An errno. */
int namespaces_enter(void);

/* Enters a network namespace that was given: for a child of either kind, and for the holder, whose
   /sys is then of that network. An errno. */
int namespaces_enter_network(const struct plan* plan, const struct drover_step_number* step);

/* Ends the holder. Idempotent; it must not have been reaped before, see namespaces_reaped. */
void namespaces_end(void);
/* Was PID the holder? */
bool namespaces_reaped(pid_t pid);

#endif /* DROVER_SHIM_NAMESPACES_H_ */
