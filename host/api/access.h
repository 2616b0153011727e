// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "host/http/http_message.h"

namespace drover {

// Returns why REQUEST is refused, or nothing if REQUEST has the right TOKEN. If TOKEN is empty, no
// request is refused. The run time does not depend on how many bytes of a guessed token are right.
std::optional<std::string> Refusal(const HttpRequest& request, const std::string& token);
// Returns why a client that sent the token GIVEN is refused, or nothing if GIVEN is the right
// TOKEN. If TOKEN is empty, no client is refused.
std::optional<std::string> Refusal(std::string_view given, const std::string& token);

// Returns the token that the client sent in the header X-Nomad-Token, or in the header
// Authorization with the scheme Bearer. If the request has several tokens, returns the first. The
// function Refusal refuses a request whose tokens differ, because a proxy may have checked a token
// other than the first.
std::string_view GivenToken(const HttpRequest& request);

bool SaysTwoTokens(const HttpRequest& request);

// Returns whether A and B are equal. The run time does not depend on how many of their bytes are
// equal.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace drover
