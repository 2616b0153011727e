// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/time.h"

namespace drover {

// Says when the token of an identity with a TTL is renewed: when half of the TTL is over, at least
// 10 s after the token was issued. After a failure it is tried again, first after 10 s, then after
// twice the time before, at most 1 h.
class RenewalTime {
 public:
  // ISSUED is when the present token was issued. It may be long ago.
  RenewalTime(TimePoint issued, Duration ttl);

  TimePoint due() const { return due_; }
  void Renewed(TimePoint now);
  void Failed(TimePoint now);

 private:
  Duration ttl_;
  TimePoint due_;
  Duration pause_{0};  // after the last failure; 0 if there was none
};

}  // namespace drover
