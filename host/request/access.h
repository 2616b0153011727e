// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "host/http/http_message.h"

namespace drover {

// Returns the token that the client sent in the header X-Nomad-Token, or in the header
// Authorization with the scheme Bearer. If the request has several tokens, returns the first.
std::string_view GivenToken(const HttpRequest& request);

// Returns whether the request has tokens that differ. Such a request must be refused, because a
// proxy may have checked a token other than the first.
bool SaysTwoTokens(const HttpRequest& request);

// Returns whether A and B are equal. The run time does not depend on how many of their bytes are
// equal.
bool SameSecret(std::string_view a, std::string_view b);

}  // namespace drover
