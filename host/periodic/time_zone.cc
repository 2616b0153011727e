// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/periodic/time_zone.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <map>
#include <mutex>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::size_t kMostName = 64;
constexpr std::int32_t kMostOffset = 26 * 3600;
constexpr char kDatabase[] = "/usr/share/zoneinfo/";
constexpr char kLocal[] = "/etc/localtime";
constexpr std::int64_t kNanos = 1'000'000'000;

Error Malformed() { return Error(Code::kInvalidArgument, "it is no file of a time zone (TZif)"); }

Result<std::string> ReadBytes(const std::string& path) {
  const UniqueFd file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (!file) return ErrnoError(errno, path);
  std::string bytes;
  std::array<char, 16384> part{};
  while (bytes.size() <= kMostBytes) {
    const ssize_t n = read(file.get(), part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return ErrnoError(errno, path);
    if (n == 0) return bytes;
    bytes.append(part.data(), static_cast<std::size_t>(n));
  }
  return Malformed().WithContext(path);
}

// Returns whether NAME can be a name in the database, and does not lead out of it.
bool IsZoneName(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '+' || c == '/';
  };
  return !name.empty() && name.size() <= kMostName && name.front() != '/' &&
         std::ranges::all_of(name, allowed);  // without a dot there is no ".."
}

}  // namespace

// Reads the numbers of a TZif file. Each call must be for bytes that are there: see Has.
class TimeZone::Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool Has(std::uint64_t bytes) const { return bytes <= rest_.size(); }
  std::string_view rest() const { return rest_; }
  std::string_view Take(std::size_t bytes) {
    const std::string_view taken = rest_.substr(0, bytes);
    rest_.remove_prefix(bytes);
    return taken;
  }
  // Reads a big-endian number of SIZE bytes with a sign.
  std::int64_t Number(std::size_t size) {
    std::uint64_t value = 0;
    const std::string_view bytes = Take(size);
    for (const char c : bytes) value = value << 8 | static_cast<std::uint8_t>(c);
    const std::size_t unused = 64 - 8 * size;
    return static_cast<std::int64_t>(value << unused) >> unused;
  }
  std::uint32_t Count() { return static_cast<std::uint32_t>(Number(4)); }

 private:
  std::string_view rest_;
};

Result<TimeZone> TimeZone::Parse(std::string_view bytes) {
  constexpr std::size_t kHeader = 44;
  Reader in(bytes);
  TimeZone zone;
  // A file of version 2 or later has the data twice: first with times of 4 bytes, then of 8.
  for (std::size_t width : {std::size_t{4}, std::size_t{8}}) {
    if (!in.Has(kHeader) || in.Take(4) != "TZif") return Malformed();
    const char version = in.Take(16)[0];
    const std::uint64_t utc_flags = in.Count(), standard_flags = in.Count();
    const std::uint64_t leaps = in.Count(), times = in.Count();
    const std::uint64_t types = in.Count(), letters = in.Count();
    const std::uint64_t behind = letters + leaps * (width + 4) + standard_flags + utc_flags;
    if (!in.Has(times * (width + 1) + types * 6 + behind)) return Malformed();
    if (width == 4 && version >= '2') {
      in.Take(times * (width + 1) + types * 6 + behind);
      continue;
    }
    if (types == 0) return Malformed();
    if (leaps > 0) {
      return Error(Code::kInvalidArgument, "a time zone with leap seconds is not supported");
    }
    for (std::uint64_t i = 0; i < times; ++i) {
      zone.changes_.push_back({in.Number(width), 0});
      if (i > 0 && zone.changes_[i].at <= zone.changes_[i - 1].at) return Malformed();
    }
    const std::string_view type_of = in.Take(times);
    std::vector<std::int32_t> offsets;
    for (std::uint64_t i = 0; i < types; ++i) {
      const auto offset = static_cast<std::int32_t>(in.Number(4));
      if (offset < -kMostOffset || offset > kMostOffset) return Malformed();
      offsets.push_back(offset);
      in.Take(2);  // whether it is summer time, and its name
    }
    for (std::uint64_t i = 0; i < times; ++i) {
      const auto type = static_cast<std::uint8_t>(type_of[i]);
      if (type >= types) return Malformed();
      zone.changes_[i].offset = offsets[type];
    }
    zone.first_offset_ = offsets[0];
    if (width == 4) return zone;
    in.Take(behind);
  }
  std::string_view rule = in.rest();
  const std::size_t end =
      rule.empty() || rule[0] != '\n' ? std::string_view::npos : rule.find('\n', 1);
  if (end == std::string_view::npos) return Malformed();
  rule = rule.substr(1, end - 1);
  if (!rule.empty()) {
    DROVER_ASSIGN(zone.rule_, ZoneRule::Parse(rule));
  }
  return zone;
}

Result<std::shared_ptr<const TimeZone>> TimeZone::Find(const std::string& name) {
  static std::mutex mutex;
  static std::map<std::string, std::shared_ptr<const TimeZone>> zones;
  const std::string known = name.empty() ? "UTC" : name;
  if (!IsZoneName(known)) {
    return Error(Code::kInvalidArgument,
                 "is no name of a time zone, such as \"Europe/Berlin\" or \"UTC\"");
  }
  const std::lock_guard lock(mutex);
  if (const auto found = zones.find(known); found != zones.end()) return found->second;
  TimeZone zone;
  if (known != "UTC") {
    const std::string path = known == "Local" ? kLocal : kDatabase + known;
    const Result<std::string> bytes = ReadBytes(path);
    if (!bytes.ok() && known != "Local") {
      return Error(Code::kNotFound, "is not a time zone of this machine: there is no file " + path +
                                        "; install the package tzdata, or use \"UTC\"");
    }
    // A machine without /etc/localtime has UTC.
    if (bytes.ok()) {
      Result<TimeZone> parsed = Parse(*bytes);
      if (!parsed.ok()) return parsed.error().WithContext(path);
      zone = std::move(*parsed);
    }
  }
  auto shared = std::make_shared<const TimeZone>(std::move(zone));
  zones.emplace(known, shared);
  return shared;
}

std::int32_t TimeZone::OffsetAt(std::int64_t second) const {
  const auto next = std::ranges::upper_bound(changes_, second, {}, &Change::at);
  if (next == changes_.end() && rule_) return rule_->OffsetAt(second);
  return next == changes_.begin() ? first_offset_ : std::prev(next)->offset;
}

std::int64_t TimeZone::NextChange(std::int64_t second) const {
  const auto next = std::ranges::upper_bound(changes_, second, {}, &Change::at);
  if (next != changes_.end()) return next->at;
  return rule_ ? rule_->NextChange(second) : kNoChange;
}

ZoneTime TimeZone::At(WallTime time) const {
  const std::int64_t second = (time - (time % kNanos + kNanos) % kNanos) / kNanos;
  const std::chrono::sys_seconds local{std::chrono::seconds(second + OffsetAt(second))};
  const auto day = std::chrono::floor<std::chrono::days>(local);
  const std::chrono::year_month_day date(day);
  const std::chrono::hh_mm_ss clock(local - day);
  return {static_cast<int>(date.year()),
          static_cast<int>(static_cast<unsigned>(date.month())),
          static_cast<int>(static_cast<unsigned>(date.day())),
          static_cast<int>(clock.hours().count()),
          static_cast<int>(clock.minutes().count()),
          static_cast<int>(clock.seconds().count())};
}

}  // namespace drover
