/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The steps that reduce the rights of a new process. Each function returns an errno. */
#ifndef DROVER_SHIM_PRIVILEGES_H_
#define DROVER_SHIM_PRIVILEGES_H_

#include "shim/start_plan.h"

int privileges_set_ids(const struct drover_step_ids* ids);

/* Removes all capabilities except CAPABILITIES->bounding from the bounding set. Also lets the
   process keep its permitted capabilities when it later changes its user. */
int privileges_bound(const struct drover_step_capabilities* capabilities);
/* Sets the capabilities that the program gets. Must be called after the change of the user. */
int privileges_set(const struct drover_step_capabilities* capabilities);

int privileges_filter(const struct drover_step_filter* filter);

/* Joins a new session keyring, so the task cannot reach the keys of the agent's session. */
int privileges_new_keyring(void);

#endif /* DROVER_SHIM_PRIVILEGES_H_ */
