// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/taskenv/host_env.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <string>

namespace drover {
namespace {

constexpr std::string_view kDenied[] = {
    // Variables with credentials that none of the rules below covers.
    "AWS_ACCESS_KEY_ID", "AWS_WEB_IDENTITY_TOKEN_FILE", "CONSUL_HTTP_AUTH", "NOMAD_LICENSE",
    "KUBECONFIG", "SSH_AUTH_SOCK",
    // Variables with which systemd informs only the agent.
    "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
    "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "CREDENTIALS_DIRECTORY", "MAINPID",
    "MANAGERPID", "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE"};
constexpr std::string_view kDeniedPrefixes[] = {"LD_", "DROVER_", "NOMAD_"};
constexpr std::string_view kDeniedSuffixes[] = {
    "_TOKEN", "_SECRET", "PASSWORD", "PASSWD",     "PASSPHRASE", "_PASS", "_PWD",
    "_KEY",   "APIKEY",  "_DSN",     "_SECRET_ID", "_AUTH",      "_PAT"};
constexpr std::string_view kDeniedWithin = "CREDENTIAL";

constexpr std::string_view kForIsolated[] = {"PATH", "LANG", "LANGUAGE", "TZ"};

}  // namespace

bool IsForIsolatedTasks(std::string_view name) {
  return name.starts_with("LC_") || std::ranges::find(kForIsolated, name) != std::end(kForIsolated);
}

bool HasPassword(std::string_view value) {
  for (std::size_t at = 0; (at = value.find("://", at)) != std::string_view::npos;) {
    at += 3;
    const std::string_view authority =
        value.substr(at, value.find_first_of("/?# \t\r\n,;\"'", at) - at);
    const std::size_t end = authority.rfind('@');
    if (end != std::string_view::npos && authority.substr(0, end).find(':') < end) return true;
  }
  return false;
}

bool IsDeniedHostVariable(std::string_view name_as_it_is) {
  std::string name(name_as_it_is);
  for (char& letter : name)
    if (letter >= 'a' && letter <= 'z') letter = static_cast<char>(letter - 'a' + 'A');
  if (name.find(kDeniedWithin) != std::string::npos) return true;
  for (const std::string_view denied : kDenied) {
    if (name == denied) return true;
  }
  for (const std::string_view prefix : kDeniedPrefixes) {
    if (name.starts_with(prefix)) return true;
  }
  for (const std::string_view suffix : kDeniedSuffixes) {
    if (name.ends_with(suffix)) return true;
  }
  return false;
}

StringMap ReadHostEnv() {
  StringMap env;
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos || equals == 0) continue;
    const std::string_view name = text.substr(0, equals), value = text.substr(equals + 1);
    if (!IsDeniedHostVariable(name) && !HasPassword(value)) env.emplace(name, value);
  }
  return env;
}

}  // namespace drover
