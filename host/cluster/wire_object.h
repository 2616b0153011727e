// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/spec/job.h"

namespace drover {

// Reads the members of a map that a server has sent. A member that is absent or nil leaves the
// default, as in Go. A member of a wrong type leaves it, too, and is the error of the whole
// message: the first such error stays in FAULT, with its place. Unknown members are ignored, since
// later servers have more. The value and FAULT must outlive the object. [any thread]
class WireObject {
 public:
  // PLACE names VALUE in errors, such as "Alloc.GetAllocs".
  WireObject(const nlohmann::json& value, std::string place, std::optional<Error>* fault);

  // Returns null if the member is absent or nil.
  const nlohmann::json* Find(const char* name) const;

  void Read(const char* name, std::string* out) const;
  void Read(const char* name, bool* out) const;  // 0 and 1 count, too
  void Read(const char* name, int* out) const;
  void Read(const char* name, std::int64_t* out) const;
  void Read(const char* name, std::uint64_t* out) const;
  void Read(const char* name, Duration* out) const;  // a number of nanoseconds
  void Read(const char* name, StringMap* out) const;
  void Read(const char* name, std::vector<std::string>* out) const;
  void ReadTime(const char* name, WallTime* out) const;

  // Returns the map NAME; one without members if it is absent.
  WireObject Object(const char* name) const;
  // Returns the maps in the list NAME, at most MOST; more are a fault.
  std::vector<WireObject> List(const char* name, std::size_t most) const;
  // Returns the map NAME of maps as pairs, at most MOST; more are a fault.
  std::vector<std::pair<std::string, WireObject>> Map(const char* name, std::size_t most) const;

  // Makes "PLACE.NAME: MESSAGE" the error of the message, unless it has one.
  void Fault(const std::string& name, const std::string& message) const;

 private:
  const nlohmann::json* value_;
  std::string place_;
  std::optional<Error>* fault_;
};

}  // namespace drover
