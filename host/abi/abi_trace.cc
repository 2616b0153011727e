// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/abi/abi_trace.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "host/abi/abi_names.h"

namespace drover {
namespace {

void Print(const char* what, const std::string& plugin, const char* function, std::uint64_t id,
           const RunId& run, TimePoint began, std::int32_t status) {
  const double ms = std::chrono::duration<double, std::milli>(BootClock::now() - began).count();
  const std::string name = run == RunId() ? std::string("-") : run.Short();
  // One call of fprintf writes the whole line, so the lines of several threads do not mix.
  std::fprintf(stderr, "abi %s %s %s id=%llu run=%s %.3fms %s\n", plugin.c_str(), what, function,
               static_cast<unsigned long long>(id), name.c_str(), ms, StatusName(status).data());
}

}  // namespace

bool TracesAbi() {
  static const bool traces = [] {
    const char* value = std::getenv("DROVER_TRACE");
    return value != nullptr && std::strstr(value, "abi") != nullptr;
  }();
  return traces;
}

void TraceReturn(const std::string& plugin, const char* function, std::uint64_t id,
                 const RunId& run, TimePoint began, std::int32_t status) {
  if (TracesAbi()) Print("return", plugin, function, id, run, began, status);
}

void TraceCompletion(const std::string& plugin, const char* verb, std::uint64_t id,
                     const RunId& run, TimePoint began, std::int32_t status) {
  if (TracesAbi()) Print("complete", plugin, verb, id, run, began, status);
}

void TraceDone(const std::string& plugin, const char* service, TimePoint began,
               std::int32_t status) {
  if (TracesAbi()) Print("done", plugin, service, 0, RunId(), began, status);
}

}  // namespace drover
