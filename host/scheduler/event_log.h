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

// The newest events, for readers that follow them at their own pace. A slow reader neither keeps
// events for longer nor makes anybody wait. [any thread]
class EventLog {
 public:
  // Keeps the newest MOST events, or fewer if their records take more than MOST_BYTES. All events
  // of the last write are always kept.
  explicit EventLog(std::size_t most = 8192, std::size_t most_bytes = std::size_t{32} << 20)
      : most_(most), most_bytes_(most_bytes) {}

  // Adds the changes of the write INDEX. Only the last change of each record is kept.
  void Add(std::uint64_t index, std::string_view cause, std::vector<StateEvent> changes);

  struct Page {
    std::vector<std::shared_ptr<const EventBatch>> batches;  // by rising index
    std::uint64_t next = 0;                                  // where the next page begins
    bool complete = true;  // nothing at or above the asked-for index has been dropped
  };
  // Returns the first batches that have at least the index FIRST.
  Page From(std::uint64_t first) const;

  // The index of the last write that had events; 0: there was none.
  std::uint64_t last_index() const;
  // The memory of the records of its events, which others may share; a metric.
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
