// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>

#include "drover/drover_progress.h"
#include "drover/host.hpp"

// Reports of long calls, and more time for them. docs/drivers.md explains both. Like
// drover_progress.h, this is a DRAFT without a promise.
//
//   drover::Progress progress;
//   progress.phase = "Pulling image";
//   progress.unit = "bytes";
//   progress.done = got, progress.total = size;
//   drover::Report(host(), call, progress);
//   drover::Extend(host(), call, std::chrono::minutes(1));
namespace drover {
inline namespace sdk_v1 {

// How far a call is. The members are those of drover_progress_report.
struct Progress {
  std::string phase;        // what the driver does; at most 64 bytes are shown
  std::uint64_t done = 0;   // in units
  std::uint64_t total = 0;  // 0: unknown
  std::string unit;         // "bytes", "layers", ...
  std::string text;         // at most 256 bytes are shown
};

namespace abi {

// Returns the service, or null if the host has none.
inline const drover_progress* ProgressService(const Host& host) {
  const auto* service = static_cast<const drover_progress*>(host.Extension(DROVER_PROGRESS_ID));
  return service != nullptr && DROVER_HAS(service, drover_progress, extend) ? service : nullptr;
}

}  // namespace abi

// Reports how far CALL is. The host shows at most one report of a call each second, and always the
// last one. Returns false if the report is dropped: the host has no such service, or the call is
// over. Never blocks or throws. [any-thread]
inline bool Report(const Host& host, const CallView& call, const Progress& progress) {
  const drover_progress* const service = abi::ProgressService(host);
  if (service == nullptr || call.completed()) return false;
  drover_progress_report out = abi::Make<drover_progress_report>();
  out.phase = abi::Str(progress.phase);
  out.done = progress.done;
  out.total = progress.total;
  out.unit = abi::Str(progress.unit);
  out.text = abi::Str(progress.text);
  return service->report(host.raw(), call.id(), &out) == 1;
}

// Asks that CALL may last at least MORE from now on. The host grants it up to the operator's limit,
// and CallView::remaining does not see it. Returns false if the host has no such service, or if the
// call is over. Never blocks or throws. [any-thread]
inline bool Extend(const Host& host, const CallView& call, Duration more) {
  const drover_progress* const service = abi::ProgressService(host);
  if (service == nullptr || call.completed()) return false;
  return service->extend(host.raw(), call.id(), more.count()) == 1;
}

}  // namespace sdk_v1
}  // namespace drover
