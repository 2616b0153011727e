// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The places of runs whose processes an engine starts (drover.task-place).
#include "host/plugin/loaded_driver.h"

namespace drover {

// The driver knows nothing of the run, so nobody else would remove what an earlier agent has made.
Co<void> LoadedDriver::RemovePlaceOf(RunId run) {
  if (host_->processes() == nullptr || !host_->processes()->HasPlace(run)) co_return;
  const Context patient = life_.Child();
  const Status released = co_await host_->processes()->Release(patient, run);
  if (released.ok()) co_return;
  host_->Log(PluginLogLevel::kWarn, "removing its place: " + released.error().message(), &run);
}

bool LoadedDriver::RanOutOfMemory(const RunId& run, const PluginHost::Run& known,
                                  const ExitResult& result) const {
  return known.placed && !result.Successful() && host_->processes()->PlaceOomKills(run) > 0;
}

}  // namespace drover
