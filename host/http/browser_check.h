// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/http/http_message.h"
#include "host/http/http_options.h"

namespace drover {

// Returns whether only programs on this machine can connect, without TLS. In this case, a foreign
// name in the Host header comes from a browser. The owner of a page has then made the name point
// to this machine.
bool IsLocalOnly(const HttpServerOptions& options);

// Returns why REQUEST is refused with 403, or nothing if it is not refused. The reason is that a
// page may have tricked a browser into the request. Pages of other origins cannot read answers
// anyway, because the server never sends CORS headers. This check also prevents them from changing
// anything and from opening websockets.
std::optional<std::string> RefuseForBrowser(const HttpRequest& request,
                                            const HttpServerOptions& options, bool local_only);

// Returns whether an unknown page may have made a browser send REQUEST. Such a request has headers
// that name a browser, but not the site from which the request comes. Routes that change something
// refuse such a GET, because an image or a link can cause it.
bool MayBeOfAPage(const HttpRequest& request);

}  // namespace drover
