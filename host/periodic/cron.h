// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <bitset>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "host/base/result.h"
#include "host/base/time.h"
#include "host/periodic/time_zone.h"
#include "host/spec/job.h"

namespace drover {

// A cron expression of 5, 6 (with a year at the end) or 7 fields (with seconds first), or a name
// such as @daily. Fields have *, lists, ranges, steps and names; days also have L, W and #.
class Cron {
 public:
  // Error kInvalidArgument says which field is wrong, and how.
  static Result<Cron> Parse(std::string_view text);

  // Returns the earliest time after AFTER that the expression names in ZONE; absent if there is
  // none within the next years until 2099. Costs at most a few thousand steps.
  std::optional<WallTime> Next(WallTime after, const TimeZone& zone) const;

 private:
  std::bitset<60> seconds_, minutes_;
  std::bitset<24> hours_;
  std::bitset<32> days_;
  std::bitset<13> months_;
  std::bitset<7> weekdays_;
  std::bitset<200> years_;  // since 1970
  bool any_day_ = true, any_weekday_ = true;
  // L, LW, nW; and d#n, dL as pairs of weekday and number (0 for the last).
  bool last_day_ = false, last_workday_ = false;
  std::vector<int> workdays_near_;
  std::vector<std::pair<int, int>> weekdays_of_month_;
};

// The schedule of a periodic job.
class Schedule {
 public:
  // Fails as Cron::Parse, or if the zone is unknown.
  static Result<Schedule> Of(const PeriodicPolicy& policy);
  // Returns the earliest time of all expressions.
  std::optional<WallTime> Next(WallTime after) const;

 private:
  std::vector<Cron> crons_;
  std::shared_ptr<const TimeZone> zone_;
};

}  // namespace drover
