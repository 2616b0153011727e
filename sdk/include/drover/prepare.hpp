// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "drover/drover_prepare.h"
#include "drover/entry.hpp"

// The part of a driver that prepares tasks before they start, written in C++. docs/prepare.md
// explains it. Like drover_prepare.h, this is a DRAFT without a promise. A driver has these
// methods, and returns the table from its Extension:
//
//   // What TASK needs; empty: nothing. It must be quick. [any-thread]
//   std::string PrepareKey(const drover::TaskConfig& task);
//   // Fetches it. It runs on a thread of Lane::kPrepare and may block. It should return soon after
//   // CALL is cancelled.
//   drover::Prepared Prepare(const drover::TaskConfig& task, const drover::CallView& call);
//   // Instead of Prepare: begins to fetch it, and completes CALL later. [any-thread]
//   void PrepareAsync(drover::TaskConfig task, drover::Call<drover::Prepared> call);
//   // Both may block. RemovePrepared throws kNotFound if there is no such thing.
//   std::vector<drover::PreparedItem> ListPrepared();
//   void RemovePrepared(const std::string& key);
//
//   const void* Extension(std::string_view id) override {
//     return drover::TaskPrepareOf<MyDriver>(id);
//   }
namespace drover {
inline namespace sdk_v1 {

// What Prepare has made. The members are those of drover_prepare_result.
struct Prepared {
  std::uint64_t size = 0;  // in bytes on the disk; 0: unknown
};

// A thing that is there. The members are those of drover_prepared_item.
struct PreparedItem {
  std::string key;
  std::uint64_t size = 0;      // in bytes on the disk; 0: unknown
  std::int64_t last_used = 0;  // in ns since 1970; 0: unknown
};

template <>
inline void Call<Prepared>::Complete(const Prepared& value) const {
  state_->CompleteBy([&] {
    drover_prepare_result out = abi::Make<drover_prepare_result>();
    out.size = value.size;
    state_->Complete(nullptr, &out);
  });
}

namespace abi {

template <typename D, typename = void>
struct HasPrepareAsync : std::false_type {};
template <typename D>
struct HasPrepareAsync<D, std::void_t<decltype(std::declval<D&>().PrepareAsync(
                              std::declval<TaskConfig>(), std::declval<Call<Prepared>>()))>>
    : std::true_type {};

DROVER_SDK_ONCE inline void CompletePrepared(const std::vector<PreparedItem>& items,
                                             CallState& call) {
  std::vector<drover_prepared_item> raw;
  raw.reserve(items.size());
  for (const PreparedItem& item : items) {
    drover_prepared_item out = Make<drover_prepared_item>();
    out.key = Str(item.key);
    out.size = item.size;
    out.last_used = item.last_used;
    raw.push_back(out);
  }
  drover_prepared_list list = Make<drover_prepared_list>();
  list.items = Array(raw);
  call.Complete(nullptr, &list);
}

// The C functions of the class D.
template <typename D>
struct PrepareThunks {
  static D& Of(Instance& instance) { return static_cast<D&>(instance.driver()); }

  static std::int32_t key(drover_instance* self, const drover_call* call,
                          const drover_prepare_key_args* args, drover_error* error) noexcept {
    return Accept(self, call, error, [&](Instance& to, std::shared_ptr<CallState> open) {
      const drover_prepare_key_args in = Sized(args, "the arguments of key");
      const std::string text = Of(to).PrepareKey(DecodeTaskConfig(in.config));
      drover_prepare_key_result out = Make<drover_prepare_key_result>();
      out.key = Str(text);
      open->Complete(nullptr, &out);
    });
  }

  static std::int32_t prepare(drover_instance* self, const drover_call* call,
                              const drover_prepare_args* args, drover_error* error) noexcept {
    return Accept(self, call, error, [&](Instance& to, std::shared_ptr<CallState> open) {
      TaskConfig task = DecodeTaskConfig(Sized(args, "the arguments of prepare").config);
      Call<Prepared> prepared(std::move(open));
      if constexpr (HasPrepareAsync<D>::value) {
        Of(to).PrepareAsync(std::move(task), std::move(prepared));
      } else {
        D* const driver = &Of(to);
        auto shared = std::make_shared<TaskConfig>(std::move(task));
        const auto work = [driver, shared, prepared] {
          if (prepared.cancelled()) return prepared.Fail(GivenUpInQueue());
          prepared.Run([&] { return driver->Prepare(*shared, prepared); });
        };
        Host(to.core()).Post(work, Lane::kPrepare);
      }
    });
  }

  static std::int32_t list(drover_instance* self, const drover_call* call,
                           const drover_prepared_list_args*, drover_error* error) noexcept {
    return Accept(self, call, error, [&](Instance& to, std::shared_ptr<CallState> open) {
      D* const driver = &Of(to);
      Host(to.core()).Post(
          [driver, open] { open->Try([&] { CompletePrepared(driver->ListPrepared(), *open); }); });
    });
  }

  static std::int32_t remove(drover_instance* self, const drover_call* call,
                             const drover_prepared_remove_args* args,
                             drover_error* error) noexcept {
    return Accept(self, call, error, [&](Instance& to, std::shared_ptr<CallState> open) {
      D* const driver = &Of(to);
      const std::string key = Text(Sized(args, "the arguments of remove").key);
      const Call<Empty> removed(std::move(open));
      Host(to.core()).Post([driver, key, removed] {
        removed.Run([&] {
          driver->RemovePrepared(key);
          return Empty{};
        });
      });
    });
  }
};

}  // namespace abi

// The function table of the class D, or null if ID is another id.
template <typename D>
const void* TaskPrepareOf(std::string_view id) noexcept {
  using T = abi::PrepareThunks<D>;
  static const drover_task_prepare kTable = {
      sizeof(drover_task_prepare), 0, &T::key, &T::prepare, &T::list, &T::remove};
  return id == DROVER_TASK_PREPARE_ID ? &kTable : nullptr;
}

}  // namespace sdk_v1
}  // namespace drover
