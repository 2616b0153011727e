// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <utility>

#include "drover/codec.hpp"
#include "drover/timer.hpp"

// Calls the asynchronous services of the host. A call either has a callback or blocks.
namespace drover {
inline namespace sdk_v1 {

// A callback for the end of an operation of a service. It is called once, on a thread of the host's
// pool, so it must not block.
template <typename T>
using Done = std::function<void(Outcome<T>)>;

namespace abi {

// The context of one call of a service of the host. The function Finish frees the context. If the
// service refuses the call, the function Returned frees it instead. Finish reads the result even if
// the gate is closed, since the driver must close the descriptors in the result. Finish calls DONE
// inside the gate.
class PendingBase {
 public:
  explicit PendingBase(std::shared_ptr<Gate> gate) : gate_(std::move(gate)) {}
  virtual ~PendingBase() = default;

  DROVER_SDK_ONCE static void Finish(void* context, const drover_error* error,
                                     const void* result) noexcept {
    std::unique_ptr<PendingBase> self(static_cast<PendingBase*>(context));
    try {
      self->Read(error, result);
    } catch (...) {  // outcome_ keeps its initial error, "out of memory"
    }
    RunInside(self->gate_, [&] { self->Deliver(); });
  }
  // Handles the CODE that the service has returned. If CODE is an error, calls DONE with the error
  // on this thread.
  DROVER_SDK_ONCE static void Returned(std::unique_ptr<PendingBase> self, std::int32_t code,
                                       const drover_error& error) {
    if (code == DROVER_OK) {
      self.release();
      return;
    }
    self->Fail(ReadError(code, error));
    self->Deliver();
  }
  DROVER_SDK_ONCE void Read(const drover_error* error, const void* result) {
    if (error != nullptr) return Fail(ReadError(error));
    try {
      Decode(result);
    } catch (...) {
      Fail(CurrentError());
    }
  }

  virtual void Decode(const void* result) = 0;
  virtual void Fail(Error error) = 0;
  virtual void Deliver() = 0;

 private:
  const std::shared_ptr<Gate> gate_;
};

template <typename T>
class Pending final : public PendingBase {
 public:
  Pending(std::shared_ptr<Gate> gate, T (*decode)(const void*), Done<T> done)
      : PendingBase(std::move(gate)), decode_(decode), done_(std::move(done)) {}

  void Decode(const void* result) override { outcome_ = decode_(result); }
  void Fail(Error error) override { outcome_ = std::move(error); }
  void Deliver() override { done_(std::move(outcome_)); }

 private:
  T (*const decode_)(const void*);
  const Done<T> done_;
  Outcome<T> outcome_{Error(Code::kResourceExhausted, "the driver is out of memory")};
};

// Calls FUNCTION(done, context, error, code). If the service refuses the operation, DONE gets the
// error before CallService returns.
DROVER_SDK_ONCE inline void CallService(
    std::unique_ptr<PendingBase> pending,
    Ref<drover_done, void*, drover_error*, std::int32_t*> function) {
  drover_error error = EmptyError();
  std::int32_t code = DROVER_OK;
  function(&PendingBase::Finish, pending.get(), &error, &code);
  PendingBase::Returned(std::move(pending), code, error);
}

// A result for which one thread waits, and which another thread delivers. Only a thread of the
// driver or of the driver's pools may wait. A thread of the host must never wait, since the same
// thread may have to deliver the result.
class LandingBase {
 public:
  // Waits until the result has been delivered or the gate closes.
  DROVER_SDK_ONCE void Await(Gate* gate, const std::shared_ptr<LandingBase>& self) {
    std::uint64_t waker = gate->OnClose([self] { self->Come(); });
    std::unique_lock<std::mutex> lock(mutex_);
    while (!come_) changed_.wait(lock);
    lock.unlock();
    gate->Forget(waker);
  }

 protected:
  void Come() {
    std::lock_guard<std::mutex> lock(mutex_);
    come_ = true;
    changed_.notify_all();
  }
  std::mutex mutex_;
  std::condition_variable changed_;
  bool come_ = false;
};

// Makes the blocking form of a service from the form with a callback. Pass done() as the callback,
// and then call Take, which waits.
template <typename T>
class Landing {
 public:
  Done<T> done() const {
    return [state = state_](Outcome<T> outcome) { state->Set(std::move(outcome)); };
  }
  T Take(const std::shared_ptr<Gate>& gate) const {
    state_->Await(gate.get(), state_);
    return state_->outcome.value();
  }

 private:
  struct State : LandingBase {
    void Set(Outcome<T> value) {
      {
        std::lock_guard<std::mutex> lock(mutex_);
        if (come_) return;
        outcome = std::move(value);
      }
      Come();
    }
    Outcome<T> outcome{Error(Code::kUnavailable, "the driver is shutting down")};
  };
  const std::shared_ptr<State> state_ = std::make_shared<State>();
};

inline Empty DecodeEmpty(const void*) { return Empty{}; }

}  // namespace abi
}  // namespace sdk_v1
}  // namespace drover
