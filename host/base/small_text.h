// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

namespace drover {

// A text that takes only 8 bytes while it is empty, for members that are empty in most of thousands
// of records. Where it is used often, a std::string is faster.
class SmallText {
 public:
  SmallText() = default;
  template <typename Text>
    requires(std::is_convertible_v<const Text&, std::string_view>)
  SmallText(const Text& text) {  // NOLINT(google-explicit-constructor)
    const std::string_view of = text;
    if (of.empty()) return;
    const auto size = static_cast<std::uint32_t>(of.size());
    bytes_ = std::make_unique_for_overwrite<char[]>(sizeof(size) + size);
    std::memcpy(bytes_.get(), &size, sizeof(size));
    std::memcpy(bytes_.get() + sizeof(size), of.data(), size);
  }
  SmallText(const SmallText& other) : SmallText(other.view()) {}
  SmallText(SmallText&&) = default;
  SmallText& operator=(const SmallText& other) { return *this = SmallText(other); }
  SmallText& operator=(SmallText&&) = default;
  ~SmallText() = default;

  bool empty() const { return bytes_ == nullptr; }
  void clear() { bytes_.reset(); }
  std::string_view view() const {
    if (bytes_ == nullptr) return {};
    std::uint32_t size = 0;
    std::memcpy(&size, bytes_.get(), sizeof(size));
    return {bytes_.get() + sizeof(size), size};
  }
  // NOLINTBEGIN(google-explicit-constructor)
  operator std::string() const { return std::string(view()); }
  operator std::string_view() const { return view(); }
  // NOLINTEND(google-explicit-constructor)

  bool operator==(const SmallText& other) const { return view() == other.view(); }
  template <typename Text>
    requires(std::is_convertible_v<const Text&, std::string_view>)
  bool operator==(const Text& text) const {
    const std::string_view of = text;
    return view() == of;
  }

 private:
  std::unique_ptr<char[]> bytes_;  // its length, which has 4 bytes, and the text; null if empty
};

}  // namespace drover
