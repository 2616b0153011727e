// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "config/schema.h"

namespace drover_docker {

// Options that this driver refuses stand in the schemas, too: the reader of the configuration says
// why they are refused. A schema could only say that there is no such field.
const char kConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "properties": {
    "endpoint": {"type": "string", "default": "unix:///var/run/docker.sock"},
    "tls": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "cert": {"type": "string", "default": ""},
        "key": {"type": "string", "default": ""},
        "ca": {"type": "string", "default": ""}
      }
    },
    "auth": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "config": {"type": "string", "default": ""},
        "helper": {"type": "string", "default": ""}
      }
    },
    "allow_caps": {"type": "array", "items": {"type": "string"}},
    "allow_privileged": {"type": "boolean", "default": false},
    "allow_runtimes": {"type": "array", "items": {"type": "string"}},
    "allow_devices": {"type": "array", "items": {"type": "string"}},
    "allow_host_modes": {"type": "array", "items": {"enum": ["pid", "ipc", "uts", "userns", "cgroup"]}},
    "volumes": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "enabled": {"type": "boolean", "default": false},
        "selinuxlabel": {"type": "string", "default": ""}
      }
    },
    "extra_labels": {"type": "array", "items": {"type": "string"}},
    "gc": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "image": {"type": "boolean", "default": true},
        "image_delay": {"type": "string", "default": "3m"},
        "container": {"type": "boolean", "default": true},
        "dangling_containers": {
          "type": "object",
          "additionalProperties": false,
          "properties": {
            "enabled": {"type": "boolean", "default": true},
            "dry_run": {"type": "boolean", "default": false},
            "period": {"type": "string", "default": "5m"},
            "creation_grace": {"type": "string", "default": "5m"}
          }
        }
      }
    },
    "infra_image": {"type": "string", "default": ""},
    "infra_image_pull_timeout": {"type": "string", "default": "5m"},
    "image_pull_timeout": {"type": "string", "default": "5m"},
    "pull_activity_timeout": {"type": "string", "default": "2m"},
    "container_exists_attempts": {"type": "integer", "default": 5, "minimum": 0, "maximum": 100},
    "pids_limit": {"type": "integer", "default": 0, "minimum": 0},
    "oom_score_adj": {"type": "integer", "default": 0, "minimum": -1000, "maximum": 1000},
    "disable_log_collection": {"type": "boolean", "default": false},
    "host_cgroups": {"type": "boolean", "default": true},
    "logging": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "type": {"type": "string", "default": ""},
        "driver": {"type": "string", "default": ""},
        "config": {"type": "object", "additionalProperties": {"type": "string"}}
      }
    },
    "nvidia_runtime": {"type": "string", "default": ""},
    "windows_allow_insecure_container_admin": {"type": "boolean", "default": false}
  }
})";

const char kTaskConfigSchema[] = R"({
  "type": "object",
  "additionalProperties": false,
  "required": ["image"],
  "properties": {
    "image": {"type": "string", "minLength": 1, "maxLength": 1024},
    "advertise_ipv6_address": {"type": "boolean", "default": false},
    "args": {"type": "array", "items": {"type": "string"}},
    "auth": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "username": {"type": "string", "default": ""},
        "password": {"type": "string", "default": ""},
        "email": {"type": "string", "default": ""},
        "server_address": {"type": "string", "default": ""}
      }
    },
    "auth_soft_fail": {"type": "boolean", "default": false},
    "cap_add": {"type": "array", "items": {"type": "string"}, "maxItems": 64},
    "cap_drop": {"type": "array", "items": {"type": "string"}, "maxItems": 64},
    "cgroupns": {"enum": ["", "private", "host"], "default": ""},
    "command": {"type": "string", "default": ""},
    "container_exists_attempts": {"type": "integer", "minimum": 0, "maximum": 100},
    "cpu_cfs_period": {"type": "integer", "default": 0, "minimum": 0, "maximum": 1000000},
    "cpu_hard_limit": {"type": "boolean", "default": false},
    "cpuset_cpus": {"type": "string", "default": ""},
    "devices": {
      "type": "array",
      "maxItems": 64,
      "items": {
        "type": "object",
        "additionalProperties": false,
        "required": ["host_path"],
        "properties": {
          "host_path": {"type": "string"},
          "container_path": {"type": "string", "default": ""},
          "cgroup_permissions": {"type": "string", "default": ""}
        }
      }
    },
    "dns_options": {"type": "array", "items": {"type": "string"}, "maxItems": 32},
    "dns_search_domains": {"type": "array", "items": {"type": "string"}, "maxItems": 32},
    "dns_servers": {"type": "array", "items": {"type": "string"}, "maxItems": 32},
    "entrypoint": {"type": "array", "items": {"type": "string"}},
    "extra_hosts": {"type": "array", "items": {"type": "string"}, "maxItems": 256},
    "force_pull": {"type": "boolean", "default": false},
    "group_add": {"type": "array", "items": {"type": "string"}, "maxItems": 64},
    "healthchecks": {
      "type": "object",
      "additionalProperties": false,
      "properties": {"disable": {"type": "boolean", "default": false}}
    },
    "hostname": {"type": "string", "default": ""},
    "image_pull_timeout": {"type": "string", "default": ""},
    "init": {"type": "boolean", "default": false},
    "interactive": {"type": "boolean", "default": false},
    "ipc_mode": {"type": "string", "default": ""},
    "ipv4_address": {"type": "string", "default": ""},
    "ipv6_address": {"type": "string", "default": ""},
    "isolation": {"type": "string", "default": ""},
    "labels": {"type": "object", "additionalProperties": {"type": "string"}},
    "load": {"type": "string", "default": ""},
    "logging": {
      "type": "object",
      "additionalProperties": false,
      "properties": {
        "type": {"type": "string", "default": ""},
        "driver": {"type": "string", "default": ""},
        "config": {"type": "object", "additionalProperties": {"type": "string"}}
      }
    },
    "mac_address": {"type": "string", "default": ""},
    "memory_hard_limit": {"type": "integer", "default": 0, "minimum": 0, "maximum": 1099511627776},
    "mount": {"type": "array", "maxItems": 64, "items": {
      "type": "object",
      "additionalProperties": false,
      "required": ["target"],
      "properties": {
        "type": {"enum": ["bind", "volume", "tmpfs"], "default": "volume"},
        "target": {"type": "string"},
        "source": {"type": "string", "default": ""},
        "readonly": {"type": "boolean", "default": false},
        "bind_options": {"type": "object", "additionalProperties": false, "properties": {
          "propagation": {"type": "string", "default": ""}}},
        "tmpfs_options": {"type": "object", "additionalProperties": false, "properties": {
          "size": {"type": "integer", "default": 0, "minimum": 0},
          "mode": {"type": "integer", "default": 0, "minimum": 0, "maximum": 4095}}},
        "volume_options": {"type": "object", "additionalProperties": false, "properties": {
          "no_copy": {"type": "boolean", "default": false},
          "labels": {"type": "object", "additionalProperties": {"type": "string"}},
          "driver_config": {"type": "object", "additionalProperties": false, "properties": {
            "name": {"type": "string", "default": ""},
            "options": {"type": "object", "additionalProperties": {"type": "string"}}}}}}
      }
    }},
    "mounts": {"type": "array", "maxItems": 64, "items": {
      "type": "object",
      "additionalProperties": false,
      "required": ["target"],
      "properties": {
        "type": {"enum": ["bind", "volume", "tmpfs"], "default": "volume"},
        "target": {"type": "string"},
        "source": {"type": "string", "default": ""},
        "readonly": {"type": "boolean", "default": false},
        "bind_options": {"type": "object", "additionalProperties": false, "properties": {
          "propagation": {"type": "string", "default": ""}}},
        "tmpfs_options": {"type": "object", "additionalProperties": false, "properties": {
          "size": {"type": "integer", "default": 0, "minimum": 0},
          "mode": {"type": "integer", "default": 0, "minimum": 0, "maximum": 4095}}},
        "volume_options": {"type": "object", "additionalProperties": false, "properties": {
          "no_copy": {"type": "boolean", "default": false},
          "labels": {"type": "object", "additionalProperties": {"type": "string"}},
          "driver_config": {"type": "object", "additionalProperties": false, "properties": {
            "name": {"type": "string", "default": ""},
            "options": {"type": "object", "additionalProperties": {"type": "string"}}}}}}
      }
    }},
    "network_aliases": {"type": "array", "items": {"type": "string"}, "maxItems": 64},
    "network_mode": {"type": "string", "default": ""},
    "oom_score_adj": {"type": "integer", "default": 0, "minimum": -1000, "maximum": 1000},
    "pid_mode": {"type": "string", "default": ""},
    "pids_limit": {"type": "integer", "default": 0, "minimum": 0},
    "port_map": {"type": "object", "additionalProperties": {
      "type": "integer", "minimum": 1, "maximum": 65535}},
    "ports": {"type": "array", "items": {"type": "string"}, "maxItems": 256},
    "privileged": {"type": "boolean", "default": false},
    "readonly_rootfs": {"type": "boolean", "default": false},
    "runtime": {"type": "string", "default": ""},
    "security_opt": {"type": "array", "items": {"type": "string"}, "maxItems": 32},
    "shm_size": {"type": "integer", "default": 0, "minimum": 0},
    "storage_opt": {"type": "object", "additionalProperties": {"type": "string"}},
    "sysctl": {"type": "object", "additionalProperties": {"type": "string"}},
    "tty": {"type": "boolean", "default": false},
    "ulimit": {"type": "object", "additionalProperties": {"type": "string"}},
    "userns_mode": {"type": "string", "default": ""},
    "uts_mode": {"type": "string", "default": ""},
    "volume_driver": {"type": "string", "default": ""},
    "volumes": {"type": "array", "items": {"type": "string"}, "maxItems": 64},
    "windows_allow_insecure_container_admin": {"type": "boolean", "default": false},
    "work_dir": {"type": "string", "default": ""}
  }
})";

}  // namespace drover_docker
