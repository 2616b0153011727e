// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/named/named_calls.h"

#include "host/base/result.h"

namespace drover {

void NamedCalls::Cancel(void* operation) {
  const auto found = open_.find(operation);
  if (found == open_.end()) return;
  Context context = found->second;
  context.CancelWith(Error(Code::kCancelled, "the operation was cancelled"));
}

std::size_t NamedCalls::CountSessions(const RunId& run) const {
  std::size_t count = 0;
  for (auto at = sessions_.lower_bound({run, 0}); at != sessions_.end() && at->first.first == run;
       ++at)
    ++count;
  return count;
}

}  // namespace drover
