// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <signal.h>

#include <optional>
#include <string_view>

// Converts the names of signals in jobs to signal numbers.
namespace drover {
inline namespace sdk_v1 {

// Returns the number of a signal such as "SIGTERM" or "TERM". Returns nothing if there is no such
// signal.
inline std::optional<int> SignalNumber(std::string_view name) {
  struct Known {
    std::string_view name;
    int number;
  };
  static constexpr Known kKnown[] = {
      {"ABRT", SIGABRT},     {"ALRM", SIGALRM},   {"BUS", SIGBUS},   {"CHLD", SIGCHLD},
      {"CONT", SIGCONT},     {"FPE", SIGFPE},     {"HUP", SIGHUP},   {"ILL", SIGILL},
      {"INT", SIGINT},       {"IO", SIGIO},       {"IOT", SIGIOT},   {"KILL", SIGKILL},
      {"PIPE", SIGPIPE},     {"POLL", SIGPOLL},   {"PROF", SIGPROF}, {"PWR", SIGPWR},
      {"QUIT", SIGQUIT},     {"SEGV", SIGSEGV},   {"STKFLT", 16},    {"STOP", SIGSTOP},
      {"SYS", SIGSYS},       {"TERM", SIGTERM},   {"TRAP", SIGTRAP}, {"TSTP", SIGTSTP},
      {"TTIN", SIGTTIN},     {"TTOU", SIGTTOU},   {"URG", SIGURG},   {"USR1", SIGUSR1},
      {"USR2", SIGUSR2},     {"WINCH", SIGWINCH}, {"XCPU", SIGXCPU}, {"XFSZ", SIGXFSZ},
      {"VTALRM", SIGVTALRM},
  };
  if (name.substr(0, 3) == "SIG") name.remove_prefix(3);
  for (const Known& known : kKnown) {
    if (known.name == name) return known.number;
  }
  return std::nullopt;
}

}  // namespace sdk_v1
}  // namespace drover
