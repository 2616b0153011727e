// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "host/scheduler/record_size.h"
#include "host/scheduler/state_event.h"

namespace drover {

// The newest events, for those who follow them at their own pace: nobody who reads slowly keeps
// anything for longer, or makes anybody wait. [any thread]
class EventLog {
 public:
  // Keeps the newest MOST events, fewer where their records take more than MOST_BYTES, and always
  // the whole of the last write.
  explicit EventLog(std::size_t most = 8192, std::size_t most_bytes = std::size_t{32} << 20)
      : most_(most), most_bytes_(most_bytes) {}

  // Adds what the write INDEX has changed; of several changes of a record only the last counts.
  void Add(std::uint64_t index, std::string_view cause, std::vector<StateEvent> changes);

  struct Page {
    std::vector<std::shared_ptr<const EventBatch>> batches;  // in their order
    std::uint64_t next = 0;                                  // where the next page begins
    bool complete = true;  // nothing at or above the asked-for index has been dropped
  };
  // Some of what is there from index FIRST on.
  Page From(std::uint64_t first) const;

  // The index of the last write that had events; 0: there was none.
  std::uint64_t last_index() const;
  // What the records of its events take, which others may have, too; a metric.
  std::size_t bytes() const;

 private:
  mutable std::mutex mutex_;
  const std::size_t most_;
  const std::size_t most_bytes_;
  std::deque<std::shared_ptr<const EventBatch>> batches_;
  std::size_t events_ = 0;
  RecordSizes sizes_;
  std::uint64_t dropped_ = 0;  // the index of the last batch that is no longer kept
  std::uint64_t last_index_ = 0;
};

}  // namespace drover
