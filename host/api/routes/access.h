// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/api/http_message.h"

namespace drover {

// Why a request that needs TOKEN is refused; nothing when it has it. Empty TOKEN: nobody is
// refused. The time that it takes does not tell how much of a guess was right.
std::optional<std::string> Refusal(const HttpRequest& request, const std::string& token);

}  // namespace drover
