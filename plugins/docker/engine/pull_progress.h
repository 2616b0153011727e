// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drover/error.hpp"
#include "engine/engine_event.h"

namespace drover_docker {

// The state of a pull: the layers of an image together.
struct PullProgress {
  std::string phase;            // such as "Downloading" or "Extracting"
  std::uint64_t done = 0;       // bytes that are downloaded
  std::uint64_t total = 0;      // bytes of all known layers; 0: unknown
  std::uint64_t layers = 0;     // the known layers
  std::uint64_t complete = 0;   // layers that are there
  std::uint64_t extracted = 0;  // bytes that are unpacked

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
  // Returns the names or ids of the images that the answer to a load reports, and the id that
  // podman reports after a pull.
  const std::vector<std::string>& images() const { return images_; }

 private:
  struct Layer {
    std::uint64_t done = 0, total = 0, extracted = 0;
    bool complete = false;
  };
  void TakeObject(std::string_view text);
  void TakeLayer(const nlohmann::json& object, const std::string& id, const std::string& status);
  void TakeStream(const std::string& text);
  void Sum();

  JsonSplitter splitter_{kMostObject};
  std::map<std::string, Layer, std::less<>> layers_;
  PullProgress progress_;
  std::optional<std::string> error_;
  std::vector<std::string> images_;
};

}  // namespace drover_docker
