// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>

#include "host/base/time.h"
#include "host/spec/blocks/task_template.h"

namespace drover {

// When a template is rendered whose values change: as soon as they have been quiet for the shortest
// wait, and at the latest when the longest wait after the first change is over.
class QuietTime {
 public:
  // Values have changed at NOW.
  void Changed(TimePoint now) {
    if (!first_) first_ = now;
    last_ = now;
  }
  // The template has been rendered with all values so far.
  void Rendered() { first_.reset(); }

  bool is_changed() const { return first_.has_value(); }
  // Returns when the template is due. Call it only if is_changed().
  TimePoint Due(const std::optional<TemplateWait>& wait) const;

 private:
  std::optional<TimePoint> first_;  // the first change that is not rendered
  TimePoint last_;
};

}  // namespace drover
