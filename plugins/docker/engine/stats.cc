// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/stats.h"

#include <algorithm>

#include "drover/drover.h"
#include "engine/json_read.h"

namespace drover_docker {
namespace {

void Measure(std::uint64_t bit, std::uint64_t value, std::uint64_t* member, drover::Usage* out) {
  *member = value;
  out->measured |= bit;
}

bool HasNumber(const nlohmann::json& json, std::string_view key) {
  return At(json, {key}).is_number();
}

}  // namespace

StatsReader::Cpu StatsReader::ReadCpu(const nlohmann::json& cpu, std::int64_t read_at) {
  Cpu out;
  const nlohmann::json& usage = At(cpu, {"cpu_usage"});
  if (!usage.is_object()) return out;
  out.total = CountAt(usage, {"total_usage"});
  out.user = CountAt(usage, {"usage_in_usermode"});
  out.kernel = CountAt(usage, {"usage_in_kernelmode"});
  out.system = CountAt(cpu, {"system_cpu_usage"});
  out.read_at = read_at;
  out.cores = CountAt(cpu, {"online_cpus"});
  const nlohmann::json& each = At(usage, {"percpu_usage"});
  if (out.cores == 0 && each.is_array()) out.cores = each.size();
  constexpr std::uint64_t kMostCores = 1u << 16;
  if (out.cores > kMostCores) out.cores = 0;
  out.present = out.total > 0 || out.system > 0;
  return out;
}

void StatsReader::AddCpu(const Cpu& before, const Cpu& now, drover::Usage* out) const {
  if (!before.present || !now.present || now.total < before.total) return;
  // The time of one core that has passed, in ns.
  double passed = 0;
  if (before.system > 0 && now.system > before.system && now.cores > 0) {
    passed = static_cast<double>(now.system - before.system) / static_cast<double>(now.cores);
  } else if (before.read_at > 0 && now.read_at > before.read_at) {
    passed = static_cast<double>(now.read_at - before.read_at);
  }
  if (passed <= 0) return;
  const auto percent = [&](std::uint64_t from, std::uint64_t to) {
    return to < from ? 0.0 : static_cast<double>(to - from) / passed * 100;
  };
  out->percent = percent(before.total, now.total);
  out->user_mode = percent(before.user, now.user);
  out->system_mode = percent(before.kernel, now.kernel);
  out->measured |= DROVER_STAT_PERCENT | DROVER_STAT_USER_MODE | DROVER_STAT_SYSTEM_MODE;
  if (mhz_per_core_ <= 0) return;
  out->total_ticks = out->percent / 100 * mhz_per_core_;
  out->measured |= DROVER_STAT_TOTAL_TICKS;
}

// With cgroups of version 1 the members are those of memory.stat with rss and cache; version 2 has
// anon and file instead.
void StatsReader::AddMemory(const nlohmann::json& memory, drover::Usage* out) {
  const nlohmann::json& stats = At(memory, {"stats"});
  const bool v1 = HasNumber(stats, "rss") || HasNumber(stats, "total_rss");
  const auto member = [&](std::uint64_t bit, std::uint64_t* to,
                          std::initializer_list<std::string_view> names) {
    for (const std::string_view name : names) {
      if (HasNumber(stats, name)) return Measure(bit, CountAt(stats, {name}), to, out);
    }
  };
  member(DROVER_STAT_RSS, &out->rss, {"total_rss", "rss", "anon"});
  member(DROVER_STAT_CACHE, &out->cache, {"total_cache", "cache", "file"});
  member(DROVER_STAT_MAPPED_FILE, &out->mapped_file,
         {"total_mapped_file", "mapped_file", "file_mapped"});
  if (v1) member(DROVER_STAT_SWAP, &out->swap, {"total_swap", "swap"});
  if (!v1) member(DROVER_STAT_KERNEL_USAGE, &out->kernel_usage, {"kernel"});
  if (HasNumber(memory, "max_usage") && CountAt(memory, {"max_usage"}) > 0) {
    Measure(DROVER_STAT_MAX_USAGE, CountAt(memory, {"max_usage"}), &out->max_usage, out);
  }
  if (!HasNumber(memory, "usage")) return;
  std::uint64_t usage = CountAt(memory, {"usage"});
  const std::uint64_t inactive = CountAt(
      stats, {HasNumber(stats, "total_inactive_file") ? "total_inactive_file" : "inactive_file"});
  if (inactive < usage) usage -= inactive;
  Measure(DROVER_STAT_USAGE, usage, &out->usage, out);
}

std::optional<drover::Stats> StatsReader::Read(const nlohmann::json& json) {
  if (!json.is_object()) return std::nullopt;
  drover::Stats out;
  out.timestamp = ParseTime(TextAt(json, {"read"}));
  const Cpu now = ReadCpu(At(json, {"cpu_stats"}), out.timestamp);
  const std::uint64_t memory = CountAt(json, {"memory_stats", "usage"});
  // An engine describes a container that has ended by zeros.
  if (!now.present && memory == 0 && PidsOf(json) == 0) return std::nullopt;
  if (out.timestamp == 0) out.timestamp = drover::WallNow();
  Cpu before = last_;
  if (!before.present) {
    before = ReadCpu(At(json, {"precpu_stats"}), ParseTime(TextAt(json, {"preread"})));
    // Without a time of its own it is no sample, but zeros.
    if (before.read_at == 0 && before.system == 0) before.present = false;
  }
  AddCpu(before, now, &out.total);
  if (now.present) last_ = now;
  AddMemory(At(json, {"memory_stats"}), &out.total);
  const nlohmann::json& throttled = At(json, {"cpu_stats", "throttling_data"});
  if (HasNumber(throttled, "throttled_periods")) {
    Measure(DROVER_STAT_THROTTLED_PERIODS, CountAt(throttled, {"throttled_periods"}),
            &out.total.throttled_periods, &out.total);
  }
  if (HasNumber(throttled, "throttled_time")) {
    Measure(DROVER_STAT_THROTTLED_TIME, CountAt(throttled, {"throttled_time"}),
            &out.total.throttled_time, &out.total);
  }
  return out;
}

std::uint64_t PidsOf(const nlohmann::json& json) {
  return CountAt(json, {"pids_stats", "current"});
}

}  // namespace drover_docker
