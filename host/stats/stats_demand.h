// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/base/event.h"

namespace drover {

// Counts the demands for samples. Collectors do nothing while there is no demand. The object must
// outlive its tokens and the collectors that use it. Control thread only.
class StatsDemand {
 public:
  explicit StatsDemand(Loop* loop) : some_(loop), none_(loop) { none_.Set(); }
  StatsDemand(const StatsDemand&) = delete;
  StatsDemand& operator=(const StatsDemand&) = delete;

  // One demand for samples. The demand lasts as long as the token.
  class Token {
   public:
    Token() = default;
    explicit Token(StatsDemand* demand) : demand_(demand) { demand_->Add(1); }
    Token(Token&& other) noexcept : demand_(std::exchange(other.demand_, nullptr)) {}
    Token& operator=(Token&& other) noexcept {
      Release();
      demand_ = std::exchange(other.demand_, nullptr);
      return *this;
    }
    ~Token() { Release(); }
    void Release() {
      if (demand_ != nullptr) std::exchange(demand_, nullptr)->Add(-1);
    }
    bool held() const { return demand_ != nullptr; }

   private:
    StatsDemand* demand_ = nullptr;
  };

  [[nodiscard]] Token Acquire() { return Token(this); }
  int wanted() const { return wanted_; }

  Event* some() { return &some_; }  // set while anybody wants samples
  Event* none() { return &none_; }  // set while nobody wants samples

 private:
  void Add(int change) {
    wanted_ += change;
    if (wanted_ > 0) {
      none_.Reset();
      some_.Set();
    } else {
      some_.Reset();
      none_.Set();
    }
  }

  Event some_;
  Event none_;
  int wanted_ = 0;
};

}  // namespace drover
