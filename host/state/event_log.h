// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string_view>
#include <vector>

#include "host/state/record_size.h"
#include "host/state/state_event.h"

namespace drover {

// The newest events. Readers follow them at their own pace. The log does not keep events longer
// for a slow reader, and no caller waits for a slow reader. [any thread]
class EventLog {
 public:
  // Keeps at most MOST events, the newest ones. Keeps fewer events if their records take more
  // than MOST_BYTES bytes. Always keeps all events of the last write.
  explicit EventLog(std::size_t most = 8192, std::size_t most_bytes = std::size_t{32} << 20)
      : most_(most), most_bytes_(most_bytes) {}

  // Adds the changes of the write INDEX. Only the last change of each record is kept.
  void Add(std::uint64_t index, std::string_view cause, std::vector<StateEvent> changes);

  struct Page {
    std::vector<std::shared_ptr<const EventBatch>> batches;  // sorted by index
    std::uint64_t next = 0;  // the index at which the next page begins
    bool complete = true;    // false if events from the requested index on were dropped
  };
  // Returns the first batches with an index of at least FIRST.
  Page From(std::uint64_t first) const;

  // Returns the index of the last write that had events; 0 if there was none.
  std::uint64_t last_index() const;
  // Returns how many bytes of memory the records of the kept events take, for metrics. Other
  // objects may share these records.
  std::size_t bytes() const;

 private:
  mutable std::mutex mutex_;
  const std::size_t most_;
  const std::size_t most_bytes_;
  std::deque<std::shared_ptr<const EventBatch>> batches_;
  std::size_t events_ = 0;
  RecordSizes sizes_;
  std::uint64_t dropped_ = 0;  // the index of the newest batch that was dropped; 0 if none was
  std::uint64_t last_index_ = 0;
};

}  // namespace drover
