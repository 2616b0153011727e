// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/address.h"

#include <sys/un.h>

#include <charconv>
#include <utility>

#include "drover/error.hpp"

namespace drover_docker {
namespace {

[[noreturn]] void RefuseAddress(std::string_view text, const char* why) {
  std::string shown;
  for (const char c : text.substr(0, 200)) shown += c > 0x20 && c < 0x7F ? c : '?';
  throw drover::Error(
      drover::Code::kInvalidArgument,
      "the engine's address \"" + shown + "\" " + why + ": write unix:///path or tcp://host:port");
}

bool TakePrefix(std::string_view* text, std::string_view prefix) {
  if (text->substr(0, prefix.size()) != prefix) return false;
  text->remove_prefix(prefix.size());
  return true;
}

bool IsHostCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
         c == '-' || c == '_' || c == ':' || c == '%';
}

}  // namespace

EngineAddress EngineAddress::Parse(std::string_view text, TlsFiles tls) {
  EngineAddress out;
  std::string_view rest = text;
  if (TakePrefix(&rest, "unix://")) {
    if (rest.empty() || rest[0] != '/') RefuseAddress(text, "has no absolute path");
    if (rest.size() >= sizeof(sockaddr_un{}.sun_path))
      RefuseAddress(text, "has a path that is too long");
    if (rest.find('\0') != rest.npos) RefuseAddress(text, "has a path with a zero byte");
    if (!tls.empty()) RefuseAddress(text, "takes no TLS files, since it is a Unix socket");
    out.path = std::string(rest);
    return out;
  }
  const bool secure = TakePrefix(&rest, "https://");
  if (!secure && !TakePrefix(&rest, "tcp://") && !TakePrefix(&rest, "http://")) {
    RefuseAddress(text, "has an unknown form");
  }
  if (tls.cert.empty() != tls.key.empty()) {
    RefuseAddress(text, "has one of certificate and key without the other");
  }
  if (secure && tls.empty()) RefuseAddress(text, "is https, but there is no ca file");
  out.tls = std::move(tls);
  out.port = out.tls.empty() ? 2375 : 2376;
  if (!rest.empty() && rest.back() == '/') rest.remove_suffix(1);
  std::string_view port;
  if (!rest.empty() && rest[0] == '[') {
    const std::size_t end = rest.find(']');
    if (end == rest.npos) RefuseAddress(text, "has a [ without a ]");
    out.host = std::string(rest.substr(1, end - 1));
    port = rest.substr(end + 1);
  } else {
    const std::size_t colon = rest.rfind(':');
    out.host = std::string(rest.substr(0, colon));
    if (colon != rest.npos) port = rest.substr(colon);
    if (out.host.find(':') != std::string::npos) {
      RefuseAddress(text, "has an IPv6 address without brackets");
    }
  }
  if (!port.empty()) {
    unsigned number = 0;
    const auto [end, error] = std::from_chars(port.data() + 1, port.data() + port.size(), number);
    if (port[0] != ':' || error != std::errc() || end != port.data() + port.size() || number == 0 ||
        number > 65535) {
      RefuseAddress(text, "has no valid port");
    }
    out.port = static_cast<std::uint16_t>(number);
  }
  if (out.host.empty() || out.host.size() > 255) RefuseAddress(text, "has no valid host");
  for (const char c : out.host) {
    if (!IsHostCharacter(c)) RefuseAddress(text, "has no valid host");
  }
  return out;
}

std::string EngineAddress::Text() const {
  if (!path.empty()) return "unix://" + path;
  const bool v6 = host.find(':') != std::string::npos;
  return "tcp://" + (v6 ? "[" + host + "]" : host) + ":" + std::to_string(port);
}

}  // namespace drover_docker
