// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/http_target.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

#include "host/base/text.h"
#include "host/checks/check_connect.h"

namespace drover {
namespace {

constexpr std::size_t kMostLocation = 8 << 10;

// Encodes the bytes that must not be in the target of a request: spaces, control characters and
// all that is not ASCII.
std::string Encoded(std::string_view path) {
  constexpr char kHex[] = "0123456789ABCDEF";
  std::string out;
  for (const char c : path) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte > ' ' && byte < 0x7f) {
      out += c;
    } else {
      out += '%';
      out += kHex[byte >> 4];
      out += kHex[byte & 15];
    }
  }
  return out;
}

// Removes the segments "." and ".." from a path that begins with "/".
std::string WithoutDots(std::string_view path) {
  std::vector<std::string_view> segments;
  path.remove_prefix(1);
  bool directory = false;  // whether the path ends with a directory
  while (true) {
    const std::size_t end = std::min(path.find('/'), path.size());
    const std::string_view segment = path.substr(0, end);
    const bool last = end == path.size();
    directory = segment == "." || segment == "..";
    if (segment == "..") {
      if (!segments.empty()) segments.pop_back();
    } else if (segment != ".") {
      segments.push_back(segment);
    }
    if (last) break;
    path.remove_prefix(end + 1);
  }
  std::string out;
  for (const std::string_view segment : segments) {
    out += '/';
    out += segment;
  }
  if (directory || out.empty()) out += '/';
  return out;
}

// Returns the scheme at the beginning of a URL, in lower case; nothing if there is none.
std::optional<std::string> SchemeOf(std::string_view url) {
  const std::size_t end = url.find_first_of(":/?#");
  if (end == std::string_view::npos || url[end] != ':' || end == 0) return std::nullopt;
  std::string scheme;
  for (const char c : url.substr(0, end)) {
    const auto byte = static_cast<unsigned char>(c);
    const bool allowed = std::isalnum(byte) != 0 || c == '+' || c == '-' || c == '.';
    if (!allowed) return std::nullopt;
    scheme += static_cast<char>(std::tolower(byte));
  }
  return scheme;
}

Error CannotRead(std::string_view location) {
  return Error(Code::kInvalidArgument,
               "failed to parse Location header \"" + Encoded(location.substr(0, 256)) + "\"");
}

// Reads "AUTHORITY/PATH?QUERY", which follows the two slashes of a URL.
Result<HttpTarget> ReadAbsolute(bool tls, std::string_view rest, std::string_view location) {
  const std::size_t end = std::min(rest.find_first_of("/?"), rest.size());
  std::string_view authority = rest.substr(0, end);
  const std::size_t user = authority.rfind('@');
  if (user != std::string_view::npos) authority.remove_prefix(user + 1);
  HttpTarget target;
  target.tls = tls;
  target.port = tls ? 443 : 80;
  std::string_view port;
  if (authority.starts_with('[')) {
    const std::size_t bracket = authority.find(']');
    if (bracket == std::string_view::npos) return CannotRead(location);
    target.host = authority.substr(1, bracket - 1);
    const std::string_view after = authority.substr(bracket + 1);
    if (!after.empty() && after[0] != ':') return CannotRead(location);
    if (!after.empty()) port = after.substr(1);
  } else {
    const std::size_t colon = std::min(authority.find(':'), authority.size());
    target.host = authority.substr(0, colon);
    if (colon < authority.size()) port = authority.substr(colon + 1);
  }
  if (!port.empty()) target.port = ParseNumber<int>(port).value_or(0);
  const bool odd = std::ranges::any_of(authority, [](char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= ' ' || byte >= 0x7f;
  });
  if (odd || target.host.empty() || target.port < 1 || target.port > 65535) {
    return CannotRead(location);
  }
  target.authority = authority;
  const std::string_view path = rest.substr(end);
  target.path = Encoded(path.starts_with('/') ? std::string(path) : "/" + std::string(path));
  return target;
}

}  // namespace

HttpTarget TargetOf(const CheckPlan& plan) {
  HttpTarget target;
  target.tls = plan.check.protocol == "https";
  target.host = plan.host;
  target.port = plan.port;
  target.authority = HostPort(plan.host, plan.port);
  const std::string_view path =
      std::string_view(plan.check.path).substr(0, plan.check.path.find('#'));
  target.path = Encoded(path.starts_with('/') ? std::string(path) : "/" + std::string(path));
  return target;
}

Result<HttpTarget> FollowLocation(const HttpTarget& from, std::string_view location) {
  const std::string_view whole = Trim(location);
  if (whole.size() > kMostLocation) return CannotRead(whole);
  std::string_view url = whole.substr(0, whole.find('#'));
  bool tls = from.tls;
  if (const std::optional<std::string> scheme = SchemeOf(url)) {
    if (*scheme != "http" && *scheme != "https") {
      return Error(Code::kUnimplemented, "unsupported protocol scheme \"" + *scheme + "\"");
    }
    tls = *scheme == "https";
    url.remove_prefix(scheme->size() + 1);
    if (!url.starts_with("//")) return CannotRead(whole);
  }
  if (url.starts_with("//")) return ReadAbsolute(tls, url.substr(2), whole);
  HttpTarget target = from;
  const std::string_view base = std::string_view(from.path).substr(0, from.path.find('?'));
  const std::size_t query = std::min(url.find('?'), url.size());
  const std::string_view path = url.substr(0, query);
  if (url.empty()) return target;
  if (path.empty()) {
    target.path = std::string(base) + Encoded(url.substr(query));
    return target;
  }
  std::string joined(path);
  if (!path.starts_with('/')) {
    joined = std::string(base.substr(0, base.rfind('/') + 1)) + std::string(path);
  }
  target.path = Encoded(WithoutDots(joined) + std::string(url.substr(query)));
  return target;
}

}  // namespace drover
