// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "host/identity/token.h"

// The documents by which other services check the tokens of this agent.
namespace drover {

inline constexpr char kKeySetPath[] = "/.well-known/jwks.json";
inline constexpr char kOpenIdPath[] = "/.well-known/openid-configuration";

// Returns KEYS as a JSON web key set (RFC 7517), the document at kKeySetPath.
std::string KeySetDocument(const PublicKeys& keys);

// Returns the document at kOpenIdPath. ISSUER is the URL by which other services reach this agent.
// Returns nothing if ISSUER is empty.
std::optional<std::string> OpenIdDocument(const std::string& issuer);

}  // namespace drover
