// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"

namespace drover {

// A set of Linux capabilities. Bit N stands for capability N.
class CapabilitySet {
 public:
  CapabilitySet() = default;
  explicit CapabilitySet(std::uint64_t bits) : bits_(bits) {}

  // Parses names such as "net_raw", "CAP_NET_RAW" or "NET_RAW". The name "all" means every
  // capability that this class has a name for. The error quotes an unknown name.
  static Result<CapabilitySet> Parse(const std::vector<std::string>& names);

  bool Has(int capability) const { return (bits_ >> capability & 1) != 0; }
  bool Contains(CapabilitySet other) const { return (other.bits_ & ~bits_) == 0; }
  std::uint64_t bits() const { return bits_; }
  // Returns the names for messages, such as "net_raw,sys_admin". An empty set is "none".
  std::string ToString() const;

  bool operator==(const CapabilitySet&) const = default;

 private:
  std::uint64_t bits_ = 0;
};

}  // namespace drover
