// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <list>
#include <string>
#include <string_view>
#include <unordered_map>

#include "host/base/time.h"

namespace drover {

// Counts how often a source of requests has sent something wrong. Each source has a number of
// failures that it may cause at once, which comes back with time. The memory is bounded: if there
// are too many sources, the one whose last failure is the oldest is forgotten. The caller must
// serialize the calls.
class FailureLimiter {
 public:
  struct Limits {
    int at_once = 50;                                // failures
    Duration each = std::chrono::milliseconds(100);  // after which one of them comes back
    std::size_t sources = 1024;
  };

  explicit FailureLimiter(Limits limits) : limits_(limits) {}

  // Whether SOURCE has caused too many failures.
  bool IsOver(const std::string& source, TimePoint now) const;
  void AddFailure(const std::string& source, TimePoint now);

  std::size_t sources() const { return places_.size(); }

 private:
  struct Source {
    std::string name;
    TimePoint full;  // when all its failures have come back
  };

  Limits limits_;
  std::list<Source> sources_;  // the newest failure first
  std::unordered_map<std::string, std::list<Source>::iterator> places_;
};

// Returns the source of requests from REMOTE, an address such as "127.0.0.1:4711" or
// "[2001:db8::1]:4711". It is the address without the port. Of an IPv6 address it is the network of
// 64 bits, since one machine may use all addresses of that.
std::string FailureSource(std::string_view remote);

}  // namespace drover
