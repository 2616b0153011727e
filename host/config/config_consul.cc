// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>

#include "host/config/address_template.h"
#include "host/config/config_values.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr std::size_t kMostClusterName = 64;

bool IsClusterName(const std::string& name) {
  return name.size() <= kMostClusterName &&
         std::all_of(name.begin(), name.end(),
                     [](unsigned char c) { return std::isalnum(c) != 0 || c == '-' || c == '_'; });
}

// Whether TEXT can stand in a header or in a path. A line break would begin another header.
bool IsPrintableAscii(const std::string& text) {
  return std::all_of(text.begin(), text.end(), [](char c) { return c >= ' ' && c < 0x7f; });
}

// Reads the address of the block AT into URL.
void ReadUrl(const ConfigValues& values, const std::string& at, std::string* url) {
  const std::string key = at + "/address";
  bool ssl = false;
  values.Bool(at + "/ssl", &ssl);
  std::string address = "127.0.0.1:8500";
  values.Address(key, &address);
  if (HasAddressTemplate(address)) return;          // it could not be filled, which is a mistake
  if (address.empty()) address = "127.0.0.1:8500";  // as with Nomad, it is not set
  const auto mistake = [&](const std::string& what) {
    values.Mistake(values.Has(key) ? key : at + "/ssl", what);
  };
  if (address.starts_with("unix://")) {
    if (!address.starts_with("unix:///") || address.find('\0') != std::string::npos) {
      mistake("must have an absolute path, such as unix:///run/consul.sock");
    }
    if (ssl) mistake("is a socket, which has no TLS: remove ssl = true");
    *url = address;
    return;
  }
  std::string scheme = ssl ? "https://" : "http://";
  for (const std::string_view known : {"http://", "https://"}) {
    if (!address.starts_with(known)) continue;
    if (ssl && known == "http://") mistake("begins with http://, but ssl = true wants https://");
    scheme = known;
    address.erase(0, known.size());
    break;
  }
  if (address.ends_with('/')) address.pop_back();
  const std::size_t colon = address.rfind(':');
  const bool has_port = colon != std::string::npos && !address.ends_with(']');
  if (!IsHostAndPort(address) || !has_port) {
    mistake(
        "must be like \"127.0.0.1:8500\", \"https://consul.example:8501\" or "
        "\"unix:///run/consul.sock\"");
  }
  *url = scheme + address;
}

AgentConfig::Consul ReadCluster(const ConfigValues& values, const std::string& at) {
  AgentConfig::Consul consul;
  ReadUrl(values, at, &consul.url);
  const auto secret = [&](const char* key, std::string* out) {
    values.Text(at + key, out);
    if (!IsPrintableAscii(*out)) {
      values.Mistake(at + key, "has a line break or another character that no header has");
    }
  };
  secret("/auth", &consul.auth);
  if (!consul.auth.empty() && consul.auth.find(':') == std::string::npos) {
    values.Mistake(at + "/auth", "must be USER:PASSWORD");
  }
  secret("/token", &consul.token);
  secret("/namespace", &consul.consul_namespace);
  values.Text(at + "/ca_file", &consul.ca_file);
  values.Text(at + "/cert_file", &consul.cert_file);
  values.Text(at + "/key_file", &consul.key_file);
  if (consul.cert_file.empty() != consul.key_file.empty()) {
    values.Mistake(at + (consul.key_file.empty() ? "/cert_file" : "/key_file"),
                   "needs cert_file and key_file");
  }
  values.Bool(at + "/verify_ssl", &consul.verify_ssl);
  values.Time(at + "/timeout", &consul.timeout);
  return consul;
}

}  // namespace

void ReadConsulConfig(const ConfigValues& values,
                      std::map<std::string, AgentConfig::Consul>* clusters) {
  const nlohmann::json* const blocks = values.Find("/consul");
  if (blocks == nullptr) return;
  for (const auto& [name, block] : blocks->items()) {
    const std::string at = JsonPointer("/consul", name);
    if (!IsClusterName(name)) {
      values.Mistake(at + "/name", "must have at most 64 letters, digits, - and _");
      continue;
    }
    bool enabled = true;
    values.Bool(at + "/enabled", &enabled);
    if (enabled) clusters->emplace(name, ReadCluster(values, at));
  }
}

}  // namespace drover
