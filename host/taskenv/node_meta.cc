// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/taskenv/node_meta.h"

#include <algorithm>

namespace drover {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool IsNameCharacter(char c) { return IsLetter(c) || (c >= '0' && c <= '9') || c == '-'; }

// Returns true if KEY is one or more names with dots between them. Each name must begin with a
// letter or "_".
bool IsKey(std::string_view key) {
  while (true) {
    const std::string_view name = key.substr(0, key.find('.'));
    if (name.empty() || !IsLetter(name[0])) return false;
    if (!std::all_of(name.begin(), name.end(), IsNameCharacter)) return false;
    if (name.size() == key.size()) return true;
    key.remove_prefix(name.size() + 1);
  }
}

}  // namespace

Status NodeMeta::Apply(const Changes& changes) {
  Changes next = dynamic_;
  for (const auto& [key, value] : changes) {
    if (!IsKey(key)) {
      return Error(Code::kInvalidArgument,
                   "the metadata key \"" + key +
                       "\" must be names of letters, digits, - and _ with dots between them");
    }
    if (value || configured_.contains(key)) {
      next.insert_or_assign(key, value);
    } else {
      next.erase(key);  // without a configured value, an unset key needs no entry
    }
  }
  std::size_t bytes = 0;
  for (const auto& [key, value] : next) bytes += key.size() + (value ? value->size() : 0);
  if (bytes > kMaxBytes) {
    return Error(Code::kInvalidArgument, "the metadata that clients set would have " +
                                             std::to_string(bytes) + " bytes: at most " +
                                             std::to_string(kMaxBytes) + " are kept");
  }
  dynamic_ = std::move(next);
  return {};
}

StringMap NodeMeta::merged() const {
  StringMap all = configured_;
  for (const auto& [key, value] : dynamic_) {
    if (value) {
      all.insert_or_assign(key, *value);
    } else {
      all.erase(key);
    }
  }
  return all;
}

}  // namespace drover
