// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/quiet_time.h"

#include <algorithm>

#include "host/spec/job_limits.h"

namespace drover {

TimePoint QuietTime::Due(const std::optional<TemplateWait>& wait) const {
  if (!wait) return *first_;
  return std::min(last_ + Bounded(wait->min), *first_ + Bounded(wait->max));
}

}  // namespace drover
