// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "host/spec/job.h"
#include "host/spec/job_faults.h"
#include "host/spec/job_fields.h"
#include "host/spec/strict_json.h"

namespace drover {

// Reads the members of one object. A member that is absent, null or of the wrong type leaves the
// default. A wrong type is already reported as a fault.
class JobMembers {
 public:
  JobMembers(const nlohmann::json& object, std::string pointer, JobFaults* faults)
      : object_(object), pointer_(std::move(pointer)), faults_(faults) {}

  const nlohmann::json* Find(const char* name) const {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(name);
    return found == object_.end() || found->is_null() ? nullptr : &*found;
  }
  std::string PointerOf(const char* name) const { return JsonPointer(pointer_, name); }
  JobMembers Object(const char* name) const {
    static const nlohmann::json kNone;
    const nlohmann::json* value = Find(name);
    return JobMembers(value != nullptr ? *value : kNone, PointerOf(name), faults_);
  }

  void Read(const char* name, std::string* out) const {
    const nlohmann::json* value = Find(name);
    if (value != nullptr && value->is_string()) *out = value->get<std::string>();
  }
  void Read(const char* name, bool* out) const {
    const nlohmann::json* value = Find(name);
    if (value != nullptr && value->is_boolean()) *out = value->get<bool>();
  }
  // Reads a number of 32 bits. The check against the table of fields has reported all other
  // numbers as faults.
  template <typename Integer>
    requires std::is_same_v<Integer, int> || std::is_same_v<Integer, std::int64_t>
  void Read(const char* name, Integer* out) const {
    const nlohmann::json* value = Find(name);
    if (value == nullptr || !value->is_number_integer()) return;
    const double number = value->get<double>();
    if (number >= -0x1p31 && number < 0x1p31) *out = value->get<int>();
  }
  void Read(const char* name, Duration* out) const {
    const nlohmann::json* value = Find(name);
    if (value != nullptr) (void)ReadJsonDuration(*value, out);
  }
  void Read(const char* name, StringMap* out) const {
    const nlohmann::json* value = Find(name);
    if (value == nullptr || !value->is_object()) return;
    for (const auto& [key, text] : value->items()) {
      if (text.is_string()) (*out)[key] = text.get<std::string>();
    }
  }
  // An empty list leaves the default. An element that is no text becomes an empty text, since it is
  // already reported as a fault.
  void Read(const char* name, std::vector<std::string>* out) const {
    const nlohmann::json* value = Find(name);
    if (value == nullptr || !value->is_array() || value->empty()) return;
    out->clear();
    for (const nlohmann::json& text : *value)
      out->push_back(text.is_string() ? text.get<std::string>() : std::string());
  }
  void Read(const char* name, std::map<std::string, std::vector<std::string>>* out) const {
    const nlohmann::json* value = Find(name);
    if (value == nullptr || !value->is_object()) return;
    for (const auto& [key, list] : value->items())
      JobMembers(*value, {}, faults_).Read(key.c_str(), &(*out)[key]);
  }
  // Reads a list of objects. READ(members, element) reads each object. Objects after the first MOST
  // and one more are not read: the one more shows a later check that the list is too long.
  template <typename T, typename F>
  void ReadList(const char* name, std::vector<T>* out, F read,
                std::size_t most = std::numeric_limits<std::size_t>::max()) const {
    const nlohmann::json* value = Find(name);
    if (value == nullptr || !value->is_array()) return;
    for (std::size_t i = 0; i < value->size() && i <= most; ++i) {
      T& element = out->emplace_back();
      read(JobMembers((*value)[i], JsonPointer(PointerOf(name), i), faults_), &element);
    }
  }

  void Fault(const char* name, std::string message) const {
    faults_->Add(PointerOf(name), std::move(message));
  }

 private:
  const nlohmann::json& object_;
  std::string pointer_;
  JobFaults* faults_;
};

// Reads a text that must be the name of one of VALUES, and sets OUT to that value. NAME_OF returns
// the name of a value.
template <typename T, typename F, typename Out>
void ReadName(const JobMembers& in, const char* name, std::initializer_list<T> values, F name_of,
              Out* out) {
  std::string text;
  in.Read(name, &text);
  if (text.empty()) return;
  std::string known;
  for (const T value : values) {
    if (text == name_of(value)) {
      *out = value;
      return;
    }
    if (!known.empty()) known += ", ";
    known += name_of(value);
  }
  in.Fault(name, Quoted(text) + " is not known; write one of " + known);
}

}  // namespace drover
