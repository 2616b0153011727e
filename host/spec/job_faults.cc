// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/job_faults.h"

#include <utility>

namespace drover {
namespace {

// Returns whether POINTER is equal to PARENT or lies below it.
bool IsWithin(const std::string& pointer, const std::string& parent) {
  return pointer.size() >= parent.size() && pointer.compare(0, parent.size(), parent) == 0 &&
         (pointer.size() == parent.size() || pointer[parent.size()] == '/');
}

std::string Line(const JobFault& fault) {
  return (fault.pointer.empty() ? "the job" : fault.pointer) + ": " + fault.message;
}

}  // namespace

void JobFaults::Add(const std::string& pointer, std::string message) {
  for (const JobFault& fault : faults_) {
    if (IsWithin(pointer, fault.pointer)) return;
  }
  if (faults_.size() == kMaxFaults) {
    ++dropped_;
    return;
  }
  faults_.push_back({pointer, std::move(message)});
}

Error JobFaults::ToError() const {
  DROVER_CHECK(!faults_.empty());
  if (faults_.size() == 1) return Error(Code::kInvalidArgument, Line(faults_[0]));
  std::string text = "the job has " + std::to_string(faults_.size() + dropped_) + " faults:";
  for (const JobFault& fault : faults_) text += "\n  * " + Line(fault);
  if (dropped_ > 0) text += "\n  * and " + std::to_string(dropped_) + " more";
  return Error(Code::kInvalidArgument, text);
}

}  // namespace drover
