// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/spec/job.h"

namespace drover {

// The metadata of a node: the configured values, and the values that clients have set instead.
class NodeMeta {
 public:
  // The values by key. A key without a value is unset, even if the configuration sets it. Such a
  // key is stored only if the configuration sets it.
  using Changes = std::map<std::string, std::optional<std::string>>;
  // The maximum size in bytes of all keys and values that clients have set.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 10;

  NodeMeta() = default;
  NodeMeta(StringMap configured, Changes dynamic)
      : configured_(std::move(configured)), dynamic_(std::move(dynamic)) {}

  // Adds CHANGES to the earlier changes. Returns kInvalidArgument, and changes nothing, if a key
  // does not consist of names with dots between them, or if the total would exceed kMaxBytes.
  Status Apply(const Changes& changes);

  // Returns the metadata that jobs see.
  StringMap merged() const;
  const StringMap& configured() const { return configured_; }
  const Changes& dynamic() const { return dynamic_; }

 private:
  StringMap configured_;
  Changes dynamic_;
};

}  // namespace drover
