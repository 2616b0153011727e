// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "host/client/api_client.h"

namespace drover {

// Sends a GET and calls TAKE with each line of the answer, without the line break, until the
// answer ends. Returns the reason why the answer ended.
Error FollowLines(ApiClient* client, const std::string& path, Query query,
                  const std::function<void(const std::string& line)>& take);

}  // namespace drover
