// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/api/http_message.h"

namespace drover {

// Why a request that needs TOKEN is refused; nothing when it has it. Empty TOKEN: nobody is
// refused. The time that it takes does not tell how much of a guess was right.
std::optional<std::string> Refusal(const HttpRequest& request, const std::string& token);
// The same for who says GIVEN.
std::optional<std::string> Refusal(std::string_view given, const std::string& token);

// What the client says it knows: X-Nomad-Token, or Authorization with the scheme Bearer. The first
// of several; where they differ nobody knows which one a proxy has looked at, so Refusal refuses.
std::string_view GivenToken(const HttpRequest& request);

bool SaysTwoTokens(const HttpRequest& request);

// Compares in a time that tells nothing.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace drover
