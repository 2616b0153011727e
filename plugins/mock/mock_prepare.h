// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "drover/prepare.hpp"
#include "mock_config.h"

namespace mock {

// Simulates what tasks need before they start. What is prepared exists only in this object. No
// thread waits: prepare uses timers. [any-thread]
class MockPrepares : public std::enable_shared_from_this<MockPrepares> {
 public:
  explicit MockPrepares(drover::Host host) : host_(std::move(host)) {}

  // Appends a line to the file PATH for each prepare that begins or ends, and each removal. An
  // empty PATH means none.
  void SetLog(std::string path);
  // Prepares the key of SPEC, and reports progress meanwhile. Completes CALL at once if the key is
  // prepared already.
  void Begin(TaskSpec spec, drover::Call<drover::Prepared> call);
  std::vector<drover::PreparedItem> List();
  void Remove(const std::string& key);

 private:
  struct Work {
    TaskSpec spec;
    drover::Call<drover::Prepared> call;
    std::int64_t began;
  };

  void Continue(const std::shared_ptr<Work>& work);
  void Finish(const Work& work);
  void Note(const std::string& line);

  const drover::Host host_;
  std::mutex mutex_;  // guards the members below
  std::string log_;
  std::map<std::string, drover::PreparedItem> items_;
};

}  // namespace mock
