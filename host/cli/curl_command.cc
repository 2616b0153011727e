// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/curl_command.h"

#include <algorithm>
#include <string_view>

#include "host/client/server_address.h"
#include "host/http/http_message.h"

namespace drover {
namespace {

// Returns TEXT as one word of a shell.
std::string Quoted(std::string_view text) {
  std::string out = "'";
  for (const char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      out += c;
    }
  }
  return out + "'";
}

// Returns the name of the user in ADDRESS, without the password.
std::string UserOf(const std::string& address) {
  const std::size_t begin = address.find("://") + 3;
  const std::size_t end = address.rfind('@', address.find('/', begin));
  if (end == address.npos || end < begin) return "";
  const std::string user = address.substr(begin, end - begin);
  return PercentDecode(user.substr(0, user.find(':'))).value_or("");
}

}  // namespace

Result<std::string> CurlCommand(const ClientRequest& request, const ClientOptions& options,
                                const std::string& token_variable, bool verbose) {
  DROVER_ASSIGN(const ServerAddress address, ParseServerAddress(options.address));
  std::string out = "curl";
  const auto add = [&out](const std::string& word) { out += " \\\n  " + word; };
  if (verbose) add("--verbose");
  add("-X " + request.method);
  if (request.body) {
    add("--data-binary @-");
    const bool typed = std::any_of(
        request.headers.begin(), request.headers.end(),
        [](const auto& header) { return EqualsIgnoringCase(header.first, "Content-Type"); });
    if (!typed) add("-H 'Content-Type: application/json'");
  }
  if (!address.socket_path.empty()) add("--unix-socket " + Quoted(address.socket_path));
  if (!options.ca_cert.empty()) add("--cacert " + Quoted(options.ca_cert));
  if (!options.ca_path.empty()) add("--capath " + Quoted(options.ca_path));
  if (!options.client_cert.empty()) add("--cert " + Quoted(options.client_cert));
  if (!options.client_key.empty()) add("--key " + Quoted(options.client_key));
  if (options.tls_skip_verify) add("--insecure");
  bool has_token = options.token.empty();
  for (const auto& [name, value] : request.headers) {
    add("-H " + Quoted(name + ": " + value));
    has_token = has_token || EqualsIgnoringCase(name, "X-Nomad-Token");
  }
  if (!has_token) {
    add(token_variable.empty() ? "-H " + Quoted("X-Nomad-Token: " + options.token)
                               : "-H \"X-Nomad-Token: ${" + token_variable + "}\"");
  }
  if (!address.authorization.empty()) add("-u " + Quoted(UserOf(options.address)));
  add(Quoted((address.tls ? "https://" : "http://") + address.authority + address.prefix +
             WithQuery(request.path, request.query)));
  return out;
}

}  // namespace drover
