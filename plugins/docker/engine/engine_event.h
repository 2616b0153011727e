// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "drover/types.hpp"

namespace drover_docker {

// One event of the engine.
struct EngineEvent {
  std::string type;              // container, image, network, ...
  std::string action;            // start, die, oom, destroy, health_status: healthy, ...
  std::string id;                // of the container or other object
  drover::StringMap attributes;  // labels, name, exitCode, ...
  std::int64_t time = 0;         // ns since 1970
};

// Reads one JSON object of the events stream. Returns nothing for what is no event.
std::optional<EngineEvent> ReadEvent(std::string_view json);

// Splits a stream of JSON objects, with or without line ends between them. Keeps at most MOST
// bytes.
class JsonSplitter {
 public:
  explicit JsonSplitter(std::size_t most = 1u << 20) : most_(most) {}
  // Passes each complete object to TAKE. Returns false if the stream is no such stream, and from
  // then on.
  bool Put(std::string_view bytes, const std::function<void(std::string_view)>& take);
  bool empty() const { return text_.empty(); }  // whether no object is incomplete

 private:
  const std::size_t most_;
  std::string text_;
  int depth_ = 0;
  bool in_string_ = false, escaped_ = false, failed_ = false;
};

}  // namespace drover_docker
