// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace drover {

// Cuts the objects out of a stream of JSON objects, with or without line breaks between them.
class JsonCutter {
 public:
  // Hands each object that BYTES complete to TAKE. Drops the rest of an object that is too large.
  template <typename Take>
  void Add(std::string_view bytes, const Take& take) {
    for (const char c : bytes) {
      if (AddOne(c)) take(std::exchange(rest_, std::string()));
    }
  }

 private:
  static constexpr std::size_t kMost = std::size_t{256} << 20;

  // Whether C completes an object.
  bool AddOne(char c);

  std::string rest_;
  int depth_ = 0;
  bool in_text_ = false;
  bool escaped_ = false;
};

}  // namespace drover
