// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>
#include <tuple>
#include <type_traits>

#include "drover/drover.h"
#include "host/abi/abi_names.h"
#include "host/abi/abi_read.h"
#include "host/abi/abi_trace.h"
#include "host/plugin/plugin_host.h"

namespace drover {

// A string literal that can be a template argument.
template <std::size_t kSize>
struct FunctionName {
  constexpr FunctionName(const char (&from)[kSize]) {  // NOLINT: implicit
    for (std::size_t i = 0; i < kSize; ++i) text[i] = from[i];
  }
  char text[kSize];
};

// Wraps a function of the host that drivers call. The member function Call calls the wrapped
// function and writes one line to the trace. The line contains a run, and the id of a call, stream
// or timer. Call recognizes these two arguments by their types. If the function has an error
// argument, the line shows the result as a status.
template <FunctionName kName, auto kFunction>
struct Traced;

template <FunctionName kName, typename Return, typename... Args,
          Return (*kFunction)(const drover_host*, Args...)>
struct Traced<kName, kFunction> {
  static Return Call(const drover_host* face, Args... args) {
    if (!TracesAbi()) return kFunction(face, args...);
    const TimePoint began = BootClock::now();
    if constexpr (std::is_void_v<Return>) {
      kFunction(face, args...);
      Print(face, began, "-", args...);
    } else {
      const Return result = kFunction(face, args...);
      Print(face, began, Describe(result), args...);
      return result;
    }
  }

 private:
  static constexpr bool kFallible = (std::is_same_v<Args, drover_error*> || ...);

  template <typename T>
  static std::string Describe(T result) {
    if constexpr (std::is_pointer_v<T>) {
      return result == nullptr ? "null" : "found";
    } else if constexpr (kFallible) {
      return std::string(StatusName(result));
    } else {
      return std::to_string(result);
    }
  }
  static void Print(const drover_host* face, TimePoint began, const std::string& said,
                    const Args&... args) {
    const auto host = PluginHost::From(face);
    std::uint64_t id = 0;
    std::string run = "-";
    const auto look = [&](const auto& arg) {
      using T = std::remove_cvref_t<decltype(arg)>;
      if constexpr (std::is_same_v<T, std::uint64_t>) id = arg;
      if constexpr (std::is_same_v<T, const drover_run_id*>) {
        if (arg != nullptr) run = ReadRunId(*arg).Short();
      }
    };
    (look(args), ...);
    const double ms = std::chrono::duration<double, std::milli>(BootClock::now() - began).count();
    // One call of fprintf writes the whole line, so the lines of several threads do not mix.
    std::fprintf(stderr, "abi %s host %s id=%llu run=%s %.3fms %s\n",
                 host ? host->plugin().c_str() : "-", kName.text,
                 static_cast<unsigned long long>(id), run.c_str(), ms, said.c_str());
  }
};

}  // namespace drover
