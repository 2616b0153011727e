/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#ifndef DROVER_SHIM_RECORD_H_
#define DROVER_SHIM_RECORD_H_

#include "shim/shim.h"

/* How often the kernel has killed for memory, by an open memory.events or memory.oom_control. */
uint32_t record_oom_kills(int memory_events);

void record_fill(struct drover_exit_record* record);

/* Writes `<name>.exit` in the current directory, the run directory, by rename. 0 or an errno. */
int record_write(const struct drover_exit_record* record);

/* Removes it again. */
void record_remove(void);

/* Removes `<name>.cgroup`, by which an agent finds the run's cgroup if it is in none of its own. */
void record_remove_note(void);

#endif /* DROVER_SHIM_RECORD_H_ */
