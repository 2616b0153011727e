// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The extension drover.progress, as drivers call it. Any thread.
#include "host/plugin/progress/progress_service.h"

#include "drover/drover_progress.h"
#include "host/abi/progress_values.h"
#include "host/plugin/plugin_host.h"
#include "host/plugin/progress/progress_table.h"
#include "host/plugin/traced.h"

namespace drover {
namespace {

std::int32_t ReportProgress(const drover_host* face, std::uint64_t call,
                            const drover_progress_report* report) {
  const auto host = PluginHost::From(face);
  if (!host) return 0;
  Result<TaskProgress> progress = ReadProgress(report);
  if (!progress.ok()) {
    host->Log(PluginLogLevel::kWarn,
              "a report of progress is dropped: " + progress.error().message());
    return 0;
  }
  return host->progress().Report(call, std::move(*progress)) ? 1 : 0;
}

std::int32_t ExtendCall(const drover_host* face, std::uint64_t call, std::int64_t more) {
  const auto host = PluginHost::From(face);
  return host && host->calls().Extend(call, Duration(more)) ? 1 : 0;
}

const drover_progress kProgress = {sizeof(drover_progress), 0,
                                   Traced<"progress.report", ReportProgress>::Call,
                                   Traced<"progress.extend", ExtendCall>::Call};

}  // namespace

const void* ProgressExtension() { return &kProgress; }

}  // namespace drover
