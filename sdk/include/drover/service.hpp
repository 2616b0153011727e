// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "drover/codec.hpp"
#include "drover/timer.hpp"

// How the asynchronous services of the host are called: with a callback, or blocking.
namespace drover {
inline namespace sdk_v0 {

// Called once when a service has ended, on a thread of the host's pool: it must not block.
template <typename T>
using Done = std::function<void(Outcome<T>)>;

namespace abi {

// The context of one call of a service: freed by the host's callback, or by the caller when the
// service refused.
template <typename T>
struct Pending {
  std::shared_ptr<Gate> gate;
  T (*decode)(const void*);
  Done<T> done;

  static void Finish(void* context, const drover_error* error, const void* result) noexcept {
    std::unique_ptr<Pending> self(static_cast<Pending*>(context));
    try {
      // Read in any case: what was given with the result is ours now.
      Outcome<T> outcome = self->Read(error, result);
      RunInside(self->gate, [&] { self->done(std::move(outcome)); });
    } catch (...) {
      RunInside(self->gate, [&] {
        self->done(Error(Code::kResourceExhausted, "the driver is out of memory"));
      });
    }
  }
  Outcome<T> Read(const drover_error* error, const void* result) const {
    if (error != nullptr) return ReadError(error);
    try {
      return decode(result);
    } catch (...) {
      return CurrentError();
    }
  }
};

// Calls FUNCTION(done, context, error); a refusal comes through DONE too, before this returns.
template <typename T, typename Function>
void CallService(const std::shared_ptr<Gate>& gate, T (*decode)(const void*), Done<T> done,
                 Function&& function) {
  auto pending = std::make_unique<Pending<T>>(Pending<T>{gate, decode, std::move(done)});
  drover_error error = EmptyError();
  std::int32_t code = function(&Pending<T>::Finish, pending.get(), &error);
  if (code == DROVER_OK) {
    pending.release();
  } else {
    pending->done(ReadError(code, error));
  }
}

// Runs START(done) and waits for its end. Only for threads that may block: the driver's own and
// those of its pool; never one of the host's, which the end may need.
template <typename T, typename Start>
T Await(const std::shared_ptr<Gate>& gate, Start&& start) {
  struct State {
    std::mutex mutex;
    std::condition_variable changed;
    std::optional<Outcome<T>> outcome;

    void Set(Outcome<T> value) {
      std::lock_guard<std::mutex> lock(mutex);
      if (outcome) return;
      outcome.emplace(std::move(value));
      changed.notify_all();
    }
  };
  auto state = std::make_shared<State>();
  start(Done<T>([state](Outcome<T> outcome) { state->Set(std::move(outcome)); }));
  std::uint64_t waker = gate->OnClose(
      [state] { state->Set(Error(Code::kUnavailable, "the driver is shutting down")); });
  std::unique_lock<std::mutex> lock(state->mutex);
  state->changed.wait(lock, [&] { return state->outcome.has_value(); });
  lock.unlock();
  gate->Forget(waker);
  return state->outcome->value();
}

inline Empty DecodeEmpty(const void*) { return Empty{}; }

}  // namespace abi
}  // namespace sdk_v0
}  // namespace drover
