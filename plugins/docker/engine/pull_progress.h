// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "drover/error.hpp"

namespace drover_docker {

// The state of a pull: the layers of an image together.
struct PullProgress {
  std::string phase;           // such as "Downloading" or "Extracting"
  std::uint64_t done = 0;      // bytes that are downloaded
  std::uint64_t total = 0;     // bytes of all known layers; 0: unknown
  std::uint64_t layers = 0;    // the known layers
  std::uint64_t complete = 0;  // layers that are there

  bool operator==(const PullProgress& other) const = default;
};
using PullCallback = std::function<void(const PullProgress&)>;

// Reads the answer to a pull or a load: JSON objects, one after another. It keeps at most 1 MiB of
// one object, and 2,000 layers.
class PullReader {
 public:
  static constexpr std::size_t kMostObject = 1u << 20;
  static constexpr std::size_t kMostLayers = 2000;

  // Returns whether the progress has changed. Throws Error(kUnavailable) for what is no such
  // answer. An error that the engine reports is stored; see error().
  bool Put(std::string_view bytes);
  // Call it at the end of the answer. Throws Error(kUnavailable) if an object is incomplete.
  void End();

  const PullProgress& progress() const { return progress_; }
  // Returns the engine's own words if the pull has failed.
  const std::optional<std::string>& error() const { return error_; }
  // Returns the id or the reference that podman, or the answer to a load, names; may be empty.
  const std::string& image() const { return image_; }

 private:
  struct Layer {
    std::uint64_t done = 0, total = 0;
    bool complete = false;
  };
  void Object(std::string_view text);
  void Sum();

  std::string text_;  // of the object that is incomplete
  int depth_ = 0;
  bool in_string_ = false, escaped_ = false;
  std::map<std::string, Layer, std::less<>> layers_;
  PullProgress progress_;
  std::optional<std::string> error_;
  std::string image_;
};

}  // namespace drover_docker
