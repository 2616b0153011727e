// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/identity/renewal.h"

#include <algorithm>

#include "host/spec/blocks/identity.h"
#include "host/spec/job_limits.h"

namespace drover {
namespace {

constexpr Duration kLongestPause = 1h;

}  // namespace

RenewalTime::RenewalTime(TimePoint issued, Duration ttl) : ttl_(Bounded(ttl)) { Renewed(issued); }

void RenewalTime::Renewed(TimePoint now) {
  pause_ = 0s;
  due_ = now + std::max(ttl_ / 2, kLeastRenewal);
}

void RenewalTime::Failed(TimePoint now) {
  pause_ = std::clamp(2 * pause_, kLeastRenewal, kLongestPause);
  due_ = now + pause_;
}

}  // namespace drover
