// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "drover/drover_task_env.h"
#include "drover/host.hpp"

// Replaces the references ${...} in texts of a driver, with the values of a run. Like
// drover_task_env.h, this is a DRAFT without a promise.
//
//   const std::string name = drover::Interpolate(host(), task.run_id, "${NOMAD_JOB_NAME}-web");
namespace drover {
inline namespace sdk_v1 {

enum class UnknownReferences {
  kStay,   // an unknown reference stays as it is
  kError,  // an unknown reference is an error, and "$${" becomes "${", as in a task's configuration
};

namespace abi {

DROVER_SDK_ONCE inline std::vector<std::string> DecodeInterpolated(const void* raw) {
  const auto in = Sized(static_cast<const drover_interpolate_result*>(raw), "the texts");
  std::vector<std::string> out;
  EachFixed<drover_str>(in.texts, "the texts",
                        [&](const drover_str* text) { out.push_back(Text(*text)); });
  return out;
}

}  // namespace abi

// True if the host replaces references in texts. [any-thread]
inline bool CanInterpolate(const Host& host) {
  return host.Extension(DROVER_TASK_ENV_ID) != nullptr;
}

// Replaces the references in TEXTS, with the values of RUN, and calls DONE once with all results in
// their order, or with an error. All texts have at most 1 MiB, before and after. Throws
// kUnimplemented if the host has no such service. [any-thread]
DROVER_SDK_ONCE inline void InterpolateAsync(const Host& host, const RunId& run,
                                             const std::vector<std::string>& texts,
                                             Done<std::vector<std::string>> done,
                                             UnknownReferences unknown = UnknownReferences::kStay) {
  const auto* service = static_cast<const drover_task_env*>(host.Extension(DROVER_TASK_ENV_ID));
  if (service == nullptr || !DROVER_HAS(service, drover_task_env, interpolate)) {
    throw Error(Code::kUnimplemented, "the host replaces no references (drover.task-env)");
  }
  const drover_run_id raw = abi::Encode(run);
  std::vector<drover_str> strs = abi::Strs(texts);
  auto args = abi::Make<drover_interpolate_args>();
  args.flags = unknown == UnknownReferences::kError ? DROVER_TASK_ENV_STRICT : 0;
  args.texts = abi::Array(strs);
  abi::CallService(std::make_unique<abi::Pending<std::vector<std::string>>>(
                       host.core()->gate, &abi::DecodeInterpolated, std::move(done)),
                   [&](drover_done finish, void* context, drover_error* error, std::int32_t* code) {
                     *code = service->interpolate(host.raw(), &raw, &args, finish, context, error);
                   });
}

// Does the same, and returns the results. It blocks, so only the driver's own threads may call it,
// such as those of the blocking methods. Throws Error.
inline std::vector<std::string> InterpolateAll(
    const Host& host, const RunId& run, const std::vector<std::string>& texts,
    UnknownReferences unknown = UnknownReferences::kStay) {
  abi::Landing<std::vector<std::string>> landing;
  InterpolateAsync(host, run, texts, landing.done(), unknown);
  return landing.Take(host.core()->gate);
}

// Does the same for one text.
inline std::string Interpolate(const Host& host, const RunId& run, std::string_view text,
                               UnknownReferences unknown = UnknownReferences::kStay) {
  std::vector<std::string> out =
      InterpolateAll(host, run, std::vector<std::string>{std::string(text)}, unknown);
  return out.empty() ? std::string() : std::move(out.front());
}

}  // namespace sdk_v1
}  // namespace drover
