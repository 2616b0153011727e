/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#ifndef DROVER_SHIM_RECORD_H_
#define DROVER_SHIM_RECORD_H_

#include "shim/shim.h"

/* How often the kernel has killed for lack of memory, from an open memory.events or
   memory.oom_control. */
uint32_t record_oom_kills(int memory_events);

void record_fill(struct drover_exit_record* record);

/* Makes `<name>.tmp` in the current directory, the run directory, with the size of the record: at
   the end of the run there may be no room for it. Returns 0 or an errno; after an error nothing is
   left. */
int record_reserve(void);
/* Removes that file. */
void record_give_back(void);

/* Writes the record to that file and renames it to `<name>.exit`. Returns 0 or an errno. */
int record_write(const struct drover_exit_record* record);

/* Removes `<name>.exit`. */
void record_remove(void);

/* Removes `<name>.cgroup`, by which an agent finds the run's cgroup if it is not among its own. */
void record_remove_note(void);

#endif /* DROVER_SHIM_RECORD_H_ */
