// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string_view>
#include <type_traits>
#include <utility>

#include "drover/drover_pause.h"
#include "drover/entry.hpp"

// Pause for drivers written in C++. Like drover_pause.h, this is a DRAFT without a promise.
//
//   class MyDriver : public drover::Driver {
//    public:
//     static drover::Info Describe();  // with DROVER_CAP_PAUSE in offers
//     // One of these two. The first one may block. The second one must return soon.
//     void Pause(const drover::RunId& run, bool paused, const drover::CallView& call);
//     void PauseAsync(bool paused, drover::Call<drover::Empty> call);
//     const void* Extension(std::string_view id) override {
//       return drover::TaskPauseOf<MyDriver>(id);
//     }
//   };
namespace drover {
inline namespace sdk_v1 {
namespace abi {

template <typename D, typename = void>
struct HasPauseAsync : std::false_type {};
template <typename D>
struct HasPauseAsync<
    D, std::void_t<decltype(std::declval<D&>().PauseAsync(true, std::declval<Call<Empty>>()))>>
    : std::true_type {};

// The C function of the class D, which has the method Pause or PauseAsync.
template <typename D>
std::int32_t PauseThunk(drover_instance* self, const drover_call* call,
                        const drover_pause_args* args, drover_error* error) noexcept {
  return Accept(self, call, error, [&](Instance& to, std::shared_ptr<CallState> open) {
    const bool paused = Sized(args, "the arguments of pause").paused != 0;
    D& driver = static_cast<D&>(to.driver());
    Call<Empty> owed(std::move(open));
    if constexpr (HasPauseAsync<D>::value) {
      driver.PauseAsync(paused, std::move(owed));
    } else {
      Host(to.core()).Post([&driver, paused, owed] {
        owed.Run([&] {
          driver.Pause(owed.run_id(), paused, owed);
          return Empty{};
        });
      });
    }
  });
}

}  // namespace abi

// The function table of the class D for pauses, or null if ID is another id.
template <typename D>
const void* TaskPauseOf(std::string_view id) noexcept {
  static const drover_task_pause kPause = {sizeof(drover_task_pause), 0, &abi::PauseThunk<D>};
  return id == DROVER_TASK_PAUSE_ID ? &kPause : nullptr;
}

}  // namespace sdk_v1
}  // namespace drover
