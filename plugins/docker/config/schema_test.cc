// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "config/schema.h"

#include <gtest/gtest.h>

#include <set>

#include "config/plugin_config.h"
#include "drover/json.hpp"

namespace drover_docker {
namespace {

std::set<std::string> NamesOf(const char* schema) {
  std::set<std::string> out;
  const drover::Json read = drover::Json::Parse(schema);
  for (const auto& [name, value] : read["properties"].AsObject()) {
    out.insert(name);
  }
  return out;
}

// Every option that job files of Nomad use stands in the schema, so that none is refused as
// unknown.
TEST(DockerSchemaTest, EveryOptionOfNomadIsKnown) {
  const std::set<std::string> wanted{"advertise_ipv6_address",
                                     "args",
                                     "auth",
                                     "auth_soft_fail",
                                     "cap_add",
                                     "cap_drop",
                                     "cgroupns",
                                     "command",
                                     "container_exists_attempts",
                                     "cpu_cfs_period",
                                     "cpu_hard_limit",
                                     "cpuset_cpus",
                                     "devices",
                                     "dns_options",
                                     "dns_search_domains",
                                     "dns_servers",
                                     "entrypoint",
                                     "extra_hosts",
                                     "force_pull",
                                     "group_add",
                                     "healthchecks",
                                     "hostname",
                                     "image",
                                     "image_pull_timeout",
                                     "init",
                                     "interactive",
                                     "ipc_mode",
                                     "ipv4_address",
                                     "ipv6_address",
                                     "isolation",
                                     "labels",
                                     "load",
                                     "logging",
                                     "mac_address",
                                     "memory_hard_limit",
                                     "mount",
                                     "mounts",
                                     "network_aliases",
                                     "network_mode",
                                     "oom_score_adj",
                                     "pid_mode",
                                     "pids_limit",
                                     "port_map",
                                     "ports",
                                     "privileged",
                                     "readonly_rootfs",
                                     "runtime",
                                     "security_opt",
                                     "shm_size",
                                     "storage_opt",
                                     "sysctl",
                                     "tty",
                                     "ulimit",
                                     "userns_mode",
                                     "uts_mode",
                                     "volume_driver",
                                     "volumes",
                                     "windows_allow_insecure_container_admin",
                                     "work_dir"};
  EXPECT_EQ(NamesOf(kTaskConfigSchema), wanted);
}

TEST(DockerSchemaTest, EverySettingOfNomadIsKnown) {
  const std::set<std::string> names = NamesOf(kConfigSchema);
  for (const char* name : {"endpoint",
                           "tls",
                           "auth",
                           "allow_caps",
                           "allow_privileged",
                           "allow_runtimes",
                           "volumes",
                           "extra_labels",
                           "gc",
                           "infra_image",
                           "infra_image_pull_timeout",
                           "image_pull_timeout",
                           "pids_limit",
                           "disable_log_collection",
                           "logging",
                           "nvidia_runtime",
                           "container_exists_attempts",
                           "pull_activity_timeout",
                           "oom_score_adj",
                           "windows_allow_insecure_container_admin"}) {
    EXPECT_EQ(names.count(name), 1u) << name;
  }
}

// The host fills in the defaults of the schema; a configuration without them means the same.
TEST(DockerSchemaTest, DefaultsOfTheSchemaAreThoseOfTheReader) {
  drover::Json::Object filled;
  const drover::Json schema = drover::Json::Parse(kConfigSchema);
  for (const auto& [name, value] : schema["properties"].AsObject()) {
    if (!value["default"].is_null()) filled[name] = value["default"];
  }
  const Settings given = Settings::Read(drover::Json(filled));
  const Settings absent = Settings::Read(drover::Json(drover::Json::Object{}));
  EXPECT_EQ(given.endpoint, absent.endpoint);
  EXPECT_EQ(given.image_pull_timeout, absent.image_pull_timeout);
  EXPECT_EQ(given.pull_activity_timeout, absent.pull_activity_timeout);
  EXPECT_EQ(given.container_exists_attempts, absent.container_exists_attempts);
  EXPECT_EQ(given.pids_limit, absent.pids_limit);
  EXPECT_EQ(given.allow_caps, absent.allow_caps);
}

}  // namespace
}  // namespace drover_docker
