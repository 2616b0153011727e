// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

#include "host/govalues/go_number.h"
#include "host/govalues/go_text.h"
#include "host/govalues/go_time.h"
#include "host/govalues/template_answers.h"
#include "host/template/function.h"
#include "host/template/render_state.h"

// The functions of times. Every time zone is UTC, because a template must not depend on the host.
namespace drover::templates {
namespace {

constexpr std::int64_t kNanoseconds = 1'000'000'000;
constexpr std::int64_t kMostSeconds = 9'223'372'036;  // in a duration

Moment NowOf(const Call& call) {
  const auto since =
      std::chrono::duration_cast<std::chrono::nanoseconds>(call.state->now().time_since_epoch())
          .count();
  return {since / kNanoseconds, since % kNanoseconds, 0};
}

Result<Value> TimeStamp(const Call& call) {
  if (call.count() > 1) {
    return CallError("wrong number of arguments, expected 0 or 1, but got " +
                     std::to_string(call.count()));
  }
  const Moment now = NowOf(call);
  if (call.count() == 0) return call.Text(FormatMoment(now, "2006-01-02T15:04:05Z07:00"));
  if (call.text(0) == "unix") return call.Text(std::to_string(now.seconds));
  return call.Text(FormatMoment(now, call.text(0)));
}

Result<Value> TimeToDate(const Call& call) {
  const Result<Moment> moment = ParseMoment(call.text(0), call.text(1));
  return moment.ok() ? call.heap().NewMoment(*moment) : Value::Zero(&kTime);
}

Result<Value> TimeMustToDate(const Call& call) {
  DROVER_ASSIGN(const Moment moment, ParseMoment(call.text(0), call.text(1)));
  return call.heap().NewMoment(moment);
}

Result<Value> TimeMustModify(const Call& call) {
  const std::optional<std::int64_t> by = ParseGoDuration(call.text(0));
  if (!by) return CallError("time: the text is no duration");
  return call.heap().NewMoment(Later(call.at(1).moment(), *by));
}

Result<Value> TimeUnixEpoch(const Call& call) {
  return call.Text(std::to_string(call.at(0).moment().seconds));
}

std::int64_t SecondsSince(const Call& call, const Value& date) {
  const Moment now = NowOf(call);
  if (date.is(Kind::kTime)) return now.seconds - date.moment().seconds;
  if (date.type() != &kInt && date.type() != &kInt64) return 0;
  // As in Go, what is too large wraps around.
  return static_cast<std::int64_t>(static_cast<std::uint64_t>(now.seconds) -
                                   static_cast<std::uint64_t>(date.integer()));
}

std::int64_t BoundedSeconds(std::int64_t seconds) {
  return std::clamp<std::int64_t>(seconds, -kMostSeconds, kMostSeconds) * kNanoseconds;
}

Result<Value> TimeAgo(const Call& call) {
  return call.Text(DurationText(BoundedSeconds(SecondsSince(call, call.at(0)))));
}

Result<Value> TimeDuration(const Call& call) {
  const Value& of = call.at(0);
  std::int64_t seconds = 0;
  if (of.is(Kind::kString)) seconds = ParseInt(of.text(), 10).value_or(0);
  if (of.type() == &kInt64) seconds = of.integer();
  return call.Text(
      DurationText(static_cast<std::int64_t>(static_cast<std::uint64_t>(seconds) * kNanoseconds)));
}

Result<Value> TimeDurationRound(const Call& call) {
  const Value& of = call.at(0);
  std::int64_t duration = 0;
  if (of.is(Kind::kString)) duration = ParseGoDuration(of.text()).value_or(0);
  if (of.type() == &kInt64) duration = of.integer();
  if (of.is(Kind::kTime)) duration = BoundedSeconds(SecondsSince(call, of));
  const std::uint64_t size = duration < 0 ? 0 - static_cast<std::uint64_t>(duration)
                                          : static_cast<std::uint64_t>(duration);
  struct Unit {
    std::uint64_t seconds;
    const char* name;
  };
  for (const Unit unit : {Unit{86400 * 365, "y"}, Unit{86400 * 30, "mo"}, Unit{86400, "d"},
                          Unit{3600, "h"}, Unit{60, "m"}, Unit{1, "s"}}) {
    const std::uint64_t length = unit.seconds * kNanoseconds;
    if (size > length) return call.Text(std::to_string(size / length) + unit.name);
  }
  return call.Text("0s");
}

// The methods of times.
Result<Value> MomentFormat(const Call& call) {
  return call.Text(FormatMoment(call.at(0).moment(), call.text(1)));
}
Result<Value> MomentUnix(const Call& call) {
  return Value::Int(call.at(0).moment().seconds, &kInt64);
}
Result<Value> MomentYear(const Call& call) { return Value::Int(CivilOf(call.at(0).moment()).year); }
Result<Value> MomentDay(const Call& call) { return Value::Int(CivilOf(call.at(0).moment()).day); }
Result<Value> MomentHour(const Call& call) { return Value::Int(CivilOf(call.at(0).moment()).hour); }
Result<Value> MomentMinute(const Call& call) {
  return Value::Int(CivilOf(call.at(0).moment()).minute);
}
Result<Value> MomentSecond(const Call& call) {
  return Value::Int(CivilOf(call.at(0).moment()).second);
}
Result<Value> MomentYearDay(const Call& call) {
  return Value::Int(CivilOf(call.at(0).moment()).year_day);
}
Result<Value> MomentMonth(const Call& call) {
  return Value::Int(CivilOf(call.at(0).moment()).month, &kMonth);
}
Result<Value> MomentWeekday(const Call& call) {
  return Value::Int(CivilOf(call.at(0).moment()).weekday, &kWeekday);
}
Result<Value> MomentAdd(const Call& call) {
  return call.heap().NewMoment(Later(call.at(0).moment(), call.at(1).integer()));
}
Result<Value> MomentSub(const Call& call) {
  return Value::Int(DurationBetween(call.at(1).moment(), call.at(0).moment()), &kDuration);
}

// Returns a number below 0, 0 or one above 0, as the receiver is before, equal or after the other.
int OrderOf(const Call& call) {
  const Moment& own = call.at(0).moment();
  const Moment& other = call.at(1).moment();
  if (own.seconds != other.seconds) return own.seconds < other.seconds ? -1 : 1;
  if (own.nanoseconds == other.nanoseconds) return 0;
  return own.nanoseconds < other.nanoseconds ? -1 : 1;
}
Result<Value> MomentAfter(const Call& call) { return Value::Bool(OrderOf(call) > 0); }
Result<Value> MomentBefore(const Call& call) { return Value::Bool(OrderOf(call) < 0); }
Result<Value> MomentEqual(const Call& call) { return Value::Bool(OrderOf(call) == 0); }
Result<Value> MomentString(const Call& call) { return call.Text(MomentText(call.at(0).moment())); }

// The methods of durations. As in Go, the whole units and the rest are converted apart.
Result<Value> Units(const Call& call, std::int64_t unit) {
  const std::int64_t duration = call.at(0).integer();
  return Value::Float(static_cast<double>(duration / unit) +
                      static_cast<double>(duration % unit) / static_cast<double>(unit));
}
Result<Value> DurationHours(const Call& call) { return Units(call, 3600 * kNanoseconds); }
Result<Value> DurationMinutes(const Call& call) { return Units(call, 60 * kNanoseconds); }
Result<Value> DurationSeconds(const Call& call) { return Units(call, kNanoseconds); }
Result<Value> DurationMilliseconds(const Call& call) {
  return Value::Int(call.at(0).integer() / 1'000'000, &kInt64);
}
Result<Value> DurationMicroseconds(const Call& call) {
  return Value::Int(call.at(0).integer() / 1000, &kInt64);
}
Result<Value> DurationNanoseconds(const Call& call) {
  return Value::Int(call.at(0).integer(), &kInt64);
}

// Returns the text of a number that has a name, such as a month.
Result<Value> OwnString(const Call& call) {
  std::string buffer;
  const std::string* const text = OwnText(call.at(0), &buffer);
  return call.Text(text == nullptr ? "" : *text);
}

constexpr Function kTimeFunctions[] = {
    {"timestamp", "s*", TimeStamp},
    {"sprig_toDate", "ss", TimeToDate},
    {"sprig_mustToDate", "ss", TimeMustToDate},
    {"sprig_mustDateModify", "st", TimeMustModify},
    {"sprig_must_date_modify", "st", TimeMustModify},
    {"sprig_unixEpoch", "t", TimeUnixEpoch},
    {"sprig_ago", "a", TimeAgo},
    {"sprig_duration", "a", TimeDuration},
    {"sprig_durationRound", "a", TimeDurationRound},
};

constexpr Function kMomentMethods[] = {
    {"Format", "as", MomentFormat}, {"Unix", "a", MomentUnix},
    {"Year", "a", MomentYear},      {"Month", "a", MomentMonth},
    {"Day", "a", MomentDay},        {"Weekday", "a", MomentWeekday},
    {"Hour", "a", MomentHour},      {"Minute", "a", MomentMinute},
    {"Second", "a", MomentSecond},  {"YearDay", "a", MomentYearDay},
    {"Add", "ad", MomentAdd},       {"Sub", "at", MomentSub},
    {"After", "at", MomentAfter},   {"Before", "at", MomentBefore},
    {"Equal", "at", MomentEqual},   {"String", "a", MomentString},
};

constexpr Function kDurationMethods[] = {
    {"Hours", "a", DurationHours},
    {"Minutes", "a", DurationMinutes},
    {"Seconds", "a", DurationSeconds},
    {"Milliseconds", "a", DurationMilliseconds},
    {"Microseconds", "a", DurationMicroseconds},
    {"Nanoseconds", "a", DurationNanoseconds},
    {"String", "a", OwnString},
};

constexpr Function kCalendarMethods[] = {{"String", "a", OwnString}};

}  // namespace

FunctionSpan TimeFunctions() { return kTimeFunctions; }
FunctionSpan MomentMethods() { return kMomentMethods; }
FunctionSpan DurationMethods() { return kDurationMethods; }
FunctionSpan CalendarMethods() { return kCalendarMethods; }

}  // namespace drover::templates
