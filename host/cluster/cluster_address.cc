// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/cluster_address.h"

#include <algorithm>

#include "host/base/printable.h"
#include "host/base/text.h"

namespace drover {
namespace {

constexpr std::size_t kMostHost = 253;  // the limit of DNS

bool IsHost(std::string_view host) {
  const auto fits = [](unsigned char c) {
    return c > ' ' && c < 0x7f &&
           std::string_view("/@[]\"'\\?#").find(static_cast<char>(c)) == std::string_view::npos;
  };
  return !host.empty() && host.size() <= kMostHost && std::all_of(host.begin(), host.end(), fits);
}

}  // namespace

std::string ClusterAddress::ToString() const {
  const bool is_ipv6 = host.find(':') != std::string::npos;
  return (is_ipv6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

Result<ClusterAddress> ParseClusterAddress(std::string_view text) {
  const auto invalid = [text] {
    return Error(Code::kInvalidArgument,
                 "the server address \"" + Printable(std::string_view(text).substr(0, kMostHost)) +
                     "\" has not the form HOST or HOST:PORT");
  };
  ClusterAddress address;
  std::string_view host = text;
  std::string_view port;
  bool has_port = false;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == text.npos) return invalid();
    host = text.substr(1, end - 1);
    const std::string_view rest = text.substr(end + 1);
    has_port = !rest.empty();
    if (has_port && rest.front() != ':') return invalid();
    if (has_port) port = rest.substr(1);
    if (host.find(':') == host.npos) return invalid();
  } else if (std::count(text.begin(), text.end(), ':') == 1) {
    has_port = true;
    host = text.substr(0, text.find(':'));
    port = text.substr(text.find(':') + 1);
  }
  if (!IsHost(host)) return invalid();
  address.host = host;
  if (!has_port) return address;
  const auto number = ParseNumber<std::uint16_t>(port);
  if (!number || *number == 0) return invalid();
  address.port = *number;
  return address;
}

}  // namespace drover
