// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/proxy.h"

#include <algorithm>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/network_v4.hpp>
#include <boost/asio/ip/network_v6.hpp>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>

#include "host/http/http_message.h"

namespace drover {
namespace ip = boost::asio::ip;
namespace {

// Returns the first of NAMES that is an environment variable with a value. Returns null if none of
// them has a value.
const char* FirstSet(std::initializer_list<const char*> names) {
  for (const char* name : names) {
    const char* const value = std::getenv(name);
    if (value != nullptr && *value != '\0') return name;
  }
  return nullptr;
}

const char* ProxyVariable(const ServerAddress& address) {
  // HTTP_PROXY is not used, because a stranger could set it: a web server passes the header "Proxy"
  // of a request to its programs as HTTP_PROXY.
  return address.tls ? FirstSet({"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"})
                     : FirstSet({"http_proxy", "all_proxy", "ALL_PROXY"});
}

// Returns whether ADDRESS equals RULE, or is in the network RULE.
bool IsIn(const ip::address& address, const std::string& rule) {
  boost::system::error_code error;
  if (rule.find('/') == rule.npos) return ip::make_address(rule, error) == address && !error;
  if (address.is_v4()) {
    const ip::network_v4 network = ip::make_network_v4(rule, error);
    const ip::network_v4 own(address.to_v4(), error ? 0 : network.prefix_length());
    return !error && own.canonical() == network.canonical();
  }
  const ip::network_v6 network = ip::make_network_v6(rule, error);
  const ip::network_v6 own(address.to_v6(), error ? 0 : network.prefix_length());
  return !error && own.canonical() == network.canonical();
}

// Returns whether NAME equals DOMAIN, or ends with "." and DOMAIN.
bool IsBelow(std::string_view name, std::string_view domain) {
  if (name.ends_with('.')) name.remove_suffix(1);
  if (domain.ends_with('.')) domain.remove_suffix(1);
  if (domain.starts_with('.')) domain.remove_prefix(1);
  if (domain.empty() || domain.size() > name.size()) return false;
  const std::size_t begin = name.size() - domain.size();
  return EqualsIgnoringCase(name.substr(begin), domain) && (begin == 0 || name[begin - 1] == '.');
}

// Returns the variable that names a proxy for ADDRESS; null if none applies.
const char* AppliedVariable(const ServerAddress& address) {
  const char* const proxy = ProxyVariable(address);
  if (proxy == nullptr || IsWithoutProxy(address.host, "localhost,127.0.0.1,::1")) return nullptr;
  const char* const exceptions = FirstSet({"no_proxy", "NO_PROXY"});
  const bool is_one =
      exceptions != nullptr && IsWithoutProxy(address.host, std::getenv(exceptions));
  return is_one ? nullptr : proxy;
}

}  // namespace

bool IsWithoutProxy(const std::string& host, std::string_view list) {
  constexpr std::string_view kBetween = ", \t";
  if (list == "*") return true;
  boost::system::error_code not_numeric;
  const ip::address address = ip::make_address(host, not_numeric);
  while (!list.empty()) {
    const std::size_t begin = std::min(list.find_first_not_of(kBetween), list.size());
    list.remove_prefix(begin);
    const std::string rule(list.substr(0, list.find_first_of(kBetween)));
    list.remove_prefix(rule.size());
    if (not_numeric ? IsBelow(host, rule) : IsIn(address, rule)) return true;
  }
  return false;
}

Status RefuseProxy(const ServerAddress& address) {
  const char* const proxy = AppliedVariable(address);
  if (proxy == nullptr) return {};
  return Error(Code::kFailedPrecondition, std::string("the variable ") + proxy +
                                              " names a proxy for " + address.host +
                                              ", but drover connects without proxies: unset " +
                                              proxy + ", or add " + address.host + " to no_proxy");
}

Result<std::optional<ServerAddress>> FindProxy(const ServerAddress& address) {
  const char* const variable = AppliedVariable(address);
  if (variable == nullptr) return std::optional<ServerAddress>();
  std::string text = std::getenv(variable);
  if (text.find("://") == text.npos) text.insert(0, "http://");
  const bool is_http = EqualsIgnoringCase(std::string_view(text).substr(0, 7), "http://");
  Result<ServerAddress> proxy = ParseServerAddress(text);
  if (is_http && proxy.ok() && (proxy->prefix.empty() || proxy->prefix == "/")) {
    return std::optional<ServerAddress>(std::move(*proxy));
  }
  return Error(Code::kFailedPrecondition, std::string("the variable ") + variable +
                                              " names no proxy of the form "
                                              "http://HOST:PORT, as " +
                                              address.host + " needs it: correct it, or add " +
                                              address.host + " to no_proxy");
}

}  // namespace drover
