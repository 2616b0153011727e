// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/http/byte_budget.h"

#include <algorithm>
#include <string>

namespace drover {

ByteBudget::~ByteBudget() { DROVER_CHECK(waiters_.empty() && left_ == all_); }

Co<Result<ByteBudget::Share>> ByteBudget::Take(Context context, std::size_t bytes, Owner owner) {
  if (bytes > all_) {
    co_return Error(Code::kResourceExhausted, "there are only " + std::to_string(all_) + " bytes");
  }
  const auto waiter = std::make_shared<Waiter>(context.loop(), bytes, std::move(owner));
  {
    const std::lock_guard lock(mutex_);
    if (waiters_.empty() && bytes <= left_) {
      TakeLocked(waiter.get());
      co_return Share(this, bytes, waiter->owned);
    }
    waiters_.push_back(waiter);
    GrantLocked();
  }
  Status granted;
  // The budget demands back only shares that are older than kGrace. More shares reach this age
  // while this request waits, so the loop calls GrantLocked again after each pause.
  for (Duration pause = kGrace;; pause *= 2) {
    const Context turn = context.WithTimeout(pause);
    granted = co_await waiter->granted.Wait(turn);
    if (granted.ok() || context.cancelled()) break;
    const std::lock_guard lock(mutex_);
    GrantLocked();
  }
  {
    const std::lock_guard lock(mutex_);
    if (!waiter->has) {
      waiters_.remove(waiter);
      GrantLocked();  // the next waiters may have room now
    }
  }
  // The budget may have granted the bytes just before CONTEXT ended. So SHARE owns the bytes even
  // then. If this function returns an error, the destructor of SHARE returns the bytes to the
  // budget.
  Share share(waiter->has ? this : nullptr, waiter->has ? bytes : 0, waiter->owned);
  if (!granted.ok()) co_return context.status().error();
  co_return share;
}

void ByteBudget::Share::ShrinkTo(std::size_t bytes) {
  if (of_ == nullptr) return;
  const std::size_t rest = std::min(bytes, bytes_);
  of_->Give(bytes_ - rest, std::exchange(owned_, 0));
  bytes_ = rest;
}

void ByteBudget::Give(std::size_t bytes, std::uint64_t owned) {
  const std::lock_guard lock(mutex_);
  left_ += bytes;
  owned_.erase(owned);
  GrantLocked();
}

ByteBudget::Held ByteBudget::HeldLocked() const {
  Held held;
  for (const auto& [id, share] : owned_) {
    if (!share.asked) held[share.owner.client] += share.bytes;
  }
  return held;
}

std::shared_ptr<ByteBudget::Waiter> ByteBudget::NextLocked() const {
  const Held held = HeldLocked();
  const auto held_by = [&held](const std::shared_ptr<Waiter>& waiter) {
    const auto found = held.find(waiter->owner.client);
    return found == held.end() ? 0 : found->second;
  };
  const auto next = std::min_element(
      waiters_.begin(), waiters_.end(),
      [&](const auto& one, const auto& other) { return held_by(one) < held_by(other); });
  return next == waiters_.end() ? nullptr : *next;
}

void ByteBudget::TakeLocked(Waiter* waiter) {
  left_ -= waiter->bytes;
  waiter->has = true;
  if (!waiter->owner.give_way) return;
  waiter->owned = ++last_owned_;
  owned_[waiter->owned] = {waiter->owner, waiter->bytes, waiter->loop->Now()};
}

void ByteBudget::GrantLocked() {
  while (const std::shared_ptr<Waiter> next = NextLocked()) {
    if (next->bytes > left_) return MakeRoomLocked(*next);
    waiters_.remove(next);
    TakeLocked(next.get());
    // A waiter leaves the list before its loop ends. This waiter was still in the list, so its
    // loop still exists.
    next->loop->Post([next] { next->granted.Set(); });
  }
}

void ByteBudget::MakeRoomLocked(const Waiter& waiter) {
  std::size_t coming = left_;
  for (const auto& [id, share] : owned_) coming += share.asked ? share.bytes : 0;
  Held held = HeldLocked();
  const std::size_t own = held[waiter.owner.client];
  const TimePoint born = waiter.loop->Now() - kGrace;
  while (coming < waiter.bytes) {
    // Finds the oldest share of the client that holds the most bytes.
    Owned* of = nullptr;
    for (auto& [id, share] : owned_) {
      const std::size_t most = of == nullptr ? own : held[of->owner.client];
      if (!share.asked && share.since <= born && held[share.owner.client] > most) of = &share;
    }
    if (of == nullptr) return;
    of->asked = true;
    held[of->owner.client] -= of->bytes;
    coming += of->bytes;
    of->owner.give_way();
  }
}

std::size_t ByteBudget::left() const {
  const std::lock_guard lock(mutex_);
  return left_;
}

}  // namespace drover
