// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/kit_leftovers.h"

#include <algorithm>

namespace drover {
namespace {

// Returns an entry of the run directory that is not in BEFORE, or an empty text if there is none.
std::string NewRun(KitCase* kit, const std::vector<std::string>& before) {
  for (const std::string& name : kit->RunEntries()) {
    if (std::find(before.begin(), before.end(), name) == before.end()) return name;
  }
  return "";
}

}  // namespace

Co<std::string> AwaitNoNewRuns(KitCase* kit, std::vector<std::string> before) {
  std::string left = NewRun(kit, before);
  for (int i = 0; i < 300 && !left.empty(); ++i) {
    (void)co_await Sleep(kit->context(), 10ms);
    left = NewRun(kit, before);
  }
  co_return left;
}

}  // namespace drover
