// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/config_reader.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <set>
#include <vector>

#include "host/config/config_values.h"

namespace drover {
namespace {

constexpr char kLogName[] = "drover.log";
constexpr Duration kLeastKeyAge = 1min;

// Reads a port, or the last port of a range. Returns 0 if TEXT is neither.
int PortIn(std::string_view text) {
  int port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, port);
  return error == std::errc() && rest == end && port >= 1 && port <= 65535 ? port : 0;
}

}  // namespace

bool ReadPorts(std::string_view text, std::set<int>* ports) {
  std::vector<int> changes(65537);  // at each port, by how much the number of its ranges changes
  while (!text.empty()) {
    std::string_view part = text.substr(0, text.find(','));
    text.remove_prefix(std::min(text.size(), part.size() + 1));
    while (part.starts_with(' ')) part.remove_prefix(1);
    while (part.ends_with(' ')) part.remove_suffix(1);
    const std::size_t dash = part.find('-');
    const int first = PortIn(part.substr(0, dash));
    const int last = dash == std::string_view::npos ? first : PortIn(part.substr(dash + 1));
    if (first == 0 || last < first) return false;
    ++changes[static_cast<std::size_t>(first)];
    --changes[static_cast<std::size_t>(last) + 1];
  }
  int ranges = 0;
  for (int port = 0; port <= 65535; ++port) {
    ranges += changes[static_cast<std::size_t>(port)];
    if (ranges > 0) ports->insert(ports->end(), port);
  }
  return true;
}

namespace {

void ReadReserved(const ConfigValues& values, AgentConfig::Client::Reserved* reserved) {
  values.Number("/client/reserved/cpu", &reserved->cpu_mhz);
  values.Number("/client/reserved/memory", &reserved->memory_mb);
  values.Number("/client/reserved/disk", &reserved->disk_mb);
  values.Text("/client/reserved/reserved_ports", &reserved->ports_text);
  if (!ReadPorts(reserved->ports_text, &reserved->ports)) {
    values.Mistake("/client/reserved/reserved_ports",
                   "must be ports and ranges such as \"22,80,8500-8600\"");
  }
}

void ReadDynamicPorts(const ConfigValues& values, AgentConfig::Client* client) {
  values.Number("/client/min_dynamic_port", &client->min_dynamic_port);
  values.Number("/client/max_dynamic_port", &client->max_dynamic_port);
  if (client->min_dynamic_port > client->max_dynamic_port) {
    const bool low = values.Has("/client/min_dynamic_port");
    values.Mistake(low ? "/client/min_dynamic_port" : "/client/max_dynamic_port",
                   "the ports " + std::to_string(client->min_dynamic_port) + " to " +
                       std::to_string(client->max_dynamic_port) + " are no range");
  }
}

void ReadDiskLimit(const ConfigValues& values, AgentConfig::Client* client) {
  using Limit = AgentConfig::Client::DiskLimit;
  std::string limit = "off";
  values.Text("/client/ephemeral_disk_limit", &limit);
  if (limit == "quota") {
    client->disk_limit = Limit::kQuota;
  } else if (limit == "watch") {
    client->disk_limit = Limit::kWatch;
  } else if (limit != "off") {
    values.Mistake("/client/ephemeral_disk_limit", "must be off, watch or quota");
  }
  values.Number("/client/min_disk_project", &client->min_disk_project);
  values.Number("/client/max_disk_project", &client->max_disk_project);
  if (client->min_disk_project > client->max_disk_project) {
    const bool low = values.Has("/client/min_disk_project");
    values.Mistake(low ? "/client/min_disk_project" : "/client/max_disk_project",
                   "the projects " + std::to_string(client->min_disk_project) + " to " +
                       std::to_string(client->max_disk_project) + " are no range");
  }
}

// Reads a name. As with Nomad, an empty one means that the key is not set.
void ReadName(const ConfigValues& values, const std::string& pointer, std::string* out) {
  const std::string by_default = *out;
  values.Text(pointer, out);
  if (out->empty()) *out = by_default;
}

// A pool has the name of a pool, and is not all pools.
bool IsPool(const std::string& name) {
  return !name.empty() && name.size() <= 128 && name != "all" &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

void ReadClient(const ConfigValues& values, AgentConfig::Client* client) {
  bool enabled = true;
  values.Bool("/client/enabled", &enabled);
  if (!enabled) {
    values.Mistake("/client/enabled",
                   "must be true, or left out: an agent always runs tasks on its machine");
  }
  values.Text("/client/alloc_dir", &client->alloc_dir);
  values.Text("/client/run_dir", &client->run_dir);
  values.Text("/client/node_class", &client->node_class);
  ReadName(values, "/client/node_pool", &client->node_pool);
  if (!IsPool(client->node_pool)) {
    values.Mistake("/client/node_pool",
                   "must be a name of letters, digits, - and _, other than all");
  }
  values.Address("/client/network_interface", &client->network_interface);
  values.Map("/client/meta", &client->meta);
  std::string unknown = "stop";
  values.Text("/client/unknown_tasks", &unknown);
  if (unknown != "stop" && unknown != "keep") {
    values.Mistake("/client/unknown_tasks", "must be stop or keep");
  }
  client->keep_unknown_tasks = unknown == "keep";
  ReadDiskLimit(values, client);
  values.Time("/client/max_kill_timeout", &client->max_kill_timeout);
  ReadDynamicPorts(values, client);
  ReadNetworkConfig(values, client);
  ReadReserved(values, &client->reserved);
  values.Number("/client/cpu_total_compute", &client->cpu_total_mhz);
  values.Number("/client/memory_total_mb", &client->memory_total_mb);
  ReadHostVolumes(values, client);
  values.Time("/client/gc_interval", &client->gc.interval);
  values.Number("/client/gc_max_allocs", &client->gc.max_allocs);
  values.Number("/client/gc_disk_usage_threshold", &client->gc.disk_usage_threshold);
  ReadArtifactConfig(values, &client->artifacts);
}

void ReadServer(const ConfigValues& values, AgentConfig::Server* server) {
  bool enabled = true;
  values.Bool("/server/enabled", &enabled);
  if (!enabled) {
    values.Mistake("/server/enabled",
                   "must be true, or left out: an agent always schedules for its machine");
  }
  int servers = 1;
  values.Number("/server/bootstrap_expect", &servers);
  if (servers > 1) {
    values.Mistake("/server/bootstrap_expect",
                   "must be 1, or left out: each agent is the only server of its machine");
  }
  values.Time("/server/job_gc_threshold", &server->job_gc_threshold);
  values.Time("/server/deployment_gc_threshold", &server->deployment_gc_threshold);
  AgentConfig::Server::Preemption* const preemption = &server->preemption;
  const std::string block = "/server/default_scheduler_config/preemption_config/";
  values.Bool(block + "system_scheduler_enabled", &preemption->system);
  values.Bool(block + "service_scheduler_enabled", &preemption->service);
  values.Bool(block + "batch_scheduler_enabled", &preemption->batch);
  values.Bool(block + "sysbatch_scheduler_enabled", &preemption->sysbatch);
}

void ReadIdentity(const ConfigValues& values, AgentConfig::Identity* identity) {
  values.Text("/server/oidc_issuer", &identity->oidc_issuer);
  const std::string& issuer = identity->oidc_issuer;
  const bool is_url = issuer.starts_with("https://") || issuer.starts_with("http://");
  if (!issuer.empty() && (!is_url || issuer.find_first_of("?# ") != std::string::npos)) {
    values.Mistake("/server/oidc_issuer",
                   "must be a URL without a query, such as https://drover.example");
  }
  values.Time("/server/root_key_rotation_threshold", &identity->key_age);
  if (identity->key_age < kLeastKeyAge) {
    values.Mistake("/server/root_key_rotation_threshold", "must be at least 1m");
  }
}

void ReadLogFile(const ConfigValues& values, AgentConfig::LogFile* file) {
  values.Text("/log_file", &file->path);
  if (file->path.ends_with('/')) file->path += kLogName;
  values.Number("/log_rotate_bytes", &file->rotate_bytes);
  values.Time("/log_rotate_duration", &file->rotate_duration);
  values.Number("/log_rotate_max_files", &file->rotate_max_files);
}

void ReadLog(const ConfigValues& values, AgentConfig* config) {
  values.Text("/log_level", &config->log_level);
  std::string& level = config->log_level;
  std::transform(level.begin(), level.end(), level.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  static const std::set<std::string> kLevels = {"trace", "debug", "info", "warn", "error", "off"};
  if (kLevels.count(level) == 0) {
    values.Mistake("/log_level", "must be trace, debug, info, warn, error or off");
  }
  values.Exclude("/log_json", "/log_format");
  bool json = false;
  values.Bool("/log_json", &json);
  if (json) config->log_format = "json";
  values.Text("/log_format", &config->log_format);
  if (config->log_format != "text" && config->log_format != "json") {
    values.Mistake("/log_format", "must be text or json");
  }
  ReadLogFile(values, &config->log_file);
}

void ReadAccess(const ConfigValues& values, AgentConfig::Access* acl) {
  values.Bool("/acl/enabled", &acl->enabled);
  values.Time("/acl/token_min_expiration_ttl", &acl->shortest_ttl);
  values.Time("/acl/token_max_expiration_ttl", &acl->longest_ttl);
  if (acl->shortest_ttl > acl->longest_ttl) {
    const bool low = values.Has("/acl/token_min_expiration_ttl");
    values.Mistake(low ? "/acl/token_min_expiration_ttl" : "/acl/token_max_expiration_ttl",
                   "no time is between " + FormatDuration(acl->shortest_ttl) + " and " +
                       FormatDuration(acl->longest_ttl));
  }
}

void ReadLimits(const ConfigValues& values, AgentConfig::Limits* limits) {
  values.Number("/limits/http_max_conns", &limits->http_max_conns);
  values.Number("/limits/http_max_conns_per_client", &limits->http_max_conns_per_client);
  values.Time("/limits/https_handshake_timeout", &limits->https_handshake_timeout);
}

// Reads consul or builtin.
void ReadRegistry(const ConfigValues& values, const std::string& pointer, ServiceProvider* out) {
  std::string name;
  values.Text(pointer, &name);
  if (name != "consul" && name != "builtin") {
    values.Mistake(pointer, "must be consul or builtin");
  }
  *out = name == "builtin" ? ServiceProvider::kBuiltin : ServiceProvider::kConsul;
}

void ReadServices(const ConfigValues& values, AgentConfig::Services* services) {
  if (values.Has("/services/default_provider")) {
    ReadRegistry(values, "/services/default_provider", &services->default_provider);
  }
  if (values.Has("/services/consul")) {
    ReadRegistry(values, "/services/consul", &services->consul.emplace());
  }
}

}  // namespace

AgentConfig ReadConfigDocument(const ConfigDocument& document, const AddressSource& addresses,
                               ConfigFindings* mistakes) {
  const ConfigValues values(&document, &addresses, mistakes);
  AgentConfig config;
  values.Text("/name", &config.name);
  ReadName(values, "/datacenter", &config.datacenter);
  ReadName(values, "/region", &config.region);
  values.Text("/data_dir", &config.data_dir);
  values.Text("/token_file", &config.token_file);
  ReadAccess(values, &config.acl);
  ReadHttpConfig(values, &config.http);
  ReadPluginConfigs(values, &config);
  ReadClient(values, &config.client);
  ReadUsersConfig(values, &config);
  ReadServer(values, &config.server);
  ReadIdentity(values, &config.identity);
  AgentConfig::Telemetry& telemetry = config.telemetry;
  values.Time("/telemetry/collection_interval", &telemetry.collection_interval);
  values.Bool("/telemetry/publish_allocation_metrics", &telemetry.publish_allocation_metrics);
  values.Bool("/telemetry/prometheus_metrics", &telemetry.prometheus_metrics);
  ReadLog(values, &config);
  ReadLimits(values, &config.limits);
  ReadServices(values, &config.services);
  ReadConsulConfig(values, &config.consul);
  return config;
}

}  // namespace drover
