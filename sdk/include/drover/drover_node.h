/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The node: the service of the host that describes the node of a plugin, and that gives the plugin
 * directories of its own.
 *
 * This service is a DRAFT. Its id ends in "/draft", and it comes with no promise: a later version
 * of Drover may change it, and then gives it another id. The rules at the top of drover.h hold
 * here, too.
 *
 * A driver asks for the service with host->get_extension, in create or later. A host that runs no
 * node, or that has no place for the directories, returns null.
 *
 * A driver whose tasks are in a backend that other nodes share, or that outlives the agent, marks
 * what it makes there with node_id. After restore_complete it removes only what has this mark.
 */
#ifndef DROVER_DROVER_NODE_H
#define DROVER_DROVER_NODE_H

#include "drover/drover.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_NODE_ID "drover.node/1/draft"

/* The three directories are below the data directory of the agent. They belong to the agent's user
 * and have the mode 0700. No other plugin gets them. Their paths are the same after a restart of
 * the agent and of the machine. They stay when the plugin is removed. */
typedef struct drover_node_info {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str node_id; /* the same after a restart of the agent, if the agent keeps its state */
  drover_str node_name;
  drover_str node_pool;
  drover_str datacenter;
  drover_str region;
  drover_str agent_version; /* "0.1.0" */
  drover_str state_dir;     /* what the plugin needs after a restart */
  drover_str cache_dir;     /* what the plugin can get or make again, such as images */
  drover_str run_dir;       /* sockets and other files of running processes */
  /* The path of a cgroup, relative to the mount point of a hierarchy: "/drover_plugins/docker". The
   * host neither makes nor removes it. An engine that starts the tasks of the plugin may make
   * cgroups below it. */
  drover_str cgroup_parent;
} drover_node_info;

typedef struct drover_node {
  uint32_t struct_size;
  uint32_t reserved;
  /* Returns the description, which is never null. It never changes, and is valid until the end of
   * the instance. The directories may not exist yet. [any-thread] */
  const drover_node_info* (*get)(const drover_host* host);
  /* Makes the three directories, unless they exist. A driver must call this function once before it
   * uses one of them. Fails with E_FAILED_PRECONDITION if a path is taken by something else, or
   * with the code of the file system's error. [any-thread] */
  int32_t (*make_directories)(const drover_host* host, drover_error* error);
} drover_node;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_NODE_H */
