// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/agent_config.h"

#include <algorithm>

namespace drover {
namespace {

// Whether a plugin's block may change from A to B without a restart. The name and "enabled" must be
// equal. Any other change only reloads the plugin.
bool SamePlugin(const PluginConfig& a, const PluginConfig& b) {
  return a.name == b.name && a.enabled == b.enabled;
}

}  // namespace

ServicePolicy ServicePolicyOf(const AgentConfig& config, bool trial) {
  ServicePolicy policy;
  policy.consul_configured = !config.consul.empty();
  for (const auto& [name, cluster] : config.consul) policy.clusters.insert(name);
  policy.default_provider = config.services.default_provider;
  policy.consul_is_builtin = config.services.consul
                                 ? *config.services.consul == ServiceProvider::kBuiltin
                                 : trial && !policy.consul_configured;
  return policy;
}

std::vector<std::string> KeysThatNeedRestart(const AgentConfig& running,
                                             const AgentConfig& wanted) {
  std::vector<std::string> keys;
  const auto compare = [&keys](const char* key, bool same) {
    if (!same) keys.emplace_back(key);
  };
  const AgentConfig &a = running, &b = wanted;
  compare("name", a.name == b.name);
  compare("datacenter", a.datacenter == b.datacenter);
  compare("region", a.region == b.region);
  compare("data_dir", a.data_dir == b.data_dir);
  compare("http/address", a.http.address == b.http.address);
  compare("http/port", a.http.port == b.http.port);
  compare("http/hosts", a.http.hosts == b.http.hosts);
  compare("http/origins", a.http.origins == b.http.origins);
  compare("http/advertise", a.http.advertise == b.http.advertise);
  // A file that is being written may lack its last lines. So what keeps clients out goes only with
  // a restart.
  compare("token_file", a.token_file.empty() || !b.token_file.empty());
  compare("acl/enabled", !a.acl.enabled || b.acl.enabled);
  // Turning TLS on or off needs a restart, but new files of TLS do not.
  compare("http/tls", a.http.cert_file.empty() == b.http.cert_file.empty() &&
                          (!a.http.verify_client || b.http.verify_client));
  compare("plugin_dirs", a.plugin_dirs == b.plugin_dirs);
  compare("plugins", std::equal(a.plugins.begin(), a.plugins.end(), b.plugins.begin(),
                                b.plugins.end(), SamePlugin));
  compare("client/alloc_dir", a.client.alloc_dir == b.client.alloc_dir);
  compare("client/run_dir", a.client.run_dir == b.client.run_dir);
  compare("client/node_class", a.client.node_class == b.client.node_class);
  compare("client/network_interface", a.client.network_interface == b.client.network_interface);
  compare("client/meta", a.client.meta == b.client.meta);
  compare("client/node_pool", a.client.node_pool == b.client.node_pool);
  compare("client/min_dynamic_port", a.client.min_dynamic_port == b.client.min_dynamic_port);
  compare("client/max_dynamic_port", a.client.max_dynamic_port == b.client.max_dynamic_port);
  compare("client/host_network", a.client.host_networks == b.client.host_networks);
  compare("client/bridge_network", a.client.bridge == b.client.bridge);
  compare("client/cni_path", a.client.cni_path == b.client.cni_path);
  compare("client/cni_config_dir", a.client.cni_config_dir == b.client.cni_config_dir);
  compare("client/cni_address_check", a.client.cni_address_check == b.client.cni_address_check);
  compare("client/task_hooks", a.client.task_hooks == b.client.task_hooks);
  compare("client/cpu_total_compute", a.client.cpu_total_mhz == b.client.cpu_total_mhz);
  compare("client/memory_total_mb", a.client.memory_total_mb == b.client.memory_total_mb);
  compare("client/unknown_tasks", a.client.keep_unknown_tasks == b.client.keep_unknown_tasks);
  compare("client/ephemeral_disk_limit", a.client.watch_disks == b.client.watch_disks);
  compare("client/max_kill_timeout", a.client.max_kill_timeout == b.client.max_kill_timeout);
  compare("client/users", a.client.users == b.client.users);
  compare("client/reserved", a.client.reserved == b.client.reserved);
  compare("client/host_volume", a.client.host_volumes == b.client.host_volumes);
  compare("client/host_volumes_dir", a.client.host_volumes_dir == b.client.host_volumes_dir);
  compare("client/host_volume_plugin_dir",
          a.client.host_volume_plugin_dir == b.client.host_volume_plugin_dir);
  compare("client/artifact", a.client.artifacts == b.client.artifacts);
  compare("server/oidc_issuer", a.identity.oidc_issuer == b.identity.oidc_issuer);
  compare("server/root_key_rotation_threshold", a.identity.key_age == b.identity.key_age);
  compare("telemetry/collection_interval",
          a.telemetry.collection_interval == b.telemetry.collection_interval);
  compare("log_format", a.log_format == b.log_format);
  compare("log_file", a.log_file == b.log_file);
  compare("limits", a.limits == b.limits);
  compare("consul", a.consul == b.consul);
  return keys;
}

}  // namespace drover
