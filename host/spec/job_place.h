// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "host/base/time.h"
#include "host/spec/job.h"
#include "host/spec/job_faults.h"
#include "host/spec/strict_json.h"

namespace drover {

// A place in the job's JSON, and the list that receives the faults found there. The list must
// outlive the object.
class JobPlace {
 public:
  JobPlace(std::string pointer, JobFaults* faults)
      : pointer_(std::move(pointer)), faults_(faults) {}
  template <typename Key>
  JobPlace operator/(const Key& key) const {
    return JobPlace(JsonPointer(pointer_, key), faults_);
  }
  const std::string& pointer() const { return pointer_; }
  JobFaults* faults() const { return faults_; }
  void Fault(std::string message) const { faults_->Add(pointer_, std::move(message)); }
  void Unless(bool right, const char* message) const {
    if (!right) Fault(message);
  }

 private:
  std::string pointer_;
  JobFaults* faults_;
};

// Finds names that are not unique. The second of two equal names gets the fault.
class UniqueNames {
 public:
  void Add(const std::string& name, const JobPlace& at) {
    const auto [first, fresh] = first_.emplace(name, at.pointer());
    if (!fresh && !name.empty()) at.Fault(Quoted(name) + " is already at " + first->second);
  }

 private:
  std::map<std::string, std::string> first_;
};

// Checks of single values. Each adds a fault at AT if the value is wrong.
namespace job_checks {

inline constexpr std::size_t kMaxName =
    128;  // in bytes; file names contain such a name and a suffix

// Returns whether TEXT holds a control character or an invisible one.
bool HasControl(std::string_view text);
// Returns whether TEXT has only letters, digits and the characters of MORE.
bool IsPlain(std::string_view text, std::string_view more);

// Checks a name: it is there, not too long and visible. Returns whether it is.
bool CheckText(std::string_view text, const JobPlace& at);
// Checks the keys of a map; if ENV is true, as names of environment variables.
void CheckMap(const StringMap& map, bool env, const JobPlace& at);
// Checks that DURATION is at most kLongestOfJob.
void CheckLength(Duration duration, const JobPlace& at);
// The same, and that it is not negative.
void CheckDuration(Duration duration, const JobPlace& at);
// Returns whether VALUE is at most MOST; if not, adds a fault.
bool CheckMost(std::int64_t value, std::int64_t most, const JobPlace& at);

}  // namespace job_checks

}  // namespace drover
