// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/http/http_message.h"
#include "host/http/http_options.h"

namespace drover {

// Returns whether the server has no TLS and only programs on this machine can connect. In this
// case, a foreign name in the Host header indicates DNS rebinding: the owner of a web page has made
// the page's name point to this machine.
bool IsLocalOnly(const HttpServerOptions& options);

// Returns why REQUEST is refused with 403, or nothing if it is not refused. A request is refused
// if a page of another origin may have made a browser send it. Even without this check, such a
// page cannot read answers, because the server never sends CORS headers. The check also prevents
// the page from changing anything and from opening websockets.
std::optional<std::string> RefuseForBrowser(const HttpRequest& request,
                                            const HttpServerOptions& options, bool local_only);

// Returns whether an unknown page may have made a browser send REQUEST. Such a request has headers
// that name a browser, but no header that names the site from which the request comes. Routes that
// change something refuse such a GET, because an image or a link in a page can cause the GET.
bool MayBeOfAPage(const HttpRequest& request);

}  // namespace drover
