// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/signal_name.h"

#include <csignal>
#include <cstring>

namespace drover {

bool IsSignalName(std::string_view name) {
  if (name.substr(0, 3) != "SIG") return false;
  name.remove_prefix(3);
  for (int number = 1; number < NSIG; ++number) {
    const char* known = sigabbrev_np(number);
    if (known != nullptr && name == known) return true;
  }
  return false;
}

}  // namespace drover
