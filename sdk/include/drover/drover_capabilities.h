/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Capabilities: the optional part of a driver that says what its tasks may want of it.
 *
 * This part is a DRAFT. Its id ends in "/draft", and it comes with no promise: a later version of
 * Drover may change it, and then gives it another id. The rules at the top of drover.h hold here,
 * too.
 *
 * The host asks each instance once, after create. It refuses a job when it is submitted if the job
 * wants of a driver what the driver does not have. It shows the capabilities as attributes of the
 * node. What a driver says nothing about, the host does not check: so a driver that lacks this part
 * gets every job, and refuses the start of a task itself.
 */
#ifndef DROVER_DROVER_CAPABILITIES_H
#define DROVER_DROVER_CAPABILITIES_H

#include "drover/drover.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_CAPABILITIES_ID "drover.capabilities/1/draft"

/* An offer (drover_info.offers): the driver has this part. The host takes the bit from the
 * library's info, not from that of an instance. */
#define DROVER_CAP_CAPABILITIES (1ull << 57)

/* Bits of drover_capabilities.says: the driver says something about this. Of a list, the host then
 * reads the list, which may be empty. Of a question, the host then reads the bit of the same name
 * in CAN. */
#define DROVER_SAYS_NETWORK_MODES (1ull << 0)
#define DROVER_SAYS_MOUNT_KINDS (1ull << 1)
#define DROVER_SAYS_PROPAGATIONS (1ull << 2)
#define DROVER_SAYS_SIGNALS (1ull << 3)
#define DROVER_SAYS_USERS (1ull << 16)    /* CAN: a task may run as the user that its job names */
#define DROVER_SAYS_HOSTNAME (1ull << 17) /* CAN: a task may have a hostname */
#define DROVER_SAYS_DNS (1ull << 18)      /* CAN: a task may have name servers of its own */
#define DROVER_SAYS_LABELS (1ull << 19)   /* CAN: the driver carries out the labels of a task */
#define DROVER_SAYS_REMOTE (1ull << 20)   /* CAN: the tasks do not run on this machine */
/* CAN: the driver itself must make the network of an allocation. This host asks no driver to do
 * so: it refuses jobs of such a driver whose network is not that of the host. */
#define DROVER_SAYS_MUST_CREATE_NETWORK (1ull << 21)

/* The most elements of each list, and the most bytes of each text. */
#define DROVER_CAPABILITIES_MOST 128
#define DROVER_CAPABILITIES_TEXT 256

typedef struct drover_capabilities {
  uint32_t struct_size;
  /* The host never runs more starts of this instance at the same time. 0 means no limit. */
  uint32_t parallel_starts;
  uint64_t says; /* DROVER_SAYS_... */
  uint64_t can;  /* DROVER_SAYS_... */
  /* Of drover_str: "host", "none", "bridge", "cni/NAME", or "cni" for every cni/NAME. */
  drover_array network_modes;
  /* Of drover_str: "bind" for files and directories of the machine, which volumes are, and "device"
   * for device nodes. */
  drover_array mount_kinds;
  drover_array propagations; /* of drover_str: "private", "host-to-task", "bidirectional" */
  drover_array signals;      /* of drover_str: "SIGHUP" */
  /* Of drover_str: JSON pointers into the configuration of a task, such as "/auth/password". A part
   * "*" means every member or element. The host replaces the texts and numbers at these places by
   * "<redacted>" wherever a text of the driver is shown: in errors, events and the agent's log. */
  drover_array sensitive;
} drover_capabilities;

typedef struct drover_capabilities_args {
  uint32_t struct_size;
  uint32_t reserved;
} drover_capabilities_args;

typedef struct drover_capable {
  uint32_t struct_size;
  uint32_t reserved;
  /* Returns the capabilities of the instance, which never change. The driver should complete the
   * call at once.                                          -> drover_capabilities [control] */
  int32_t (*capabilities)(drover_instance* self, const drover_call* call,
                          const drover_capabilities_args* args, drover_error* error);
} drover_capable;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_CAPABILITIES_H */
