// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/event_feed.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "host/encode/encode.h"
#include "host/spec/strict_json.h"
#include "host/streams/event_filter.h"

namespace drover {
namespace {

using nlohmann::json;

// If the event stream has at most this many followers, each follower sends every event without a
// pause.
constexpr int kFew = 4;
constexpr Duration kPerFollower = std::chrono::microseconds(200);

json Payload(const std::shared_ptr<const JobRecord>& job) { return {{"Job", EncodeJob(*job)}}; }
json Payload(const std::shared_ptr<const Evaluation>& eval) {
  return {{"Evaluation", EncodeEval(*eval)}};
}
json Payload(const std::shared_ptr<const AllocRecord>& alloc) {
  return {{"Allocation", EncodeAllocWithoutJob(*alloc)}};
}
json Payload(const std::shared_ptr<const NodeRecord>& node) {
  return {{"Node", EncodeNode(*node)}};
}
json Payload(const std::shared_ptr<const ServiceRegistration>& service) {
  return {{"Service", EncodeService(*service)}};
}

json Payload(const std::shared_ptr<const VariableRecord>& variable) {
  return {{"Variable", EncodeVariableMetadata(*variable)}};
}

json Payload(const std::shared_ptr<const VolumeRecord>& volume) {
  return {{"Volume", VolumeToJson(*volume)}};
}

json Payload(const std::shared_ptr<const Deployment>& deployment) {
  return {{"Deployment", EncodeDeployment(*deployment)}};
}

json Payload(const std::shared_ptr<const PeriodicLaunch>&) { return json::object(); }
json Payload(const std::shared_ptr<const SchedulerConfig>&) { return json::object(); }

json Payload(const std::shared_ptr<const JobRestart>& restart) {
  return {{"JobRestart", EncodeJobRestart(*restart)}};
}

std::string EncodeEvent(const EventBatch& batch, const StateEvent& event) {
  json payload = std::visit([](const auto& record) { return Payload(record); }, event.record);
  if (event.erased) payload["Deleted"] = true;
  const json object = {{"Topic", TopicName(event.topic())},
                       {"Type", batch.TypeOf(event)},
                       {"Key", event.Key()},
                       {"Namespace", event.Namespace()},
                       {"FilterKeys", event.FilterKeys()},
                       {"Index", batch.index},
                       {"Payload", std::move(payload)}};
  return JsonText(object);
}

}  // namespace

EncodedBatch::EncodedBatch(std::shared_ptr<const EventBatch> batch,
                           std::shared_ptr<std::atomic<std::size_t>> total)
    : batch_(std::move(batch)),
      slots_(std::make_unique<Slot[]>(batch_->events.size())),
      total_(std::move(total)) {}

EncodedBatch::~EncodedBatch() { *total_ -= bytes_.load(); }

const std::string& EncodedBatch::Text(std::size_t place) {
  Slot& slot = slots_[place];
  std::call_once(slot.once, [&] {
    slot.text = EncodeEvent(*batch_, batch_->events[place]);
    bytes_ += slot.text.capacity();
    *total_ += slot.text.capacity();
  });
  return slot.text;
}

std::shared_ptr<EncodedBatch> EventFeed::Encoded(const std::shared_ptr<const EventBatch>& batch) {
  std::vector<std::shared_ptr<EncodedBatch>> old;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  if (const auto found = batches_.find(batch->index); found != batches_.end()) {
    return found->second;
  }
  auto encoded = std::make_shared<EncodedBatch>(batch, total_);
  batches_.emplace(batch->index, encoded);
  // While the encoded bytes of all batches exceed most_bytes_, drops the oldest batch, which only a
  // slow follower still needs. The events of the new batch are not encoded yet, so their bytes are
  // not counted. So the total may exceed most_bytes_ until the next batch is added.
  std::size_t kept = total_->load();
  while (kept > most_bytes_ && batches_.size() > 1) {
    kept -= std::min(kept, batches_.begin()->second->bytes());
    old.push_back(std::move(batches_.begin()->second));
    batches_.erase(batches_.begin());
  }
  return encoded;
}

std::optional<EventFeed::Piece> EventFeed::Find(const std::string& filter, Position begin) {
  const std::lock_guard lock(mutex_);
  const auto found = pieces_.find({begin, filter});
  if (found == pieces_.end()) return std::nullopt;
  return found->second;
}

void EventFeed::Keep(const std::string& filter, Position begin, Piece piece) {
  const auto cost = [](const std::string& key, const Piece& of) {
    constexpr std::size_t kEntry = 256;
    return kEntry + key.size() + (of.text == nullptr ? 0 : of.text->chunk().size());
  };
  std::vector<Piece> old;  // destroyed after the lock is released
  const std::lock_guard lock(mutex_);
  const std::size_t bytes = cost(filter, piece);
  if (!pieces_.emplace(std::pair(begin, filter), std::move(piece)).second) return;
  piece_bytes_ += bytes;
  while (piece_bytes_ > most_bytes_ && pieces_.size() > 1) {
    piece_bytes_ -= cost(pieces_.begin()->first.second, pieces_.begin()->second);
    old.push_back(std::move(pieces_.begin()->second));
    pieces_.erase(pieces_.begin());
  }
}

Duration EventFeed::Pause() const {
  const int followers = followers_.load();
  return followers <= kFew ? Duration(0) : followers * kPerFollower;
}

void EventFeed::Leave() {
  // The maps below are destroyed after the lock is released.
  std::map<std::uint64_t, std::shared_ptr<EncodedBatch>> old;
  std::map<std::pair<Position, std::string>, Piece> old_pieces;
  const std::lock_guard lock(mutex_);
  if (--followers_ > 0) return;
  old.swap(batches_);
  old_pieces.swap(pieces_);
  piece_bytes_ = 0;
}

}  // namespace drover
