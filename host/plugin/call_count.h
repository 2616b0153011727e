// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/event.h"

namespace drover {

// Counts the calls of one kind that are inside a driver. Control thread only.
class CallCount {
 public:
  explicit CallCount(Loop* loop) : none_(loop) { none_.Set(); }

  int calls() const { return calls_; }
  // Returns the event that is set while no call is inside the driver.
  Event* none() { return &none_; }

  // Counts one call for as long as this object lives.
  class Inside {
   public:
    explicit Inside(CallCount* count) : count_(count) {
      ++count_->calls_;
      count_->none_.Reset();
    }
    Inside(const Inside&) = delete;
    Inside& operator=(const Inside&) = delete;
    ~Inside() {
      if (--count_->calls_ == 0) count_->none_.Set();
    }

   private:
    CallCount* const count_;
  };

 private:
  int calls_ = 0;
  Event none_;
};

}  // namespace drover
