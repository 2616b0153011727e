// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "engine/image_ref.h"

namespace drover_docker {

// How a client shows a registry who it is. Never print it.
struct RegistryAuth {
  std::string username;
  std::string password;
  std::string email;
  std::string server_address;
  std::string identity_token;  // instead of the password

  bool empty() const { return username.empty() && password.empty() && identity_token.empty(); }
  // Returns the value of the header X-Registry-Auth: JSON in the URL form of base64.
  std::string Header() const;
};

// Runs a program with INPUT and returns its standard output. Throws Error if it fails. The
// program's name has no slash, so it is found by the search path.
using RunHelper = std::function<std::string(std::vector<std::string> argv, std::string input)>;

// Where the authentication for an image is looked for, in this order: the job, the helper, the
// file.
struct AuthSources {
  std::optional<RegistryAuth> job;
  std::string helper;       // the operator's: docker-credential-HELPER
  std::string config_text;  // the content of docker's config.json; empty for none
  RunHelper run;            // needed by helpers; may be null without them
};

// Returns the authentication for REF. Absent: none of the sources has any. Throws
// Error(kInvalidArgument) for a malformed file, and kFailedPrecondition for a helper that fails. No
// message has a secret in it.
std::optional<RegistryAuth> FindAuth(const AuthSources& sources, const ImageRef& ref);

// Reads the answer of a helper, JSON with ServerURL, Username and Secret. The user name <token>
// means that the secret is an identity token. Throws Error(kFailedPrecondition).
RegistryAuth ParseHelperAnswer(const std::string& helper, const std::string& answer);

// Returns the name under which credentials for REGISTRY are kept: the old address of
// index.docker.io for docker.io, or else REGISTRY itself.
std::string AuthKey(const std::string& registry);

std::string EncodeBase64(std::string_view bytes, bool url_form);
// Returns nothing for a text that is no base64 of either form.
std::optional<std::string> DecodeBase64(std::string_view text);

}  // namespace drover_docker
