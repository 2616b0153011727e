// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// One thing that is wrong with a job.
struct JobFault {
  std::string pointer;  // JSON pointer (RFC 6901) to the fault; empty for the whole text
  std::string message;  // what is wrong there, and what to do

  bool operator==(const JobFault&) const = default;
};

// Collects the faults of a job, so that its author sees all of them at once.
class JobFaults {
 public:
  // Adds a fault at POINTER. If POINTER or a place that contains it already has a fault, the new
  // fault is dropped. So one mistake gives one message.
  void Add(const std::string& pointer, std::string message);

  bool empty() const { return faults_.empty(); }
  const std::vector<JobFault>& list() const { return faults_; }
  std::vector<JobFault> Take() { return std::move(faults_); }

  // Returns all faults as one error.
  Error ToError() const;

 private:
  static constexpr std::size_t kMaxFaults = 50;  // keeps the message readable
  std::vector<JobFault> faults_;
  std::size_t dropped_ = 0;
};

}  // namespace drover
