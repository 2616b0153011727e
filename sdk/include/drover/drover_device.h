/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * Devices: the optional part of a plugin that offers devices of its machine to tasks.
 *
 * This part is a DRAFT. Its id ends in "/draft", and it comes with no promise: a later version of
 * Drover may change it, and then gives it another id. The rules at the top of drover.h hold here,
 * too.
 *
 * A plugin that offers devices is a driver as drover.h describes it: it has the same entry, the
 * same instances and the same streams. Its get_extension returns a drover_device_plugin for
 * DROVER_DEVICE_ID. A plugin that only offers devices sets DROVER_CAP_ONLY_DEVICES in its offers.
 * Its verbs for tasks are then never called, except restore_complete. They must be there, and may
 * fail with E_UNIMPLEMENTED.
 *
 *   devices   The plugin reports what there is: groups of devices that differ only in their ids.
 *   reserve   Before each start of a task that has devices, the host asks what the task needs to
 *             use them. The host alone decides which task has which device: no two tasks have the
 *             same one. There is no end of a reservation. If reserve changes something, the next
 *             reserve of the same device must cope with what the last one has left.
 *   stats     Statistics of the devices. The host asks only while somebody looks at them.
 *
 * The ids must be the same after each start of the plugin, of the agent and of the machine, since
 * tasks keep their devices over all of them. The host does not take a device from a running task
 * that becomes unhealthy or disappears from the list. It only gives the device to no other task.
 */
#ifndef DROVER_DROVER_DEVICE_H
#define DROVER_DROVER_DEVICE_H

#include "drover/drover.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_DEVICE_ID "drover.device/1/draft"

/* An offer (drover_info.offers): the plugin runs no tasks. */
#define DROVER_CAP_ONLY_DEVICES (1ull << 48)

enum drover_device_message_type { DROVER_MESSAGE_DEVICES = 64, DROVER_MESSAGE_DEVICE_STATS = 65 };

enum drover_value_kind {
  DROVER_VALUE_TEXT = 0,
  DROVER_VALUE_INTEGER = 1,
  DROVER_VALUE_NUMBER = 2, /* a finite number with a fraction */
  DROVER_VALUE_BOOLEAN = 3
};

/* An attribute of a group, or a measured value of a device. Only the member for KIND is read. */
typedef struct drover_device_value {
  uint32_t struct_size;
  int32_t kind;    /* enum drover_value_kind */
  drover_str name; /* "memory"; jobs write ${device.attr.memory} */
  drover_str text;
  int64_t integer; /* of a boolean: 0 or 1 */
  double number;
  drover_str unit;        /* of numbers: "MiB", "MHz", "MiB/s", "W" and so on; may be empty */
  drover_str description; /* what the value says; of statistics only */
} drover_device_value;

typedef struct drover_device_instance {
  uint32_t struct_size;
  int32_t health; /* enum drover_health; only a DROVER_HEALTHY device is given to tasks */
  drover_str id;  /* unique in its group; without commas, spaces and control characters */
  drover_str health_description;
  drover_str pci_bus_id; /* where the device is; empty if it is on no PCI bus */
} drover_device_instance;

/* Jobs ask for "TYPE", "VENDOR/TYPE" or "VENDOR/TYPE/NAME". Vendor and type have no slash. */
typedef struct drover_device_group {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str vendor;       /* "nvidia" */
  drover_str type;         /* "gpu" */
  drover_str name;         /* "1080ti" */
  drover_array attributes; /* of drover_device_value */
  drover_array instances;  /* of drover_device_instance */
} drover_device_group;

/* All devices that the plugin offers, in one message. Each message replaces the last one. */
typedef struct drover_devices {
  uint32_t struct_size;
  int32_t type;        /* DROVER_MESSAGE_DEVICES */
  drover_array groups; /* of drover_device_group */
} drover_devices;

typedef struct drover_reserve_args {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str vendor;
  drover_str type;
  drover_str name;
  drover_array ids; /* of drover_str: devices of this group */
} drover_reserve_args;

/* What the task gets, in addition to what it has. All paths are absolute. The variables go to the
 * environment of the task, where they replace those of the job. Drivers get the mounts and the
 * nodes in the configuration of the task. */
typedef struct drover_reserve_result {
  uint32_t struct_size;
  uint32_t reserved;
  drover_array env;     /* of drover_pair */
  drover_array mounts;  /* of drover_mount */
  drover_array devices; /* of drover_device */
} drover_reserve_result;

typedef struct drover_device_instance_stats {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str id;
  int64_t timestamp;                  /* ns since 1970 */
  const drover_device_value* summary; /* the value that says most; may be null */
  drover_array values;                /* of drover_device_value */
} drover_device_instance_stats;

typedef struct drover_device_group_stats {
  uint32_t struct_size;
  uint32_t reserved;
  drover_str vendor;
  drover_str type;
  drover_str name;
  drover_array instances; /* of drover_device_instance_stats */
} drover_device_group_stats;

typedef struct drover_device_stats {
  uint32_t struct_size;
  int32_t type;        /* DROVER_MESSAGE_DEVICE_STATS */
  drover_array groups; /* of drover_device_group_stats */
} drover_device_stats;

typedef struct drover_device_plugin {
  uint32_t struct_size;
  uint32_t reserved;
  /* Begins a stream of drover_devices. The plugin sends the first message soon, then one at each
   * change. If the stream ends, all devices of the plugin are unhealthy until it is open again.
   * [control] */
  int32_t (*devices)(drover_instance* self, uint64_t stream_id, drover_error* error);
  /* Returns what a task needs to use devices. It may be called for several tasks at the same time.
   *                                                       -> drover_reserve_result [any-thread] */
  int32_t (*reserve)(drover_instance* self, const drover_call* call,
                     const drover_reserve_args* args, drover_error* error);
  /* Begins a stream of drover_device_stats. The plugin sends the first sample at once, then one at
   * each interval. A plugin without statistics fails with E_UNIMPLEMENTED. [any-thread] */
  int32_t (*stats)(drover_instance* self, uint64_t stream_id, const drover_stats_args* args,
                   drover_error* error);
} drover_device_plugin;

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* DROVER_DROVER_DEVICE_H */
