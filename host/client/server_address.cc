// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/server_address.h"

#include <algorithm>
#include <charconv>
#include <string_view>

#include "host/base/base64.h"
#include "host/http/http_message.h"

namespace drover {
namespace {

constexpr std::string_view kUnix = "unix://";
constexpr std::string_view kHttps = "https://";
constexpr std::uint16_t kHttpPort = 80;
constexpr std::uint16_t kHttpsPort = 443;

// Reads PORT from TEXT. Returns false if TEXT is not a port.
bool ReadPort(std::string_view text, std::uint16_t* port) {
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, *port);
  return error == std::errc() && rest == end && *port != 0;
}

// Splits a text of the form HOST, HOST:PORT, [IPV6] or [IPV6]:PORT. Returns false if TEXT has
// another form.
bool ReadHost(std::string_view text, ServerAddress* address) {
  const bool brackets = text.starts_with('[');
  const std::size_t end = brackets ? text.find(']') : text.find(':');
  if (brackets && end == text.npos) return false;
  address->host = brackets ? text.substr(1, end - 1) : text.substr(0, end);
  const std::string_view port = text.substr(std::min(text.size(), brackets ? end + 1 : end));
  if (!port.empty() && (port.front() != ':' || !ReadPort(port.substr(1), &address->port))) {
    return false;
  }
  // The zone of an IPv6 address has a meaning on this machine only, so the Host header omits it.
  const std::size_t zone = address->host.find("%25");
  if (brackets && zone != std::string::npos) {
    address->authority = "[" + address->host.substr(0, zone) + "]" + std::string(port);
    address->host.erase(zone + 1, 2);
  } else {
    address->authority = text;
  }
  return !address->host.empty();
}

}  // namespace

Result<ServerAddress> ParseServerAddress(const std::string& text) {
  const Error wrong(Code::kInvalidArgument,
                    "the address \"" + text + "\" makes no sense: see --address and DROVER_ADDR");
  // Spaces and control characters are refused, because they would become a part of the HTTP
  // request.
  const auto odd = [](unsigned char c) { return c <= ' ' || c == 0x7f; };
  ServerAddress address;
  std::string_view rest = text;
  if (rest.starts_with(kUnix)) {
    address.socket_path = rest.substr(kUnix.size());
    address.host = "localhost";
    address.authority = "localhost";
    return address;
  }
  if (std::any_of(text.begin(), text.end(), odd)) return wrong;
  address.tls = rest.starts_with(kHttps);
  address.port = address.tls ? kHttpsPort : kHttpPort;
  const std::size_t scheme = rest.find("://");
  if (scheme == rest.npos) return wrong;
  rest.remove_prefix(scheme + 3);
  const std::size_t slash = std::min(rest.find('/'), rest.size());
  address.prefix = rest.substr(slash);
  rest = rest.substr(0, slash);
  if (const std::size_t at = rest.rfind('@'); at != rest.npos) {
    DROVER_ASSIGN(const std::string user, PercentDecode(rest.substr(0, at)));
    address.authorization = "Basic " + Base64(user);
    rest.remove_prefix(at + 1);
  }
  if (!ReadHost(rest, &address)) return wrong;
  return address;
}

}  // namespace drover
