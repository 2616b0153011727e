// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drover/drover_capabilities.h"
#include "drover/entry.hpp"

// What the tasks of a driver may want of it, for drivers written in C++. Like
// drover_capabilities.h, this is a DRAFT without a promise.
//
//   class MyDriver : public drover::Driver {
//    public:
//     static drover::Info Describe();  // with DROVER_CAP_CAPABILITIES in offers
//     static drover::Capabilities GetCapabilities();
//     const void* Extension(std::string_view id) override {
//       return drover::CapabilitiesOf<MyDriver>(id);
//     }
//   };
namespace drover {
inline namespace sdk_v1 {

// The members are those of drover_capabilities. What is absent, the driver says nothing about.
struct Capabilities {
  std::optional<std::vector<std::string>> network_modes;
  std::optional<std::vector<std::string>> mount_kinds;
  std::optional<std::vector<std::string>> propagations;
  std::optional<std::vector<std::string>> signals;
  std::optional<bool> users;
  std::optional<bool> hostname;
  std::optional<bool> dns;
  std::optional<bool> labels;
  std::optional<bool> remote;
  std::optional<bool> must_create_network;
  unsigned parallel_starts = 0;  // 0 means no limit
  std::vector<std::string> sensitive;
};

namespace abi {

DROVER_SDK_ONCE inline void WithCapabilities(const Capabilities& in, Ref<const void*> use) {
  drover_capabilities out = Make<drover_capabilities>();
  const std::vector<std::string> none;
  const auto list = [&](const std::optional<std::vector<std::string>>& texts, std::uint64_t bit) {
    if (texts) out.says |= bit;
    return Strs(texts ? *texts : none);
  };
  const auto question = [&](const std::optional<bool>& answer, std::uint64_t bit) {
    if (answer) out.says |= bit;
    if (answer && *answer) out.can |= bit;
  };
  const std::vector<drover_str> modes = list(in.network_modes, DROVER_SAYS_NETWORK_MODES);
  const std::vector<drover_str> kinds = list(in.mount_kinds, DROVER_SAYS_MOUNT_KINDS);
  const std::vector<drover_str> ways = list(in.propagations, DROVER_SAYS_PROPAGATIONS);
  const std::vector<drover_str> signals = list(in.signals, DROVER_SAYS_SIGNALS);
  const std::vector<drover_str> sensitive = Strs(in.sensitive);
  question(in.users, DROVER_SAYS_USERS);
  question(in.hostname, DROVER_SAYS_HOSTNAME);
  question(in.dns, DROVER_SAYS_DNS);
  question(in.labels, DROVER_SAYS_LABELS);
  question(in.remote, DROVER_SAYS_REMOTE);
  question(in.must_create_network, DROVER_SAYS_MUST_CREATE_NETWORK);
  out.parallel_starts = in.parallel_starts;
  out.network_modes = Array(modes);
  out.mount_kinds = Array(kinds);
  out.propagations = Array(ways);
  out.signals = Array(signals);
  out.sensitive = Array(sensitive);
  use(&out);
}

}  // namespace abi

template <>
inline void Call<Capabilities>::Complete(const Capabilities& value) const {
  state_->CompleteBy([&] {
    abi::WithCapabilities(value, [&](const void* result) { state_->Complete(nullptr, result); });
  });
}

namespace abi {

// The C function of the class D, which has the static method GetCapabilities.
template <typename D>
std::int32_t CapabilitiesThunk(drover_instance* self, const drover_call* call,
                               const drover_capabilities_args*, drover_error* error) noexcept {
  return Accept(self, call, error, [&](Instance&, std::shared_ptr<CallState> open) {
    Call<Capabilities>(std::move(open)).Complete(D::GetCapabilities());
  });
}

}  // namespace abi

// The function table of the capabilities of the class D, or null if ID is another id.
template <typename D>
const void* CapabilitiesOf(std::string_view id) noexcept {
  static const drover_capable kCapable = {sizeof(drover_capable), 0, &abi::CapabilitiesThunk<D>};
  return id == DROVER_CAPABILITIES_ID ? &kCapable : nullptr;
}

}  // namespace sdk_v1
}  // namespace drover
