// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "bench/options.h"

#include <charconv>
#include <cstdio>
#include <cstring>
#include <string>

namespace drover::bench {
namespace {

constexpr char kUsage[] =
    "Usage: %s [TASKS] [--rounds N] [--idle N]\n"
    "\n"
    "Measures the cost of a task against the lowest possible cost, and the memory and\n"
    "descriptors of idle tasks; see bench/README.md.\n"
    "\n"
    "  TASKS       tasks of one round (%d)\n"
    "  --rounds N  rounds, of which the median counts (%d)\n"
    "  --idle N    tasks that are idle together (%d); 0: do not measure them\n";
constexpr char kUsageWithoutIdle[] =
    "Usage: %s [TASKS] [--rounds N]\n"
    "\n"
    "Measures the cost of a call; see bench/README.md.\n"
    "\n"
    "  TASKS       tasks of one round; each call is made once for each (%d)\n"
    "  --rounds N  rounds, of which the median counts (%d)\n";

bool ReadNumber(const char* text, int least, int* value) {
  const char* const end = text + std::strlen(text);
  const auto [rest, error] = std::from_chars(text, end, *value);
  return error == std::errc() && rest == end && *value >= least && *value <= 1'000'000;
}

}  // namespace

std::optional<Options> ReadOptions(const char* program, Options defaults, int argc, char** argv,
                                   int* exit_code) {
  Options options = defaults;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "-h" || word == "--help") {
      if (defaults.idle == kNoIdle) {
        std::printf(kUsageWithoutIdle, program, defaults.tasks, defaults.rounds);
      } else {
        std::printf(kUsage, program, defaults.tasks, defaults.rounds, defaults.idle);
      }
      *exit_code = 0;
      return std::nullopt;
    }
    int* value = word == "--rounds"                            ? &options.rounds
                 : word == "--idle" && options.idle != kNoIdle ? &options.idle
                                                               : nullptr;
    const char* text = argv[i];
    if (value != nullptr) {
      text = ++i < argc ? argv[i] : "";
    } else {
      value = &options.tasks;
    }
    if (!ReadNumber(text, value == &options.idle ? 0 : 1, value)) {
      std::fprintf(stderr, "%s: \"%s\" is no number of %s; see --help\n", program, text,
                   value == &options.tasks ? "tasks" : word.c_str());
      *exit_code = 2;
      return std::nullopt;
    }
  }
  return options;
}

}  // namespace drover::bench
