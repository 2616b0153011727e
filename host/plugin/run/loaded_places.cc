// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The places of runs whose processes an engine starts (drover.task-place).
#include "host/plugin/loaded_driver.h"

namespace drover {

bool LoadedDriver::RanOutOfMemory(const RunId& run, const PluginHost::Run& known,
                                  const ExitResult& result) const {
  return known.placed && !result.Successful() && host_->processes()->PlaceOomKills(run) > 0;
}

}  // namespace drover
