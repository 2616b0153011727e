// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/advertised_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

// Returns the source address of packets that leave this machine. If there is no route, returns the
// loopback address. Sends no packet.
std::string OutwardAddress() {
  const UniqueFd fd(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
  sockaddr_in there{};
  there.sin_family = AF_INET;
  there.sin_port = htons(9);
  inet_pton(AF_INET, "192.0.2.1", &there.sin_addr);  // a documentation address (RFC 5737)
  sockaddr_in here{};
  socklen_t size = sizeof here;
  char text[INET_ADDRSTRLEN];
  if (!fd || connect(fd.get(), reinterpret_cast<sockaddr*>(&there), sizeof there) != 0 ||
      getsockname(fd.get(), reinterpret_cast<sockaddr*>(&here), &size) != 0 ||
      inet_ntop(AF_INET, &here.sin_addr, text, sizeof text) == nullptr) {
    return "127.0.0.1";
  }
  return text;
}

bool HasPort(const std::string& host) {
  const std::size_t colon = host.rfind(':');
  return colon != std::string::npos && host.find(']', colon) == std::string::npos;
}

}  // namespace

std::string BoundAddress(const AgentConfig::Http& http, int port) {
  const bool ipv6 = http.address.find(':') != std::string::npos;
  return (ipv6 ? "[" + http.address + "]" : http.address) + ":" + std::to_string(port);
}

std::string AdvertisedAddress(const AgentConfig::Http& http, int port) {
  const std::string number = ":" + std::to_string(port);
  if (!http.advertise.empty()) {
    return HasPort(http.advertise) ? http.advertise : http.advertise + number;
  }
  if (http.address == "0.0.0.0" || http.address == "::") return OutwardAddress() + number;
  return BoundAddress(http, port);
}

}  // namespace drover
