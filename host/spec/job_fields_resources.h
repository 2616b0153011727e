// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/job_fields_policies.h"

// The fields by which groups and tasks ask for parts of the machine: networks, processors, memory,
// devices and volumes.
namespace drover::job_fields {

inline constexpr JobField kReservedPort[] = {
    {"Label", kLabel, kText, kDone},
    {"Value",
     "static",
     kInteger,
     kDone,
     {},
     "",
     "1 to 65535; in HCL, a port that has it is a reserved one"},
    {"To", "to", kInteger, kDone},
    {"HostNetwork", "host_network", kText, kDone, {}, "", "a host_network of the agent"},
    {"IgnoreCollision", "ignore_collision", kBoolean, kRefused},
};

inline constexpr JobField kDns[] = {
    {"Servers", "servers", kTextList, kDone},
    {"Searches", "searches", kTextList, kDone},
    {"Options", "options", kTextList, kDone},
};

inline constexpr JobField kCni[] = {
    {"Args", "args", kTextMap, kDone},
};

inline constexpr JobField kNetwork[] = {
    {"Mode", "mode", kText, kDone, {}, "", "host (default), bridge, cni/NAME or none"},
    {"DynamicPorts", "port", kObjectList, kDone, kReservedPort},
    {"ReservedPorts", "reserved_ports", kObjectList, kDone, kReservedPort},
    {"Device", "device", kText, kRefused},
    {"CIDR", "cidr", kText, kRefused},
    {"IP", "ip", kText, kRefused},
    {"DNS", "dns", kObject, kDone, kDns, "", "for tasks with a root of their own"},
    {"Hostname", "hostname", kText, kDone, {}, "", "of the modes bridge and cni/NAME"},
    {"MBits", "mbits", kInteger, kInert, {}, "", "bandwidth is not reserved"},
    {"CNI", "cni", kObject, kDone, kCni},
};

inline constexpr JobField kEphemeralDisk[] = {
    {"SizeMB", "size", kInteger, kDone, {}, "", "default 300; counts at placement by an agent"},
    {"Sticky",
     "sticky",
     kBoolean,
     kDone,
     {},
     "",
     "the files move to the allocation that replaces this one"},
    {"Migrate", "migrate", kBoolean, kDone, {}, "", "as sticky: there is one machine"},
};

inline constexpr JobField kDevice[] = {
    {"Name", kLabel, kText, kRefused},
    {"Count", "count", kInteger, kRefused},
    {"Constraints", "constraint", kObjectList, kRefused, kConstraint},
    {"Affinities", "affinity", kObjectList, kRefused, kAffinity},
};

inline constexpr JobField kNuma[] = {
    {"Affinity", "affinity", kText, kRefused, {}, R"(["none"])"},
    {"Devices", "devices", kTextList, kRefused},
};

inline constexpr JobField kResources[] = {
    {"CPU", "cpu", kInteger, kDone, {}, "", "MHz, default 100"},
    {"Cores", "cores", kInteger, kDone, {}, "", "instead of CPU"},
    {"MemoryMB", "memory", kInteger, kDone, {}, "", "default 300"},
    {"MemoryMaxMB", "memory_max", kInteger, kDone},
    {"DiskMB", "disk", kInteger, kInert, {}, "", "use EphemeralDisk of the group"},
    {"IOPS", "iops", kInteger, kInert},
    {"Networks", "network", kObjectList, kDone, kNetwork, "",
     "at most one; older place of the group's"},
    {"Devices", "device", kObjectList, kRefused, kDevice},
    {"NUMA", "numa", kObject, kRefused, kNuma},
    {"SecretsMB", "secrets", kInteger, kRefused},
};

inline constexpr JobField kMountOptions[] = {
    {"FSType", "fs_type", kText, kRefused},
    {"MountFlags", "mount_flags", kTextList, kRefused},
};

inline constexpr JobField kVolume[] = {
    {"Name", kLabel, kText, kDone},
    {"Type", "type", kText, kDone, {}, "", "host"},
    {"Source", "source", kText, kDone, {}, "", "the name of a volume of the node"},
    {"ReadOnly", "read_only", kBoolean, kDone},
    {"Sticky", "sticky", kBoolean, kDone, {}, "", "the group keeps a claim on a volume of the API"},
    {"AccessMode",
     "access_mode",
     kText,
     kDone,
     {},
     "",
     "single-node-writer, -reader-only, -single-writer or -multi-writer; without it any"},
    {"AttachmentMode", "attachment_mode", kText, kDone, {}, "", "file-system (default)"},
    {"MountOptions", "mount_options", kObject, kRefused, kMountOptions},
    {"PerAlloc", "per_alloc", kBoolean, kDone, {}, "", "the source is SOURCE[INDEX]"},
};

inline constexpr JobField kVolumeMount[] = {
    {"Volume", "volume", kText, kDone, {}, "", "the name of a volume of the group"},
    {"Destination", "destination", kText, kDone, {}, "", "an absolute path in the task"},
    {"ReadOnly", "read_only", kBoolean, kDone},
    {"PropagationMode",
     "propagation_mode",
     kText,
     kDone,
     {},
     "",
     "private (default), host-to-task or bidirectional"},
    {"SELinuxLabel", "selinux_label", kText, kRefused},
};

inline constexpr JobField kCsiPlugin[] = {
    {"ID", "id", kText, kRefused},
    {"Type", "type", kText, kRefused},
    {"MountDir", "mount_dir", kText, kRefused},
    {"StagePublishBaseDir", "stage_publish_base_dir", kText, kRefused},
    {"HealthTimeout", "health_timeout", kDuration, kRefused},
};

}  // namespace drover::job_fields
