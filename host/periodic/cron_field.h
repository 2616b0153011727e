// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <span>
#include <string_view>

#include "host/base/result.h"

namespace drover {

// What a field of a cron expression may hold.
struct CronFieldKind {
  const char* name;  // for errors
  int first = 0;
  int last = 59;
  // A further value, which * does not stand for; -1 if there is none.
  int also = -1;
  // The names of the values from FIRST on, in full; three letters of each suffice.
  std::span<const std::string_view> names = {};
};

// Reads FIELD, a list of *, values, ranges and steps, and calls SET with each value. SPECIAL is
// called first with each element of the list, and returns whether it has read it; it may be empty.
// The error says what is wrong with the field.
Status ReadCronField(std::string_view field, const CronFieldKind& kind,
                     const std::function<void(int)>& set,
                     const std::function<Result<bool>(std::string_view)>& special = {});

// Reads one value of a field, as a number or a name.
Result<int> ReadCronValue(std::string_view text, const CronFieldKind& kind);

}  // namespace drover
