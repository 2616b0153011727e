/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/* The steps that take rights from a new process. Each returns an errno. */
#ifndef DROVER_SHIM_PRIVILEGES_H_
#define DROVER_SHIM_PRIVILEGES_H_

#include "shim/start_plan.h"

int privileges_set_ids(const struct drover_step_ids* ids);

/* Cuts the bounding set, and lets the capabilities survive the change of the user that follows. */
int privileges_bound(const struct drover_step_capabilities* capabilities);
/* Sets the capabilities that the program gets; after the change of the user. */
int privileges_set(const struct drover_step_capabilities* capabilities);

int privileges_filter(const struct drover_step_filter* filter);

/* Joins a new session keyring: the keys of the agent's session are no longer in reach. */
int privileges_new_keyring(void);

#endif /* DROVER_SHIM_PRIVILEGES_H_ */
