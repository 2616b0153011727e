// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/base/common_text.h"

#include <functional>
#include <mutex>
#include <set>

namespace drover {

const std::string& CommonText::str() const {
  static const auto& none = *new std::string();
  return text_ == nullptr ? none : *text_;
}

const std::string* CommonText::Shared(std::string_view text) {
  if (text.empty()) return nullptr;
  static auto& mutex = *new std::mutex();
  static auto& all = *new std::set<std::string, std::less<>>();
  const std::lock_guard lock(mutex);
  auto found = all.find(text);
  if (found == all.end()) found = all.emplace(text).first;
  return &*found;
}

}  // namespace drover
