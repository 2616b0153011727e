// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/http/http_message.h"
#include "host/http/http_options.h"

namespace drover {

// Whether only programs of this machine can connect, and without TLS. A Host header with a foreign
// name then comes from a browser, for a name that the owner of a page has pointed to this machine.
bool IsLocalOnly(const HttpServerOptions& options);

// Returns why a request is refused (403), if a page may have tricked a browser into it. Pages of
// other origins can read no answer anyway, as we never send CORS headers. This check also keeps
// them from changing anything and from opening websockets.
std::optional<std::string> RefuseForBrowser(const HttpRequest& request,
                                            const HttpServerOptions& options, bool local_only);

// Whether an unknown page may have made a browser send this: the headers name a browser, but not
// the site that the request comes from. Routes that change something refuse such a GET, since an
// image or a link can cause it.
bool MayBeOfAPage(const HttpRequest& request);

}  // namespace drover
