// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/browser_check.h"

#include <algorithm>

#include "host/base/ip_address.h"

namespace drover {
namespace {

// Returns the name in a Host header. It is "localhost" for "localhost:4646" and "::1" for
// "[::1]:4646".
std::string HostName(std::string_view host) {
  if (host.starts_with('[')) return std::string(host.substr(1, host.find(']') - 1));
  return std::string(host.substr(0, host.find(':')));
}

bool IsOwnName(const std::string& name, const HttpServerOptions& options) {
  return IsIpAddress(name) || EqualsIgnoringCase(name, "localhost") ||
         std::any_of(options.hosts.begin(), options.hosts.end(),
                     [&name](const std::string& own) { return EqualsIgnoringCase(name, own); });
}

bool IsOwnOrigin(const std::string& origin, const std::string* host,
                 const HttpServerOptions& options) {
  if (host && (EqualsIgnoringCase(origin, "http://" + *host) ||
               EqualsIgnoringCase(origin, "https://" + *host))) {
    return true;
  }
  return std::any_of(options.origins.begin(), options.origins.end(),
                     [&origin](const std::string& own) { return EqualsIgnoringCase(origin, own); });
}

}  // namespace

bool IsLocalOnly(const HttpServerOptions& options) {
  return !options.tls.enabled() &&
         (options.address.starts_with("127.") || options.address == "::1");
}

bool MayBeOfAPage(const HttpRequest& request) {
  const std::string* agent = request.Header("User-Agent");
  return agent != nullptr && agent->find("Mozilla/") != std::string::npos &&
         request.Header("Sec-Fetch-Site") == nullptr && request.Header("Origin") == nullptr;
}

std::optional<std::string> RefuseForBrowser(const HttpRequest& request,
                                            const HttpServerOptions& options, bool local_only) {
  const std::string* host = request.Header("Host");
  if (local_only && host && !IsOwnName(HostName(*host), options)) {
    return "the Host header has a name that this agent does not know; use its IP address or "
           "localhost, or configure the name";
  }
  // A GET is refused too, because some GETs change something.
  const std::string* origin = request.Header("Origin");
  if (origin && !IsOwnOrigin(*origin, host, options)) {
    return "pages of the origin '" + *origin + "' may not use this agent";
  }
  // Browsers send no Origin with requests for images and links, but they send the header
  // Sec-Fetch-Site.
  const std::string* site = request.Header("Sec-Fetch-Site");
  if (!origin && site && (*site == "cross-site" || *site == "same-site")) {
    return "pages of other sites may not use this agent";
  }
  return std::nullopt;
}

}  // namespace drover
