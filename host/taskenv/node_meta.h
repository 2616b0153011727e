// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>

#include "host/base/result.h"
#include "host/spec/job.h"

namespace drover {

// The metadata of a node: what its configuration says, and over it what clients have set since.
class NodeMeta {
 public:
  // By key. Without a value a key is not set, whatever the configuration says; it is remembered
  // only if that says something.
  using Changes = std::map<std::string, std::optional<std::string>>;
  // Of all that clients have set, keys and values.
  static constexpr std::size_t kMaxBytes = std::size_t{64} << 10;

  NodeMeta() = default;
  NodeMeta(StringMap configured, Changes dynamic)
      : configured_(std::move(configured)), dynamic_(std::move(dynamic)) {}

  // Takes CHANGES over those before. kInvalidArgument: a key is no name with dots, or it would be
  // too much; then nothing has changed.
  Status Apply(const Changes& changes);

  // What jobs see.
  StringMap merged() const;
  const StringMap& configured() const { return configured_; }
  const Changes& dynamic() const { return dynamic_; }

 private:
  StringMap configured_;
  Changes dynamic_;
};

}  // namespace drover
