// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

#include "host/base/time.h"
#include "host/http/http_exchange.h"
#include "host/state/state_event.h"

namespace drover {

// The encoded events of one write to the store. Each event is encoded once, when the first
// follower wants it. [any thread]
class EncodedBatch {
 public:
  // TOTAL counts the encoded bytes of all batches of one EventFeed.
  EncodedBatch(std::shared_ptr<const EventBatch> batch,
               std::shared_ptr<std::atomic<std::size_t>> total);
  EncodedBatch(const EncodedBatch&) = delete;
  EncodedBatch& operator=(const EncodedBatch&) = delete;
  ~EncodedBatch();

  // Returns the JSON of the event at index PLACE in the batch.
  const std::string& Text(std::size_t place);
  // Returns the number of bytes that are encoded so far.
  std::size_t bytes() const { return bytes_.load(); }

 private:
  struct Slot {
    std::once_flag once;
    std::string text;
  };
  const std::shared_ptr<const EventBatch> batch_;
  const std::unique_ptr<Slot[]> slots_;
  const std::shared_ptr<std::atomic<std::size_t>> total_;
  std::atomic<std::size_t> bytes_{0};
};

// The state that all followers of the event stream share. An additional follower thus costs little
// more than the bytes that it sends. While there are followers, the feed keeps the newest encoded
// events. Older events are encoded again for each follower. [any thread]
class EventFeed {
 public:
  explicit EventFeed(std::size_t most_bytes = std::size_t{8} << 20) : most_bytes_(most_bytes) {}

  // Each object of this class counts as one follower while it exists. FEED must outlive it.
  class Follower {
   public:
    explicit Follower(EventFeed* feed) : feed_(feed) { ++feed_->followers_; }
    Follower(const Follower&) = delete;
    Follower& operator=(const Follower&) = delete;
    ~Follower() { feed_->Leave(); }

   private:
    EventFeed* const feed_;
  };

  std::shared_ptr<EncodedBatch> Encoded(const std::shared_ptr<const EventBatch>& batch);

  // The position of a follower in the event stream. The follower has processed the first DONE
  // events of the write with the index NEXT, and all events of earlier writes.
  struct Position {
    std::uint64_t next = 1;
    std::size_t done = 0;
    auto operator<=>(const Position&) const = default;
  };
  // A text to send to all followers with the same filter and position, and their position after
  // this text. The first of these followers makes the text, so all reach the same next position.
  struct Piece {
    std::shared_ptr<const SharedPiece> text;  // null if the filter chooses none of the events
    Position end;
  };
  std::optional<Piece> Find(const std::string& filter, Position begin);
  void Keep(const std::string& filter, Position begin, Piece piece);

  // Returns how long a follower waits after it has sent events before it looks for more events. The
  // pause grows with the number of followers, so that all followers together send at most a few
  // thousand times a second. The first event after a time without events is sent without a pause.
  Duration Pause() const;

  std::size_t bytes() const { return total_->load(); }

 private:
  void Leave();

  const std::size_t most_bytes_;
  const std::shared_ptr<std::atomic<std::size_t>> total_ =
      std::make_shared<std::atomic<std::size_t>>(0);
  std::atomic<int> followers_{0};
  std::mutex mutex_;
  // The key is the index of the write.
  std::map<std::uint64_t, std::shared_ptr<EncodedBatch>> batches_;
  // The key is the position and the filter, so the pieces with the oldest events come first.
  std::map<std::pair<Position, std::string>, Piece> pieces_;
  std::size_t piece_bytes_ = 0;
};

}  // namespace drover
