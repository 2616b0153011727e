// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/byte_budget.h"

#include <string>

namespace drover {

ByteBudget::~ByteBudget() { DROVER_CHECK(waiters_.empty() && left_ == all_); }

Co<Result<ByteBudget::Share>> ByteBudget::Take(Context context, std::size_t bytes) {
  if (bytes > all_) {
    co_return Error(Code::kResourceExhausted, "there are only " + std::to_string(all_) + " bytes");
  }
  const auto waiter = std::make_shared<Waiter>(context.loop(), bytes);
  {
    const std::lock_guard lock(mutex_);
    if (waiters_.empty() && bytes <= left_) {
      left_ -= bytes;
      co_return Share(this, bytes);
    }
    waiters_.push_back(waiter);
  }
  const Status granted = co_await waiter->granted.Wait(context);
  {
    const std::lock_guard lock(mutex_);
    if (!waiter->has) {
      waiters_.remove(waiter);
      GrantLocked();  // the next waiters may have room now
    }
  }
  // Bytes that were granted meanwhile are returned, or go back with the share after an error.
  Share share(waiter->has ? this : nullptr, waiter->has ? bytes : 0);
  if (!granted.ok()) co_return granted.error();
  co_return share;
}

void ByteBudget::Share::ShrinkTo(std::size_t bytes) {
  if (of_ == nullptr || bytes >= bytes_) return;
  of_->Give(bytes_ - bytes);
  bytes_ = bytes;
}

void ByteBudget::Give(std::size_t bytes) {
  const std::lock_guard lock(mutex_);
  left_ += bytes;
  GrantLocked();
}

void ByteBudget::GrantLocked() {
  while (!waiters_.empty() && waiters_.front()->bytes <= left_) {
    const std::shared_ptr<Waiter> waiter = waiters_.front();
    waiters_.pop_front();
    left_ -= waiter->bytes;
    waiter->has = true;
    // The waiter was still in the list, so its loop still exists.
    waiter->loop->Post([waiter] { waiter->granted.Set(); });
  }
}

std::size_t ByteBudget::left() const {
  const std::lock_guard lock(mutex_);
  return left_;
}

}  // namespace drover
