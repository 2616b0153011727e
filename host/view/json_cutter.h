// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace drover {

// Splits a stream of JSON objects into its objects. There may be line breaks between the objects.
class JsonCutter {
 public:
  // Calls TAKE with each object that BYTES complete. If an object has more than kMost bytes, TAKE
  // gets only its first kMost bytes.
  template <typename Take>
  void Add(std::string_view bytes, const Take& take) {
    for (const char c : bytes) {
      if (AddOne(c)) take(std::exchange(rest_, std::string()));
    }
  }

 private:
  static constexpr std::size_t kMost = std::size_t{256} << 20;

  // Adds C. Returns true if C completes an object.
  bool AddOne(char c);

  std::string rest_;
  int depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
};

}  // namespace drover
