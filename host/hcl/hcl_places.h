// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

#include "host/hcl/hcl_program.h"

namespace drover {

// Where the fields of a job are written in its file in HCL.
class HclPlaces {
 public:
  // Adds the place of the JSON pointer POINTER in the job, unless it has one. If too much memory is
  // used already, the pointer gets no place.
  void Add(const std::string& pointer, const HclPlace& place);

  // Returns the place of POINTER, or that of the nearest object or list around it. Returns null if
  // there is none. The result is valid until this object changes.
  const HclPlace* Find(std::string_view pointer) const;

  bool empty() const { return places_.empty(); }

 private:
  std::map<std::string, HclPlace, std::less<>> places_;
  std::size_t bytes_ = 0;  // of memory
};

// The key of the places of an object in a decoded document; hcl/places.go describes them.
inline constexpr char kHclPlaces[] = "";

// Removes all places from JOB, which JobOfHcl has made, and returns them. [any thread]
HclPlaces TakePlaces(nlohmann::json* job);

}  // namespace drover
