// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <type_traits>

namespace drover {

// One of the texts that the code itself chooses, such as a status or a cause. All that say the same
// share one text, which stays until the process ends. So no text of a user may be one. [any thread]
class CommonText {
 public:
  CommonText() = default;
  template <typename Text>
    requires(std::is_convertible_v<const Text&, std::string_view>)
  CommonText(const Text& text)  // NOLINT(google-explicit-constructor)
      : text_(Shared(text)) {}

  bool empty() const { return text_ == nullptr; }
  void clear() { text_ = nullptr; }
  const std::string& str() const;
  // NOLINTBEGIN(google-explicit-constructor)
  operator const std::string&() const { return str(); }
  operator std::string_view() const { return str(); }
  // NOLINTEND(google-explicit-constructor)

  bool operator==(const CommonText&) const = default;
  template <typename Text>
    requires(std::is_convertible_v<const Text&, std::string_view>)
  bool operator==(const Text& text) const {
    const std::string_view of = text;
    return str() == of;
  }

 private:
  // Returns null for an empty text.
  static const std::string* Shared(std::string_view text);

  const std::string* text_ = nullptr;
};

}  // namespace drover
