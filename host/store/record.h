// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace drover {

// Names a record: what kind of thing it is about, and which.
struct RecordKey {
  std::string kind;
  std::string id;

  auto operator<=>(const RecordKey&) const = default;
};

// What is kept of one thing. The store does not look into the value.
struct Record {
  RecordKey key;
  std::string value;

  bool operator==(const Record&) const = default;
};

// A record that is to be written; without a value: that is to be forgotten.
struct RecordChange {
  RecordKey key;
  std::optional<std::string> value;
};

}  // namespace drover
