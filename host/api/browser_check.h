// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/api/http_message.h"
#include "host/api/http_options.h"

namespace drover {

// Whether only programs of this machine can connect, and in the clear: then a Host header with a
// foreign name is a browser that follows a name which its page's owner has pointed here.
bool IsLocalOnly(const HttpServerOptions& options);

// Why a request is refused (403) that a browser may have been tricked into, if it is. Pages of
// other origins could read nothing anyway, as we never send CORS headers; here is where they may
// change nothing and open no websocket.
std::optional<std::string> RefuseForBrowser(const HttpRequest& request,
                                            const HttpServerOptions& options, bool local_only);

// Whether a browser may have been made to ask this by a page that nobody knows: it says that it is
// one, and not which site the request comes from. What changes things refuses such a GET, as an
// image or a link makes it.
bool MayBeOfAPage(const HttpRequest& request);

}  // namespace drover
