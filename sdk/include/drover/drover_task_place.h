/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Task place: the service of the host that gives a run a place on the machine, for engines that
 * start the processes of tasks themselves: a cgroup and the network namespace. The output of such a
 * task goes into the pipes of drover.task-output.
 *
 * This service is a DRAFT. Its id ends in "/draft", and it comes with no promise: a later version
 * of Drover may change it, and then gives it another id. The rules at the top of drover.h hold
 * here, too.
 *
 * The driver lets the engine start the task below the cgroup, as CgroupParent in Docker's API. Then
 * the host treats what is there as it treats its own processes:
 *   - usage of drover.process measures it;
 *   - the host kills it if stop has not ended the task in time, or if the operator forces the end;
 *   - an exit result says that the task was killed for lack of memory if the cgroup says so;
 *   - after destroy, nothing is left there: the host kills the rest and removes the cgroup.
 * The host sets no limits in the cgroup. The engine does that in its own cgroups below.
 *
 * A place outlives the instance, the plugin's process and the agent. In recover, the driver calls
 * make again, which returns the same place. The place of a run that nobody recovers is removed by
 * the next agent. A run has either a place or processes of drover.process.
 *
 * A driver asks for the service with host->get_extension, in create or later. A host that starts no
 * processes returns null.
 */
#ifndef DROVER_DROVER_TASK_PLACE_H
#define DROVER_DROVER_TASK_PLACE_H

#include "drover/drover.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_TASK_PLACE_ID "drover.task-place/1/draft"

typedef struct drover_place {
  uint32_t struct_size;
  uint32_t reserved;
  /* The path of the cgroup, relative to the mount point of each hierarchy: "/drover/RUN". The
   * engine makes its own cgroups below it. If the machine has controllers of version 1, it is a
   * path in the hierarchies of version 1, else in that of version 2. */
  drover_str cgroup;
  /* Of drover_pair: the directories that the host has made. The key is a controller of version 1,
   * or empty for version 2. The value is an absolute path. */
  drover_array directories;
  /* The network namespace of the task: its path, and a descriptor. Without a namespace of its own,
   * the path is empty, and there is no descriptor. */
  drover_str network_namespace;
  drover_fd network; /* GIVEN */
} drover_place;

typedef struct drover_task_place {
  uint32_t struct_size;
  uint32_t reserved;
  /* Makes the place of RUN, or finds it. Errors that DONE gets:
   *   E_NOT_FOUND             RUN is not one of this driver, or was destroyed
   *   E_FAILED_PRECONDITION   this machine has no cgroups for places, or RUN has a process of the
   *                           host; the driver may go on without a place
   * Other errors are those of the file systems.                   -> drover_place [any-thread] */
  int32_t (*make)(const drover_host* host, const drover_run_id* run, drover_done done,
                  void* context, drover_error* error);
  /* Kills what is still in the place of RUN, and removes the place. Succeeds if RUN has none. A
   * driver needs it only to remove the place before destroy.
   *                                                        -> drover_empty_result [any-thread] */
  int32_t (*remove)(const drover_host* host, const drover_run_id* run, drover_done done,
                    void* context, drover_error* error);
} drover_task_place;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_TASK_PLACE_H */
