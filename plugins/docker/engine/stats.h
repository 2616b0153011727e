// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "drover/types.hpp"

namespace drover_docker {

// Turns the statistics of one container into those of the SDK. A usage of the processor needs two
// samples: it keeps the last one, or takes the one that the engine repeats in "precpu_stats".
// One object per stream; not thread-safe.
class StatsReader {
 public:
  // MHZ_PER_CORE: for total_ticks; 0 leaves them out.
  explicit StatsReader(double mhz_per_core = 0) : mhz_per_core_(mhz_per_core) {}

  // Returns the sample, or nothing if JSON has none, as that of a container that has ended. A
  // member that JSON does not have is not marked as measured.
  std::optional<drover::Stats> Read(const nlohmann::json& json);

 private:
  struct Cpu {
    std::uint64_t total = 0, user = 0, kernel = 0;  // ns
    std::uint64_t system = 0;                       // ns of all cores of the machine; 0: unknown
    std::int64_t read_at = 0;                       // ns since 1970; 0: unknown
    std::uint64_t cores = 0;                        // 0: unknown
    bool present = false;
  };
  static Cpu ReadCpu(const nlohmann::json& cpu, std::int64_t read_at);
  void AddCpu(const Cpu& before, const Cpu& now, drover::Usage* out) const;
  static void AddMemory(const nlohmann::json& memory, drover::Usage* out);

  const double mhz_per_core_;
  Cpu last_;
};

// Returns the number of processes that JSON names; 0 if it names none.
std::uint64_t PidsOf(const nlohmann::json& json);

}  // namespace drover_docker
