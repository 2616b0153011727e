// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/http/http_message.h"

namespace drover {

// Returns why a request that needs TOKEN is refused; nothing if it has the token. With an empty
// TOKEN no request is refused. The time does not depend on how much of a guess is right.
std::optional<std::string> Refusal(const HttpRequest& request, const std::string& token);
// The same for the token GIVEN of a client.
std::optional<std::string> Refusal(std::string_view given, const std::string& token);

// The token that the client sent: X-Nomad-Token, or Authorization with the scheme Bearer. The first
// of several; if they differ, a proxy may have checked another one, so Refusal refuses the request.
std::string_view GivenToken(const HttpRequest& request);

bool SaysTwoTokens(const HttpRequest& request);

// Compares in a time that does not depend on how much of the texts is equal.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace drover
