/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#ifndef DROVER_SHIM_RECORD_H_
#define DROVER_SHIM_RECORD_H_

#include "shim/shim.h"

/* Returns how many processes the kernel has killed for lack of memory. MEMORY_EVENTS is an open
   file memory.events or memory.oom_control of a cgroup. */
uint32_t record_oom_kills(int memory_events);

void record_fill(struct drover_exit_record* record);

/* Makes the file `<name>.tmp` in the run directory, which must be the current directory. The file
   gets the full size of the record now, because the file system may be full at the end of the run.
   Returns 0 or an errno. On an error, leaves no file. */
int record_reserve(void);
/* Removes `<name>.tmp`. */
void record_give_back(void);

/* Writes the record to `<name>.tmp` and renames that file to `<name>.exit`. Returns 0 or an
   errno. */
int record_write(const struct drover_exit_record* record);

/* Removes `<name>.exit`. */
void record_remove(void);

/* Removes the symbolic link `<name>.cgroup`, and the list `<name>.named` of the run's named
   processes. By the link the next agent finds the cgroup of the run, even if that agent makes its
   own cgroups elsewhere. */
void record_remove_note(void);

#endif /* DROVER_SHIM_RECORD_H_ */
