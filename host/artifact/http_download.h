// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "host/artifact/source_url.h"
#include "host/base/result.h"
#include "host/base/time.h"

namespace drover {

struct HttpDownload {
  SourceUrl url;
  std::map<std::string, std::string> headers;
  bool insecure = false;
  Duration limit = std::chrono::minutes(30);
  // Receives the body, piece by piece. An error ends the download.
  std::function<Status(std::string_view)> take;
  // Receives the size of the body if the server has said it.
  std::function<void(std::uint64_t)> take_size;
};

// Downloads a file by HTTP or HTTPS. Follows at most ten redirects, none from https to http. The
// headers and the user of the URL are sent only to the server that the URL names. No error shows a
// secret of the URL or of the headers. Blocks.
Status DownloadByHttp(HttpDownload download);

// Returns the value of the header Authorization that shows the user of URL to its server.
Result<std::string> BasicAuthorization(const SourceUrl& url);

// Returns the URL to which LOCATION leads from URL.
Result<SourceUrl> RedirectedUrl(const SourceUrl& url, const std::string& location);

}  // namespace drover
