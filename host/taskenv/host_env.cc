// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/taskenv/host_env.h"

#include <unistd.h>

#include <algorithm>
#include <iterator>

namespace drover {
namespace {

constexpr std::string_view kDenied[] = {
    // Credentials whose names follow no rule.
    "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_WEB_IDENTITY_TOKEN_FILE",
    "GOOGLE_APPLICATION_CREDENTIALS", "GOOGLE_CREDENTIALS", "CONSUL_HTTP_AUTH", "NOMAD_LICENSE",
    "VAULT_CLIENT_KEY", "KUBECONFIG", "SSH_AUTH_SOCK",
    // Told by systemd to the agent alone.
    "NOTIFY_SOCKET", "WATCHDOG_PID", "WATCHDOG_USEC", "LISTEN_PID", "LISTEN_FDS", "LISTEN_FDNAMES",
    "INVOCATION_ID", "JOURNAL_STREAM", "SYSTEMD_EXEC_PID", "CREDENTIALS_DIRECTORY", "MAINPID",
    "MANAGERPID", "MEMORY_PRESSURE_WATCH", "MEMORY_PRESSURE_WRITE"};
constexpr std::string_view kDeniedPrefixes[] = {"LD_", "DROVER_", "NOMAD_"};
constexpr std::string_view kDeniedSuffixes[] = {"_TOKEN",       "_SECRET",     "_PASSWORD",
                                                "_SECRET_KEY",  "_SECRET_ID",  "_CLIENT_SECRET",
                                                "_PRIVATE_KEY", "_CREDENTIALS"};

constexpr std::string_view kForIsolated[] = {"PATH", "LANG", "LANGUAGE", "TZ"};

}  // namespace

bool IsForIsolatedTasks(std::string_view name) {
  return name.starts_with("LC_") || std::ranges::find(kForIsolated, name) != std::end(kForIsolated);
}

bool IsDeniedHostVariable(std::string_view name) {
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
    const std::string_view name = text.substr(0, equals);
    if (!IsDeniedHostVariable(name)) env.emplace(name, text.substr(equals + 1));
  }
  return env;
}

}  // namespace drover
