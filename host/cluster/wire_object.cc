// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/wire_object.h"

#include <limits>

#include "host/cluster/go_time.h"

namespace drover {
namespace {

using nlohmann::json;

const json& NoMembers() {
  static const json kNone = json::object();
  return kNone;
}

const char* WireTypeName(const json& value) {
  if (value.is_object()) return "a map";
  if (value.is_array()) return "a list";
  if (value.is_string()) return "a text";
  if (value.is_boolean()) return "a boolean";
  return "a number of another kind";
}

// Returns nothing if VALUE is no whole number, or not between LOWEST and HIGHEST.
std::optional<std::int64_t> WholeNumber(const json& value, std::int64_t lowest,
                                        std::int64_t highest) {
  if (!value.is_number_integer()) return std::nullopt;
  if (value.is_number_unsigned()) {
    const auto number = value.get<std::uint64_t>();
    if (highest < 0 || number > static_cast<std::uint64_t>(highest)) return std::nullopt;
    return static_cast<std::int64_t>(number);
  }
  const auto number = value.get<std::int64_t>();
  if (number < lowest || number > highest) return std::nullopt;
  return number;
}

}  // namespace

WireObject::WireObject(const json& value, std::string place, std::optional<Error>* fault)
    : value_(&value), place_(std::move(place)), fault_(fault) {
  if (value.is_object()) return;
  value_ = &NoMembers();
  if (value.is_null() || *fault_) return;
  *fault_ = Error(Code::kInternal, place_ + ": must be a map, but is " + WireTypeName(value));
}

const json* WireObject::Find(const char* name) const {
  const auto found = value_->find(name);
  return found == value_->end() || found->is_null() ? nullptr : &*found;
}

void WireObject::Fault(const std::string& name, const std::string& message) const {
  if (!*fault_) *fault_ = Error(Code::kInternal, place_ + "." + name + ": " + message);
}

void WireObject::Read(const char* name, std::string* out) const {
  const json* const value = Find(name);
  if (value == nullptr) return;
  if (!value->is_string()) {
    Fault(name, std::string("must be a text, but is ") + WireTypeName(*value));
    return;
  }
  *out = value->get_ref<const std::string&>();
}

void WireObject::Read(const char* name, bool* out) const {
  const json* const value = Find(name);
  if (value == nullptr) return;
  const auto number = WholeNumber(*value, 0, 1);
  if (value->is_boolean()) {
    *out = value->get<bool>();
  } else if (number) {
    *out = *number == 1;
  } else {
    Fault(name, std::string("must be true or false, but is ") + WireTypeName(*value));
  }
}

void WireObject::Read(const char* name, int* out) const {
  const json* const value = Find(name);
  if (value == nullptr) return;
  const auto number =
      WholeNumber(*value, std::numeric_limits<int>::min(), std::numeric_limits<int>::max());
  if (number) {
    *out = static_cast<int>(*number);
  } else {
    Fault(name,
          std::string("must be a whole number within 32 bits, but is ") + WireTypeName(*value));
  }
}

void WireObject::Read(const char* name, std::int64_t* out) const {
  const json* const value = Find(name);
  if (value == nullptr) return;
  const auto number = WholeNumber(*value, std::numeric_limits<std::int64_t>::min(),
                                  std::numeric_limits<std::int64_t>::max());
  if (number) {
    *out = *number;
  } else {
    Fault(name,
          std::string("must be a whole number within 64 bits, but is ") + WireTypeName(*value));
  }
}

void WireObject::Read(const char* name, std::uint64_t* out) const {
  const json* const value = Find(name);
  if (value == nullptr) return;
  if (value->is_number_unsigned()) {
    *out = value->get<std::uint64_t>();
  } else if (const auto number = WholeNumber(*value, 0, std::numeric_limits<std::int64_t>::max())) {
    *out = static_cast<std::uint64_t>(*number);
  } else {
    Fault(name, std::string("must be a whole number that is not negative, but is ") +
                    WireTypeName(*value));
  }
}

void WireObject::Read(const char* name, Duration* out) const {
  std::int64_t nanos = out->count();
  Read(name, &nanos);
  *out = Duration(nanos);
}

void WireObject::Read(const char* name, StringMap* out) const {
  const json* const value = Find(name);
  if (value == nullptr) return;
  if (!value->is_object()) {
    Fault(name, std::string("must be a map, but is ") + WireTypeName(*value));
    return;
  }
  for (const auto& [key, text] : value->items()) {
    if (text.is_string()) {
      (*out)[key] = text.get_ref<const std::string&>();
    } else {
      Fault(name, std::string("must have only texts, but has ") + WireTypeName(text));
    }
  }
}

void WireObject::Read(const char* name, std::vector<std::string>* out) const {
  const json* const value = Find(name);
  if (value == nullptr) return;
  if (!value->is_array()) {
    Fault(name, std::string("must be a list, but is ") + WireTypeName(*value));
    return;
  }
  out->clear();
  for (const json& text : *value) {
    if (text.is_string()) {
      out->push_back(text.get_ref<const std::string&>());
    } else {
      Fault(name, std::string("must have only texts, but has ") + WireTypeName(text));
    }
  }
}

void WireObject::ReadTime(const char* name, WallTime* out) const {
  const json* const value = Find(name);
  if (value == nullptr) return;
  const auto time =
      value->is_string() ? ReadGoTime(value->get_ref<const std::string&>()) : std::nullopt;
  if (time) {
    *out = *time;
  } else {
    Fault(name, "must be a time between the years 1970 and 2261");
  }
}

WireObject WireObject::Object(const char* name) const {
  const json* const value = Find(name);
  return WireObject(value != nullptr ? *value : NoMembers(), place_ + "." + name, fault_);
}

std::vector<WireObject> WireObject::List(const char* name, std::size_t most) const {
  std::vector<WireObject> list;
  const json* const value = Find(name);
  if (value == nullptr) return list;
  if (!value->is_array()) {
    Fault(name, std::string("must be a list, but is ") + WireTypeName(*value));
  } else if (value->size() > most) {
    Fault(name, "has " + std::to_string(value->size()) + " elements, more than the allowed " +
                    std::to_string(most));
  } else {
    for (const json& element : *value) {
      list.emplace_back(element, place_ + "." + name + "[" + std::to_string(list.size()) + "]",
                        fault_);
    }
  }
  return list;
}

std::vector<std::pair<std::string, WireObject>> WireObject::Map(const char* name,
                                                                std::size_t most) const {
  std::vector<std::pair<std::string, WireObject>> map;
  const json* const value = Find(name);
  if (value == nullptr) return map;
  if (!value->is_object()) {
    Fault(name, std::string("must be a map, but is ") + WireTypeName(*value));
  } else if (value->size() > most) {
    Fault(name, "has " + std::to_string(value->size()) + " members, more than the allowed " +
                    std::to_string(most));
  } else {
    for (const auto& [key, member] : value->items()) {
      map.emplace_back(key, WireObject(member, place_ + "." + name, fault_));
    }
  }
  return map;
}

}  // namespace drover
