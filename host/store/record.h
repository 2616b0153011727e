// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

namespace drover {

// The name of a record: the kind of the thing that it describes, and the id of that thing.
struct RecordKey {
  std::string kind;
  std::string id;

  auto operator<=>(const RecordKey&) const = default;
};

// The stored state of one thing. The store does not interpret the value.
struct Record {
  RecordKey key;
  std::string value;

  bool operator==(const Record&) const = default;
};

// A record to write, or to erase if `value` is absent.
struct RecordChange {
  RecordKey key;
  std::optional<std::string> value;
};

}  // namespace drover
