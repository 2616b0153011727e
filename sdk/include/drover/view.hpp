// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstring>
#include <map>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "drover/drover.h"
#include "drover/error.hpp"

// Reads and writes the structs of the C interface by the rules for struct_size in drover.h.
namespace drover {
inline namespace sdk_v1 {

using StringMap = std::map<std::string, std::string>;

namespace abi {

DROVER_SDK_ONCE inline void CopySized(void* out, std::size_t out_size, const void* in,
                                      const char* what) {
  if (in == nullptr) throw Error(Code::kInvalidArgument, std::string(what) + " is missing");
  std::uint32_t size = 0;
  std::memcpy(&size, in, sizeof size);
  if (size < sizeof size) {
    throw Error(Code::kInvalidArgument, std::string(what) + " has no struct_size");
  }
  std::memset(out, 0, out_size);
  std::memcpy(out, in, size < out_size ? size : out_size);
}

// Copies a struct of the other side into this side's version of it. Fields that only this side has
// become zero. Fields that only the other side has are left out.
template <typename T>
T Sized(const T* in, const char* what) {
  static_assert(std::is_trivially_copyable<T>::value, "a struct of the C interface");
  T out;
  CopySized(&out, sizeof out, in, what);
  out.struct_size = sizeof out;
  return out;
}

// Returns a struct whose struct_size is set and whose other members are zero.
template <typename T>
T Make() {
  T out;
  std::memset(static_cast<void*>(&out), 0, sizeof out);
  out.struct_size = sizeof out;
  return out;
}

inline std::string_view View(drover_str in) {
  return in.data == nullptr ? std::string_view() : std::string_view(in.data, in.size);
}
DROVER_SDK_ONCE inline std::string Text(drover_str in) { return std::string(View(in)); }
// The result points into IN, and is valid as long as the text of IN is.
inline drover_str Str(std::string_view in) { return drover_str{in.data(), in.size()}; }

// Calls VISIT with a pointer to each element of ARRAY, which the other side has filled. Throws if
// the element_size of ARRAY is less than LEAST bytes.
DROVER_SDK_ONCE inline void Walk(const drover_array& array, std::size_t least, const char* what,
                                 Ref<const void*> visit) {
  if (array.count == 0) return;
  if (array.data == nullptr || array.element_size < sizeof(std::uint32_t)) {
    throw Error(Code::kInvalidArgument, std::string(what) + ": a list without elements");
  }
  if (array.element_size < least) {
    throw Error(Code::kInvalidArgument, std::string(what) + ": the elements are too small");
  }
  const char* at = static_cast<const char*>(array.data);
  for (std::size_t i = 0; i < array.count; ++i, at += array.element_size) visit(at);
}

template <typename T, typename Visit>
void Each(const drover_array& array, const char* what, Visit&& visit) {
  Walk(array, 0, what, [&](const void* at) { visit(static_cast<const T*>(at)); });
}

// Does the same as Each, but for the fixed structs, which have no struct_size.
template <typename T, typename Visit>
void EachFixed(const drover_array& array, const char* what, Visit&& visit) {
  Walk(array, sizeof(T), what, [&](const void* at) { visit(static_cast<const T*>(at)); });
}

DROVER_SDK_ONCE inline StringMap Map(const drover_array& array, const char* what) {
  StringMap out;
  EachFixed<drover_pair>(
      array, what, [&](const drover_pair* pair) { out[Text(pair->key)] = Text(pair->value); });
  return out;
}

template <typename T>
drover_array Array(const std::vector<T>& in) {
  return drover_array{in.data(), in.size(), sizeof(T)};
}

// Pairs and Strs return the C form of a map or list of texts. It points into IN, and is valid as
// long as IN is.
DROVER_SDK_ONCE inline std::vector<drover_pair> Pairs(const StringMap& in) {
  std::vector<drover_pair> out;
  out.reserve(in.size());
  for (const auto& item : in) out.push_back(drover_pair{Str(item.first), Str(item.second)});
  return out;
}
DROVER_SDK_ONCE inline std::vector<drover_str> Strs(const std::vector<std::string>& in) {
  std::vector<drover_str> out;
  out.reserve(in.size());
  for (const std::string& item : in) out.push_back(Str(item));
  return out;
}

}  // namespace abi
}  // namespace sdk_v1
}  // namespace drover
