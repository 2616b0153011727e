// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/base/result.h"
#include "host/client/server_address.h"

namespace drover {

// Returns an error if the environment names a proxy for ADDRESS, because commands do not use
// proxies. The error names the environment variable. The rules are those of curl. For http the
// variables are http_proxy, all_proxy and ALL_PROXY. For https they are https_proxy, HTTPS_PROXY,
// all_proxy and ALL_PROXY. No variable applies if ADDRESS is on this machine, or is one of the
// hosts in no_proxy or NO_PROXY.
Status RefuseProxy(const ServerAddress& address);

// Returns the proxy that the environment names for ADDRESS, by the same rules; nothing if none
// applies. A proxy of another form than "[http://][USER:PASSWORD@]HOST[:PORT]" is an error, which
// shows nothing of its user.
Result<std::optional<ServerAddress>> FindProxy(const ServerAddress& address);

// Returns whether LIST, the value of no_proxy, contains HOST. If LIST is "*", it contains all
// hosts. Otherwise LIST consists of host names, domains, IP addresses, and networks in CIDR
// notation. A domain contains all hosts below it.
bool IsWithoutProxy(const std::string& host, std::string_view list);

}  // namespace drover
