// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cctype>
#include <charconv>
#include <string_view>

#include "host/base/ip_address.h"
#include "host/config/address_template.h"
#include "host/config/config_values.h"

namespace drover {
namespace {

// Whether TEXT is an IP address. An IPv6 address may have a scope, as in "fe80::1%eth0".
bool IsAddress(const std::string& text) {
  if (text.find('\0') != std::string::npos) return false;  // also not in the scope
  return IsIpAddress(text) || IsIpv6Address(text.substr(0, text.find('%')));
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

bool IsOrigin(const std::string& text) {
  const std::size_t name = text.find("://");
  const std::string scheme = text.substr(0, name);
  return name != std::string::npos && (scheme == "http" || scheme == "https") &&
         IsHostAndPort(text.substr(name + 3));
}

// Reads the names of the API: its hosts, its origins, and the address for clients.
void ReadNames(const ConfigValues& values, AgentConfig::Http* http) {
  values.Texts("/http/hosts", &http->hosts);
  for (const std::string& host : http->hosts) {
    if (IsHost(host)) continue;
    values.Mistake("/http/hosts", "\"" + host + "\" must be a host without a port");
  }
  values.Texts("/http/origins", &http->origins);
  for (const std::string& origin : http->origins) {
    if (IsOrigin(origin)) continue;
    values.Mistake("/http/origins", "\"" + origin + "\" is not like \"https://ui.example:8443\"");
  }
  values.Exclude("/http/advertise", "/advertise/http");
  values.Address("/http/advertise", &http->advertise);
  values.Address("/advertise/http", &http->advertise);
  if (HasAddressTemplate(http->advertise)) return;  // it could not be filled, which is a mistake
  if (IsIpv6Address(http->advertise)) http->advertise = "[" + http->advertise + "]";
  if (!http->advertise.empty() && !IsHostAndPort(http->advertise)) {
    const char* const key = values.Has("/http/advertise") ? "/http/advertise" : "/advertise/http";
    values.Mistake(
        key, "\"" + http->advertise + "\" is not like \"node.example\" or \"192.0.2.7:4646\"");
  }
}

void ReadTls(const ConfigValues& values, AgentConfig::Http* http) {
  std::string block = "/http/tls";
  bool on = values.Has(block);
  values.Text("/http/tls/cert_file", &http->cert_file);
  values.Text("/http/tls/key_file", &http->key_file);
  values.Text("/http/tls/ca_file", &http->ca_file);
  values.Bool("/http/tls/verify_client", &http->verify_client);
  bool of_peer = false;
  values.Bool("/tls/http", &of_peer);
  if (of_peer) {
    values.Exclude("/http/tls", "/tls/http");
    block = "/tls";
    on = true;
    values.Text("/tls/cert_file", &http->cert_file);
    values.Text("/tls/key_file", &http->key_file);
    values.Text("/tls/ca_file", &http->ca_file);
    values.Bool("/tls/verify_https_client", &http->verify_client);
  }
  if (on && (http->cert_file.empty() || http->key_file.empty())) {
    values.Mistake(block, "needs cert_file and key_file");
  }
  if (on && http->verify_client && http->ca_file.empty()) {
    values.Mistake(block, "needs ca_file, as clients need a certificate");
  }
}

}  // namespace

bool IsHostAndPort(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos || text.ends_with(']')) return IsHost(text);
  int port = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data() + colon + 1, end, port);
  return error == std::errc() && rest == end && port >= 1 && port <= 65535 &&
         IsHost(text.substr(0, colon));
}

void ReadHttpConfig(const ConfigValues& values, AgentConfig::Http* http) {
  values.Exclude("/http/address", "/addresses/http");
  values.Exclude("/http/address", "/bind_addr");
  values.Exclude("/http/port", "/ports/http");
  // A later key wins. An empty text of one of Nomad's keys means that it is not set.
  for (const char* key : {"/bind_addr", "/addresses/http", "/http/address"}) {
    const nlohmann::json* const value = values.Find(key);
    if (value == nullptr || (*value == "" && std::string_view(key) != "/http/address")) continue;
    values.Address(key, &http->address);
    if (HasAddressTemplate(http->address)) continue;  // it could not be filled, which is a mistake
    if (http->address.find(' ') != std::string::npos) {
      values.Mistake(key, "must be one address: the API listens on one");
    } else if (!IsAddress(http->address)) {
      values.Mistake(key, "must be an IP address, such as 127.0.0.1");
    }
  }
  values.Number("/ports/http", &http->port);
  values.Number("/http/port", &http->port);
  ReadTls(values, http);
  ReadNames(values, http);
}

}  // namespace drover
