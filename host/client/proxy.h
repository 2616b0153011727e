// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/result.h"
#include "host/client/server_address.h"

namespace drover {

// Drover uses no proxies. A user whose environment names one for ADDRESS expects it, though, so
// that is an error, which names the variable. curl's rules decide which variable applies:
// http_proxy, or https_proxy and HTTPS_PROXY; else all_proxy and ALL_PROXY; and none for this
// machine and the hosts in no_proxy or NO_PROXY.
Status RefuseProxy(const ServerAddress& address);

// Whether LIST, the value of no_proxy, names HOST: by "*", by its name, by a domain above it, by
// its IP address or by a network in CIDR notation.
bool IsWithoutProxy(const std::string& host, std::string_view list);

}  // namespace drover
