// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/agent_config.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cerrno>
#include <charconv>
#include <filesystem>
#include <functional>
#include <limits>
#include <nlohmann/json.hpp>
#include <tuple>

#include "host/base/owned_path.h"
#include "host/base/unique_fd.h"
#include "host/spec/job_limits.h"

namespace drover {
namespace {

using Json = nlohmann::json;

constexpr std::size_t kMaxFileBytes = 4 << 20;

// Reads a JSON object key by key and collects all mistakes. A key that no caller reads is a
// mistake.
class ObjectReader {
 public:
  ObjectReader(const Json& object, std::string pointer, std::vector<std::string>* mistakes)
      : object_(object), pointer_(std::move(pointer)), mistakes_(mistakes) {
    if (!object_.is_object()) Mistake("", "must be an object");
  }

  const Json* Take(const std::string& key) {
    known_.push_back(key);
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    if (found == object_.end()) return nullptr;
    // A configuration template writes null for a missing value. If null were allowed, the agent
    // would run without the key, for example without a token, and nobody would notice.
    if (found->is_null()) Mistake(key, "is null: write a value, or leave the key out");
    return found->is_null() ? nullptr : &*found;
  }

  void Text(const std::string& key, std::string* out) {
    const Json* value = Take(key);
    if (value == nullptr) return;
    if (!value->is_string()) return Mistake(key, "must be a text");
    *out = value->get<std::string>();
  }

  // Reads a path. A relative path starts at BASE. An empty path is a mistake, and so is null. With
  // an empty token_file, for example, an agent would run without a token, and nobody would notice.
  void Path(const std::string& key, const std::string& base, std::string* out) {
    if (const Json* value = Take(key)) ReadPath(*value, key, base, out);
  }

  void Paths(const std::string& key, const std::string& base, std::vector<std::string>* out) {
    const Json* value = Take(key);
    if (value == nullptr) return;
    if (!value->is_array()) return Mistake(key, "must be a list of texts");
    for (std::size_t i = 0; i < value->size(); ++i)
      ReadPath((*value)[i], key + "/" + std::to_string(i), base, &out->emplace_back());
  }

  void Bool(const std::string& key, bool* out) {
    const Json* value = Take(key);
    if (value == nullptr) return;
    if (!value->is_boolean()) return Mistake(key, "must be true or false");
    *out = value->get<bool>();
  }

  void Number(const std::string& key, int least, int most, int* out) {
    const Json* value = Take(key);
    if (value == nullptr) return;
    const bool fits = value->is_number_integer() && *value >= least && *value <= most;
    if (!fits) {
      return Mistake(key, "must be a whole number from " + std::to_string(least) + " to " +
                              std::to_string(most));
    }
    *out = value->get<int>();
  }

  void Time(const std::string& key, Duration* out) {
    const Json* value = Take(key);
    if (value == nullptr) return;
    if (!value->is_string()) return Mistake(key, "must be a duration such as \"30s\"");
    const Result<Duration> parsed = ParseDuration(value->get<std::string>());
    if (!parsed.ok()) return Mistake(key, parsed.error().message());
    if (*parsed <= Duration(0)) return Mistake(key, "must be longer than 0s");
    // A longer duration can overflow a point in time.
    if (*parsed > kLongestOfJob) {
      return Mistake(key, "must be at most " + FormatDuration(kLongestOfJob) + " (100 years)");
    }
    *out = *parsed;
  }

  void Texts(const std::string& key, std::vector<std::string>* out) {
    const Json* value = Take(key);
    if (value == nullptr) return;
    if (!value->is_array()) return Mistake(key, "must be a list of texts");
    for (const Json& item : *value) {
      if (!item.is_string()) return Mistake(key, "must be a list of texts");
      out->push_back(item.get<std::string>());
    }
  }

  void Map(const std::string& key, StringMap* out) {
    const Json* value = Take(key);
    if (value == nullptr) return;
    if (!value->is_object()) return Mistake(key, "must be an object of texts");
    for (const auto& [name, item] : value->items()) {
      if (!item.is_string()) return Mistake(key + "/" + name, "must be a text");
      (*out)[name] = item.get<std::string>();
    }
  }

  void Mistake(const std::string& key, const std::string& what) {
    mistakes_->push_back(
        (key.empty() ? (pointer_.empty() ? "/" : pointer_) : pointer_ + "/" + key) + ": " + what);
  }

  // Reports each key that was not read as a mistake.
  void End() {
    if (!object_.is_object()) return;
    for (const auto& [key, value] : object_.items()) {
      if (std::find(known_.begin(), known_.end(), key) != known_.end()) continue;
      std::string names;
      for (const std::string& name : known_) names += (names.empty() ? "" : ", ") + name;
      Mistake(key, "is not supported by this version; known here: " + names);
    }
  }

  std::string Pointer(const std::string& key) const { return pointer_ + "/" + key; }

 private:
  void ReadPath(const Json& value, const std::string& key, const std::string& base,
                std::string* out) {
    if (!value.is_string()) return Mistake(key, "must be a text");
    const std::string text = value.get<std::string>();
    if (text.empty()) return Mistake(key, "is empty: write a path, or leave it out");
    if (text.find('\0') != std::string::npos) return Mistake(key, "holds a NUL character");
    *out = (std::filesystem::path(base) / text).lexically_normal().string();
  }

  const Json& object_;
  std::string pointer_;
  std::vector<std::string>* mistakes_;
  std::vector<std::string> known_;
};

bool IsSha256(const std::string& text) {
  return text.size() == 64 && text.find_first_not_of("0123456789abcdef") == std::string::npos;
}

PluginConfig ReadPlugin(const std::string& name, const Json& json, const std::string& pointer,
                        const std::string& base, std::vector<std::string>* mistakes) {
  PluginConfig block;
  block.name = name;
  block.isolation.clear();
  ObjectReader reader(json, pointer, mistakes);
  reader.Path("file", base, &block.file);
  reader.Bool("enabled", &block.enabled);
  reader.Text("sha256", &block.sha256);
  if (!block.sha256.empty() && !IsSha256(block.sha256)) {
    reader.Mistake("sha256", "must be 64 lower-case hex digits");
  }
  reader.Text("isolation", &block.isolation);
  if (const auto known = ParseIsolation(block.isolation, Isolation::kInProcess); !known.ok()) {
    reader.Mistake("isolation", known.error().message());
  }
  if (const Json* limits = reader.Take("limits")) {
    ObjectReader of_calls(*limits, reader.Pointer("limits"), mistakes);
    for (const NamedLimit& known : kPluginLimits) {
      Duration limit{0};
      of_calls.Time(known.name, &limit);
      if (limit.count() > 0) block.limits[known.name] = limit;
    }
    of_calls.End();
  }
  if (const Json* probe = reader.Take("probe")) {
    ObjectReader of_probe(*probe, reader.Pointer("probe"), mistakes);
    of_probe.Time("time", &block.probe.time);
    of_probe.Number("memory_mb", 64, 1 << 20, &block.probe.memory_mb);
    of_probe.Number("file_mb", 0, 1 << 20, &block.probe.file_mb);
    of_probe.End();
  }
  if (const Json* config = reader.Take("config")) {
    if (!config->is_object()) reader.Mistake("config", "must be an object");
    block.config_json = config->dump();
  }
  reader.End();
  return block;
}

// Whether TEXT is a host name or an IP address. An IPv6 address must be in brackets.
bool IsHost(const std::string& text) {
  if (text.starts_with('[')) {
    return text.size() > 2 &&
           text.find_first_not_of("0123456789abcdefABCDEF:.", 1) == text.size() - 1 &&
           text.ends_with(']');
  }
  return !text.empty() && std::all_of(text.begin(), text.end(), [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '-' || c == '.' || c == '_';
  });
}

// Whether TEXT is a host, with or without a port.
bool IsHostAndPort(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.ends_with(']')) return IsHost(text);
  int port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, port);
  return error == std::errc() && rest == end && port >= 1 && port <= 65535 &&
         IsHost(text.substr(0, colon));
}

bool IsOrigin(const std::string& text) {
  const std::size_t name = text.find("://");
  const std::string scheme = text.substr(0, name);
  return name != std::string::npos && (scheme == "http" || scheme == "https") &&
         IsHostAndPort(text.substr(name + 3));
}

// Reads the names of the API: its hosts, its origins, and the address for clients.
void ReadNames(ObjectReader* reader, AgentConfig::Http* http) {
  reader->Texts("hosts", &http->hosts);
  for (const std::string& host : http->hosts) {
    if (!IsHost(host)) reader->Mistake("hosts", "\"" + host + "\" must be a host without a port");
  }
  reader->Texts("origins", &http->origins);
  for (const std::string& origin : http->origins) {
    if (!IsOrigin(origin)) {
      reader->Mistake("origins", "\"" + origin + "\" is not like \"https://ui.example:8443\"");
    }
  }
  reader->Text("advertise", &http->advertise);
  if (!http->advertise.empty() && !IsHostAndPort(http->advertise)) {
    reader->Mistake("advertise", "\"" + http->advertise +
                                     "\" is not like \"node.example\" or \"192.0.2.7:4646\"");
  }
}

void ReadHttp(const Json& json, const std::string& base, std::vector<std::string>* mistakes,
              AgentConfig::Http* http) {
  ObjectReader reader(json, "/http", mistakes);
  reader.Text("address", &http->address);
  reader.Number("port", 0, 65535, &http->port);
  if (const Json* tls = reader.Take("tls")) {
    ObjectReader of_tls(*tls, "/http/tls", mistakes);
    of_tls.Path("cert_file", base, &http->cert_file);
    of_tls.Path("key_file", base, &http->key_file);
    of_tls.Path("ca_file", base, &http->ca_file);
    of_tls.Bool("verify_client", &http->verify_client);
    if (http->cert_file.empty() || http->key_file.empty()) {
      of_tls.Mistake("", "needs cert_file and key_file");
    }
    of_tls.End();
  }
  ReadNames(&reader, http);
  reader.End();
}

void ReadClient(const Json& json, const std::string& base, std::vector<std::string>* mistakes,
                AgentConfig::Client* client) {
  constexpr int kMost = std::numeric_limits<int>::max();
  ObjectReader reader(json, "/client", mistakes);
  reader.Path("alloc_dir", base, &client->alloc_dir);
  reader.Path("run_dir", base, &client->run_dir);
  reader.Text("node_class", &client->node_class);
  reader.Text("network_interface", &client->network_interface);
  reader.Map("meta", &client->meta);
  std::string unknown = "stop";
  reader.Text("unknown_tasks", &unknown);
  if (unknown != "stop" && unknown != "keep") {
    reader.Mistake("unknown_tasks", "must be stop or keep");
  }
  client->keep_unknown_tasks = unknown == "keep";
  reader.Time("max_kill_timeout", &client->max_kill_timeout);
  if (const Json* reserved = reader.Take("reserved")) {
    ObjectReader of_reserved(*reserved, "/client/reserved", mistakes);
    of_reserved.Number("cpu", 0, kMost, &client->reserved.cpu_mhz);
    of_reserved.Number("memory", 0, kMost, &client->reserved.memory_mb);
    of_reserved.Number("disk", 0, kMost, &client->reserved.disk_mb);
    of_reserved.End();
  }
  reader.Time("gc_interval", &client->gc.interval);
  reader.Number("gc_max_allocs", 0, 1'000'000, &client->gc.max_allocs);
  reader.Number("gc_disk_usage_threshold", 1, 100, &client->gc.disk_usage_threshold);
  reader.End();
}

// Whether a plugin's block may change from A to B without a restart. The name and "enabled" must be
// equal. Any other change only reloads the plugin.
bool SamePlugin(const PluginConfig& a, const PluginConfig& b) {
  return a.name == b.name && a.enabled == b.enabled;
}

}  // namespace

Result<AgentConfig> ParseAgentConfig(const std::string& text, const std::string& base) {
  Json json;
  try {
    json = Json::parse(text, nullptr, true, /*ignore_comments=*/true);
  } catch (const Json::exception& e) {
    return Error(Code::kInvalidArgument, std::string("not JSON: ") + e.what());
  }
  AgentConfig config;
  std::vector<std::string> mistakes;
  try {
    ObjectReader reader(json, "", &mistakes);
    reader.Text("name", &config.name);
    reader.Text("datacenter", &config.datacenter);
    reader.Text("region", &config.region);
    reader.Path("data_dir", base, &config.data_dir);
    reader.Path("token_file", base, &config.token_file);
    if (const Json* http = reader.Take("http")) ReadHttp(*http, base, &mistakes, &config.http);
    reader.Paths("plugin_dirs", base, &config.plugin_dirs);
    if (const Json* plugins = reader.Take("plugins")) {
      if (!plugins->is_object()) reader.Mistake("plugins", "must be an object by driver names");
      for (const auto& [name, block] : plugins->items()) {
        config.plugins.push_back(
            ReadPlugin(name, block, reader.Pointer("plugins") + "/" + name, base, &mistakes));
      }
    }
    if (const Json* client = reader.Take("client")) {
      ReadClient(*client, base, &mistakes, &config.client);
    }
    if (const Json* server = reader.Take("server")) {
      ObjectReader of_server(*server, "/server", &mistakes);
      of_server.Time("job_gc_threshold", &config.server.job_gc_threshold);
      of_server.End();
    }
    if (const Json* telemetry = reader.Take("telemetry")) {
      ObjectReader of_telemetry(*telemetry, "/telemetry", &mistakes);
      of_telemetry.Time("collection_interval", &config.telemetry.collection_interval);
      of_telemetry.Bool("publish_allocation_metrics", &config.telemetry.publish_allocation_metrics);
      of_telemetry.Bool("prometheus_metrics", &config.telemetry.prometheus_metrics);
      of_telemetry.End();
    }
    reader.Text("log_level", &config.log_level);
    static const std::vector<std::string> kLevels = {"trace", "debug", "info", "warn", "error"};
    if (std::find(kLevels.begin(), kLevels.end(), config.log_level) == kLevels.end()) {
      reader.Mistake("log_level", "must be trace, debug, info, warn or error");
    }
    reader.Text("log_format", &config.log_format);
    if (config.log_format != "text" && config.log_format != "json") {
      reader.Mistake("log_format", "must be text or json");
    }
    if (const Json* limits = reader.Take("limits")) {
      ObjectReader of_limits(*limits, "/limits", &mistakes);
      of_limits.Number("http_max_conns", 0, 1'000'000, &config.limits.http_max_conns);
      of_limits.Number("http_max_conns_per_client", 0, 1'000'000,
                       &config.limits.http_max_conns_per_client);
      of_limits.Time("https_handshake_timeout", &config.limits.https_handshake_timeout);
      of_limits.End();
    }
    reader.End();
  } catch (const Json::exception& e) {
    return Error(Code::kInvalidArgument, std::string("not valid UTF-8: ") + e.what());
  }
  if (mistakes.empty()) return config;
  std::string all;
  for (const std::string& mistake : mistakes) all += (all.empty() ? "" : "; ") + mistake;
  return Error(Code::kInvalidArgument, all);
}

Result<AgentConfig> ReadAgentConfig(const std::string& path) {
  const std::string place = "configuration " + path;
  std::error_code error;
  const std::filesystem::path whole = std::filesystem::absolute(path, error);
  // The plugins in the configuration file run with the agent's rights. So OpenOwned checks which
  // users may write to the file.
  const OwnedKind kind{"configurations", "the configuration", /*own_group_may_write=*/true};
  const Result<UniqueFd> opened = OpenOwned(whole.string(), O_RDONLY | O_NOCTTY, kind);
  struct stat info{};
  if (opened.ok() && fstat(opened->get(), &info) != 0) return ErrnoError(errno, place);
  if (opened.ok() ? !S_ISREG(info.st_mode) : opened.code() == Code::kNotFound)
    return Error(Code::kNotFound, place + ": no such file");
  if (!opened.ok()) return opened.error().WithContext(place);
  const int file = opened->get();
  std::string text(kMaxFileBytes + 1, '\0');
  std::size_t size = 0;
  while (size < text.size()) {
    const ssize_t n = read(file, text.data() + size, text.size() - size);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, place);
    if (n == 0) break;
    size += static_cast<std::size_t>(n);
  }
  if (size > kMaxFileBytes) return Error(Code::kInvalidArgument, place + ": larger than 4 MiB");
  text.resize(size);
  Result<AgentConfig> config = ParseAgentConfig(text, whole.parent_path().string());
  if (!config.ok()) return config.error().WithContext(place);
  return config;
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
  // Turning TLS on or off needs a restart, but new files of TLS do not.
  compare("http/tls", a.http.cert_file.empty() == b.http.cert_file.empty());
  compare("plugin_dirs", a.plugin_dirs == b.plugin_dirs);
  compare("plugins", std::equal(a.plugins.begin(), a.plugins.end(), b.plugins.begin(),
                                b.plugins.end(), SamePlugin));
  compare("client/alloc_dir", a.client.alloc_dir == b.client.alloc_dir);
  compare("client/run_dir", a.client.run_dir == b.client.run_dir);
  compare("client/node_class", a.client.node_class == b.client.node_class);
  compare("client/network_interface", a.client.network_interface == b.client.network_interface);
  compare("client/meta", a.client.meta == b.client.meta);
  compare("client/unknown_tasks", a.client.keep_unknown_tasks == b.client.keep_unknown_tasks);
  compare("client/max_kill_timeout", a.client.max_kill_timeout == b.client.max_kill_timeout);
  compare("client/reserved", a.client.reserved == b.client.reserved);
  compare("telemetry/collection_interval",
          a.telemetry.collection_interval == b.telemetry.collection_interval);
  compare("log_format", a.log_format == b.log_format);
  compare("limits", a.limits == b.limits);
  return keys;
}

}  // namespace drover
