// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>

#include "host/client/api_client.h"

namespace drover {

// Hands each line of the answer to a GET to TAKE, without its line break, until the answer ends.
// Returns why it has ended.
Error FollowLines(ApiClient* client, const std::string& path, Query query,
                  const std::function<void(const std::string& line)>& take);

}  // namespace drover
