// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/pull_progress.h"

#include <utility>

#include "engine/engine_error.h"
#include "engine/json_read.h"

namespace drover_docker {
namespace {

constexpr std::size_t kMostImages = 100;

[[noreturn]] void RefusePullAnswer() {
  throw drover::Error(drover::Code::kUnavailable,
                      "the container engine reports its progress with something that is no JSON",
                      true);
}

bool StartsWith(std::string_view text, std::string_view begin) {
  return text.substr(0, begin.size()) == begin;
}

}  // namespace

bool PullReader::Put(std::string_view bytes) {
  const PullProgress before = progress_;
  const std::size_t images = images_.size();
  if (!splitter_.Put(bytes, [this](std::string_view object) { TakeObject(object); })) {
    RefusePullAnswer();
  }
  Sum();
  return !(progress_ == before) || images_.size() != images;
}

void PullReader::End() {
  if (!splitter_.empty() && !error_) RefusePullAnswer();
}

void PullReader::TakeObject(std::string_view text) {
  const nlohmann::json object = ParseJson(text, "progress");
  std::string error = TextAt(object, {"errorDetail", "message"});
  if (error.empty()) error = TextAt(object, {"error"});
  if (!error.empty() && !error_) error_ = Printable(error);
  const std::string status = TextAt(object, {"status"});
  const std::string id = TextAt(object, {"id"});
  if (!id.empty() && !status.empty()) TakeLayer(object, id, status);
  // Podman reports the id of the image in an object of its own.
  if (!id.empty() && status.empty() && images_.size() < kMostImages) images_.push_back(id);
  TakeStream(TextAt(object, {"stream"}));
}

void PullReader::TakeLayer(const nlohmann::json& object, const std::string& id,
                           const std::string& status) {
  // The line "Pulling from library/redis" has the tag as its id.
  if (StartsWith(status, "Pulling from") || StartsWith(status, "Digest:")) return;
  const auto found = layers_.find(id);
  if (found == layers_.end() && layers_.size() >= kMostLayers) return;
  Layer& layer = layers_[id];
  const std::uint64_t current = CountAt(object, {"progressDetail", "current"});
  const std::uint64_t total = CountAt(object, {"progressDetail", "total"});
  constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 50;  // so that sums cannot overflow
  if (StartsWith(status, "Downloading")) {
    if (total > 0 && total < kMostBytes) layer.total = total;
    if (current < kMostBytes && current > layer.done) layer.done = current;
  } else if (StartsWith(status, "Download complete") || StartsWith(status, "Verifying") ||
             StartsWith(status, "Extracting")) {
    layer.done = layer.total;
  } else if (StartsWith(status, "Pull complete") || StartsWith(status, "Already exists")) {
    layer.done = layer.total;
    layer.complete = true;
  }
  if (layer.total > 0 && layer.done > layer.total) layer.done = layer.total;
  progress_.phase = Printable(status, 64);
  // The bytes that are unpacked are progress, too.
  if (StartsWith(status, "Extracting") && current < kMostBytes) layer.extracted = current;
}

void PullReader::TakeStream(const std::string& text) {
  std::string_view rest(text);
  for (const std::string_view begin :
       {"Loaded image ID: ", "Loaded image(s): ", "Loaded image: "}) {
    if (!StartsWith(rest, begin)) continue;
    rest.remove_prefix(begin.size());
    while (!rest.empty() && images_.size() < kMostImages) {
      const std::size_t end = rest.find_first_of(",\r\n");
      const std::string_view name = rest.substr(0, end);
      if (!name.empty()) images_.push_back(Printable(name, 512));
      rest.remove_prefix(end == rest.npos ? rest.size() : end + 1);
    }
    return;
  }
}

void PullReader::Sum() {
  progress_.done = progress_.total = progress_.complete = progress_.extracted = 0;
  for (const auto& [id, layer] : layers_) {
    progress_.done += layer.done;
    progress_.total += layer.total;
    progress_.extracted += layer.extracted;
    if (layer.complete) ++progress_.complete;
  }
  progress_.layers = layers_.size();
}

}  // namespace drover_docker
