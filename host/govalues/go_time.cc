// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/govalues/go_time.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <utility>

#include "host/govalues/go_text.h"

namespace drover::templates {
namespace {

constexpr std::int64_t kDaySeconds = 86400;
constexpr std::int64_t kNanoseconds = 1'000'000'000;  // in a second
constexpr std::array<std::string_view, 12> kMonths = {
    "January", "February", "March",     "April",   "May",      "June",
    "July",    "August",   "September", "October", "November", "December"};
constexpr std::array<std::string_view, 7> kWeekdays = {"Sunday",   "Monday", "Tuesday", "Wednesday",
                                                       "Thursday", "Friday", "Saturday"};

// An element of a layout.
enum class Element {
  kLongMonth,
  kMonth,
  kLongWeekday,
  kWeekday,
  kZone,
  kZeroMonth,
  kZeroDay,
  kZeroHour12,
  kZeroMinute,
  kZeroSecond,
  kYear2,
  kZeroYearDay,
  kHour,
  kMonthNumber,
  kYear,
  kDay,
  kUnderDay,
  kUnderYearDay,
  kHour12,
  kMinute,
  kSecond,
  kUpperHalf,
  kLowerHalf,
  kOffset,
  kFraction0,
  kFraction9,
  kNone,
};
struct Word {
  std::string_view text;
  Element element;
};
// The first that fits counts, so longer ones stand before shorter ones.
constexpr Word kWords[] = {
    {"January", Element::kLongMonth},
    {"Jan", Element::kMonth},
    {"Monday", Element::kLongWeekday},
    {"Mon", Element::kWeekday},
    {"MST", Element::kZone},
    {"002", Element::kZeroYearDay},
    {"01", Element::kZeroMonth},
    {"02", Element::kZeroDay},
    {"03", Element::kZeroHour12},
    {"04", Element::kZeroMinute},
    {"05", Element::kZeroSecond},
    {"06", Element::kYear2},
    {"15", Element::kHour},
    {"1", Element::kMonthNumber},
    {"2006", Element::kYear},
    {"2", Element::kDay},
    {"__2", Element::kUnderYearDay},
    {"_2", Element::kUnderDay},
    {"3", Element::kHour12},
    {"4", Element::kMinute},
    {"5", Element::kSecond},
    {"PM", Element::kUpperHalf},
    {"pm", Element::kLowerHalf},
    {"-07:00:00", Element::kOffset},
    {"-070000", Element::kOffset},
    {"-07:00", Element::kOffset},
    {"-0700", Element::kOffset},
    {"-07", Element::kOffset},
    {"Z07:00:00", Element::kOffset},
    {"Z070000", Element::kOffset},
    {"Z07:00", Element::kOffset},
    {"Z0700", Element::kOffset},
    {"Z07", Element::kOffset},
};

struct Chunk {
  std::string_view before;  // text that stands for itself
  std::string_view word;
  Element element = Element::kNone;
};

// Returns the fraction of seconds, such as .000 or ,999, that REST begins with.
std::string_view FractionAt(std::string_view rest) {
  if (rest.size() < 2 || (rest[0] != '.' && rest[0] != ',')) return "";
  if (rest[1] != '0' && rest[1] != '9') return "";
  std::size_t end = 1;
  while (end < rest.size() && rest[end] == rest[1]) ++end;
  const bool digit = end < rest.size() && rest[end] >= '0' && rest[end] <= '9';
  return digit ? "" : rest.substr(0, end);
}

// Takes the next element off LAYOUT, with the text before it.
Chunk NextChunk(std::string_view* layout) {
  for (std::size_t at = 0; at < layout->size(); ++at) {
    const std::string_view rest = layout->substr(at);
    Chunk chunk;
    if (rest.starts_with("_2006")) continue;  // an underscore before a year
    if (const std::string_view fraction = FractionAt(rest); !fraction.empty()) {
      chunk.word = fraction;
      chunk.element = fraction[1] == '0' ? Element::kFraction0 : Element::kFraction9;
    }
    for (const Word& word : kWords) {
      if (chunk.element != Element::kNone) break;
      if (!rest.starts_with(word.text)) continue;
      const bool name = word.element == Element::kMonth || word.element == Element::kWeekday;
      // "Janet" and "Monk" are no names.
      const bool longer = rest.size() > 3 && rest[3] >= 'a' && rest[3] <= 'z';
      if (name && longer) continue;
      chunk.word = word.text;
      chunk.element = word.element;
    }
    if (chunk.element == Element::kNone) continue;
    chunk.before = layout->substr(0, at);
    layout->remove_prefix(at + chunk.word.size());
    return chunk;
  }
  Chunk rest;
  rest.before = std::exchange(*layout, "");
  return rest;
}

std::string Padded(std::int64_t number, int width, char with = '0') {
  std::string digits = std::to_string(std::llabs(number));
  if (static_cast<int>(digits.size()) < width) {
    digits.insert(0, static_cast<std::size_t>(width) - digits.size(), with);
  }
  return (number < 0 ? "-" : "") + digits;
}

std::string OffsetText(int offset, std::string_view word) {
  if (word[0] == 'Z' && offset == 0) return "Z";
  const std::string_view form = word.substr(1);
  const int absolute = std::abs(offset);
  std::string out = offset < 0 ? "-" : "+";
  out += Padded(absolute / 3600, 2);
  if (form.size() == 2) return out;
  const bool colons = form.find(':') != std::string_view::npos;
  out += (colons ? ":" : "") + Padded(absolute / 60 % 60, 2);
  if (form.size() > 5) out += (colons ? ":" : "") + Padded(absolute % 60, 2);
  return out;
}

std::string FractionText(std::int64_t nanoseconds, std::string_view word) {
  std::string digits = Padded(nanoseconds, 9);
  digits.resize(std::min<std::size_t>(word.size() - 1, 9));
  if (word[1] == '9') {
    while (!digits.empty() && digits.back() == '0') digits.pop_back();
    if (digits.empty()) return "";
  }
  return std::string(1, word[0]) + digits;
}

std::string ZoneName(int offset) { return offset == 0 ? "UTC" : OffsetText(offset, "-0700"); }

std::string ElementText(const Moment& moment, const CivilTime& civil, const Chunk& chunk) {
  const int hour12 = civil.hour % 12 == 0 ? 12 : civil.hour % 12;
  switch (chunk.element) {
    case Element::kYear:
      return Padded(civil.year, 4);
    case Element::kYear2:
      return Padded(civil.year % 100, 2);
    case Element::kLongMonth:
      return std::string(kMonths[civil.month - 1]);
    case Element::kMonth:
      return std::string(kMonths[civil.month - 1].substr(0, 3));
    case Element::kZeroMonth:
      return Padded(civil.month, 2);
    case Element::kMonthNumber:
      return Padded(civil.month, 1);
    case Element::kLongWeekday:
      return std::string(kWeekdays[civil.weekday]);
    case Element::kWeekday:
      return std::string(kWeekdays[civil.weekday].substr(0, 3));
    case Element::kZeroDay:
      return Padded(civil.day, 2);
    case Element::kUnderDay:
      return Padded(civil.day, 2, ' ');
    case Element::kDay:
      return Padded(civil.day, 1);
    case Element::kZeroYearDay:
      return Padded(civil.year_day, 3);
    case Element::kUnderYearDay:
      return Padded(civil.year_day, 3, ' ');
    case Element::kHour:
      return Padded(civil.hour, 2);
    case Element::kZeroHour12:
      return Padded(hour12, 2);
    case Element::kHour12:
      return Padded(hour12, 1);
    case Element::kZeroMinute:
      return Padded(civil.minute, 2);
    case Element::kMinute:
      return Padded(civil.minute, 1);
    case Element::kZeroSecond:
      return Padded(civil.second, 2);
    case Element::kSecond:
      return Padded(civil.second, 1);
    case Element::kUpperHalf:
      return civil.hour >= 12 ? "PM" : "AM";
    case Element::kLowerHalf:
      return civil.hour >= 12 ? "pm" : "am";
    case Element::kZone:
      return ZoneName(moment.offset);
    case Element::kOffset:
      return OffsetText(moment.offset, chunk.word);
    case Element::kFraction0:
    case Element::kFraction9:
      return FractionText(moment.nanoseconds, chunk.word);
    case Element::kNone:
      break;
  }
  return "";
}

// Reads the elements of a layout from a text.
class MomentReader {
 public:
  explicit MomentReader(std::string_view text) : text_(text) {}

  bool Read(std::string_view layout) {
    while (!layout.empty()) {
      const Chunk chunk = NextChunk(&layout);
      if (!text_.starts_with(chunk.before)) return false;
      text_.remove_prefix(chunk.before.size());
      if (chunk.element != Element::kNone && !ReadElement(chunk, layout)) return false;
    }
    return text_.empty() && InRange();
  }

  Moment Done() const {
    CivilTime civil = civil_;
    if (half_ == 1 && civil.hour < 12) civil.hour += 12;
    if (half_ == 0 && civil.hour == 12) civil.hour = 0;
    return {SecondsOf(civil) - offset_, nanoseconds_, offset_};
  }

 private:
  bool Number(int least, int most, int* number) {
    int count = 0;
    int value = 0;
    while (count < most && count < static_cast<int>(text_.size()) && text_[count] >= '0' &&
           text_[count] <= '9') {
      value = value * 10 + (text_[count++] - '0');
    }
    if (count < least) return false;
    text_.remove_prefix(static_cast<std::size_t>(count));
    *number = value;
    return true;
  }

  template <std::size_t N>
  bool Name(const std::array<std::string_view, N>& names, std::size_t length, int* number) {
    for (std::size_t i = 0; i < N; ++i) {
      const std::string_view name = names[i].substr(0, length);
      if (LowerText(text_.substr(0, name.size())) != LowerText(name)) continue;
      text_.remove_prefix(name.size());
      *number = static_cast<int>(i);
      return true;
    }
    return false;
  }

  bool ReadOffset(std::string_view word) {
    if (word[0] == 'Z' && text_.starts_with('Z')) {
      text_.remove_prefix(1);
      return true;
    }
    if (!text_.starts_with('+') && !text_.starts_with('-')) return false;
    const int sign = text_[0] == '-' ? -1 : 1;
    const std::string_view form = word.substr(1);
    const bool colons = form.find(':') != std::string_view::npos;
    std::array<int, 3> parts{};
    const std::size_t count = form.size() == 2 ? 1 : (form.size() > 5 ? 3 : 2);
    text_.remove_prefix(1);
    for (std::size_t i = 0; i < count; ++i) {
      if (i > 0 && colons) {
        if (!text_.starts_with(':')) return false;
        text_.remove_prefix(1);
      }
      if (!Number(2, 2, &parts[i])) return false;
    }
    offset_ = sign * (parts[0] * 3600 + parts[1] * 60 + parts[2]);
    return parts[0] <= 24 && parts[1] < 60 && parts[2] < 60;
  }

  // Reads a fraction of seconds behind a point, whether or not the layout has one.
  bool ReadFraction() {
    std::int64_t value = 0;
    std::size_t digits = 1;
    for (; digits < text_.size() && text_[digits] >= '0' && text_[digits] <= '9'; ++digits) {
      if (digits <= 9) value = value * 10 + (text_[digits] - '0');
    }
    for (std::size_t i = digits - 1; i < 9; ++i) value *= 10;
    nanoseconds_ = value;
    text_.remove_prefix(digits);
    return digits > 1;
  }

  bool BeginsFraction() const {
    return text_.size() > 1 && (text_[0] == '.' || text_[0] == ',') && text_[1] >= '0' &&
           text_[1] <= '9';
  }

  bool ReadSecond(int least, std::string_view layout) {
    if (!Number(least, 2, &civil_.second)) return false;
    std::string_view rest = layout;
    const Chunk next = NextChunk(&rest);
    const bool own = next.before.empty() &&
                     (next.element == Element::kFraction0 || next.element == Element::kFraction9);
    return own || !BeginsFraction() || ReadFraction();
  }

  bool ReadZone() {
    if (text_.starts_with("UTC") || text_.starts_with("GMT")) {
      text_.remove_prefix(3);
      return true;
    }
    std::size_t end = 0;
    while (end < text_.size() && text_[end] >= 'A' && text_[end] <= 'Z') ++end;
    if (end < 3 || end > 5) return false;
    text_.remove_prefix(end);  // a name that is not known counts as UTC
    return true;
  }

  bool ReadElement(const Chunk& chunk, std::string_view layout) {
    int number = 0;
    const auto blank = [this] {
      if (text_.starts_with(' ')) text_.remove_prefix(1);
    };
    switch (chunk.element) {
      case Element::kYear:
        if (!Number(4, 4, &number)) return false;
        civil_.year = number;
        return true;
      case Element::kYear2:
        if (!Number(2, 2, &number)) return false;
        civil_.year = number >= 69 ? 1900 + number : 2000 + number;
        return true;
      case Element::kLongMonth:
      case Element::kMonth:
        if (!Name(kMonths, chunk.element == Element::kMonth ? 3 : 9, &number)) return false;
        civil_.month = number + 1;
        return true;
      case Element::kLongWeekday:
        return Name(kWeekdays, 9, &number);
      case Element::kWeekday:
        return Name(kWeekdays, 3, &number);
      case Element::kZeroMonth:
        return Number(2, 2, &civil_.month);
      case Element::kMonthNumber:
        return Number(1, 2, &civil_.month);
      case Element::kZeroDay:
        return Number(2, 2, &civil_.day);
      case Element::kUnderDay:
        blank();
        return Number(1, 2, &civil_.day);
      case Element::kDay:
        return Number(1, 2, &civil_.day);
      case Element::kHour:
        return Number(2, 2, &civil_.hour) && civil_.hour < 24;
      case Element::kZeroHour12:
        return Number(2, 2, &civil_.hour) && civil_.hour <= 12;
      case Element::kHour12:
        return Number(1, 2, &civil_.hour) && civil_.hour <= 12;
      case Element::kZeroMinute:
        return Number(2, 2, &civil_.minute);
      case Element::kMinute:
        return Number(1, 2, &civil_.minute);
      case Element::kZeroSecond:
        return ReadSecond(2, layout);
      case Element::kSecond:
        return ReadSecond(1, layout);
      case Element::kUpperHalf:
      case Element::kLowerHalf: {
        const bool upper = chunk.element == Element::kUpperHalf;
        if (text_.starts_with(upper ? "PM" : "pm")) half_ = 1;
        if (text_.starts_with(upper ? "AM" : "am")) half_ = 0;
        if (half_ < 0) return false;
        text_.remove_prefix(2);
        return true;
      }
      case Element::kZone:
        return ReadZone();
      case Element::kOffset:
        return ReadOffset(chunk.word);
      case Element::kFraction0: {
        const std::string_view digits = text_.substr(0, chunk.word.size());
        if (digits.size() != chunk.word.size() || !BeginsFraction()) return false;
        return ReadFraction();
      }
      case Element::kFraction9:
        return !BeginsFraction() || ReadFraction();
      default:
        return false;  // the day of the year is only written
    }
  }

  bool InRange() const {
    if (civil_.month < 1 || civil_.month > 12 || civil_.day < 1) return false;
    constexpr std::array<int, 12> kDays = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    const bool leap = civil_.year % 4 == 0 && (civil_.year % 100 != 0 || civil_.year % 400 == 0);
    const int days =
        kDays[static_cast<std::size_t>(civil_.month - 1)] + (leap && civil_.month == 2 ? 1 : 0);
    return civil_.day <= days && civil_.minute < 60 && civil_.second < 60;
  }

  std::string_view text_;
  CivilTime civil_;
  int half_ = -1;  // 0 before noon, 1 after it
  int offset_ = 0;
  std::int64_t nanoseconds_ = 0;
};

std::int64_t DaysOf(std::int64_t year, int month, int day) {
  year -= month <= 2 ? 1 : 0;
  const std::int64_t era = (year >= 0 ? year : year - 399) / 400;
  const std::int64_t of_era = year - era * 400;
  const std::int64_t of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

struct Unit {
  std::string_view name;
  double nanoseconds;
};
constexpr Unit kUnits[] = {{"ns", 1},   {"us", 1e3}, {"\u00b5s", 1e3}, {"\u03bcs", 1e3},
                           {"ms", 1e6}, {"s", 1e9},  {"m", 60e9},      {"h", 3600e9}};

// Writes VALUE with DIGITS digits behind the point, without zeros at the end.
std::string WithFraction(std::uint64_t value, int digits) {
  std::uint64_t scale = 1;
  for (int i = 0; i < digits; ++i) scale *= 10;
  std::string out = std::to_string(value / scale);
  std::string fraction = Padded(static_cast<std::int64_t>(value % scale), digits);
  while (!fraction.empty() && fraction.back() == '0') fraction.pop_back();
  return fraction.empty() || digits == 0 ? out : out + "." + fraction;
}

}  // namespace

CivilTime CivilOf(const Moment& moment) {
  const std::int64_t local = moment.seconds + moment.offset;
  std::int64_t days = local / kDaySeconds;
  std::int64_t rest = local % kDaySeconds;
  if (rest < 0) {
    rest += kDaySeconds;
    --days;
  }
  CivilTime civil;
  civil.hour = static_cast<int>(rest / 3600);
  civil.minute = static_cast<int>(rest / 60 % 60);
  civil.second = static_cast<int>(rest % 60);
  civil.weekday = static_cast<int>(((days + 4) % 7 + 7) % 7);
  const std::int64_t shifted = days + 719468;
  const std::int64_t era = (shifted >= 0 ? shifted : shifted - 146096) / 146097;
  const std::int64_t of_era = shifted - era * 146097;
  const std::int64_t year = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
  const std::int64_t of_year = of_era - (365 * year + year / 4 - year / 100);
  const std::int64_t month = (5 * of_year + 2) / 153;
  civil.day = static_cast<int>(of_year - (153 * month + 2) / 5 + 1);
  civil.month = static_cast<int>(month < 10 ? month + 3 : month - 9);
  civil.year = year + era * 400 + (civil.month <= 2 ? 1 : 0);
  civil.year_day = static_cast<int>(days - DaysOf(civil.year, 1, 1)) + 1;
  return civil;
}

std::int64_t SecondsOf(const CivilTime& civil) {
  return DaysOf(civil.year, civil.month, civil.day) * kDaySeconds + civil.hour * 3600 +
         civil.minute * 60 + civil.second;
}

std::string FormatMoment(const Moment& moment, std::string_view layout) {
  const CivilTime civil = CivilOf(moment);
  std::string out;
  while (!layout.empty()) {
    const Chunk chunk = NextChunk(&layout);
    out += chunk.before;
    out += ElementText(moment, civil, chunk);
  }
  return out;
}

std::string MomentText(const Moment& moment) {
  return FormatMoment(moment, "2006-01-02 15:04:05.999999999 -0700 MST");
}

std::string MonthText(std::int64_t month) {
  if (month < 1 || month > 12) return "%!Month(" + std::to_string(month) + ")";
  return std::string(kMonths.at(static_cast<std::size_t>(month - 1)));
}

std::string WeekdayText(std::int64_t weekday) {
  if (weekday < 0 || weekday > 6) return "%!Weekday(" + std::to_string(weekday) + ")";
  return std::string(kWeekdays.at(static_cast<std::size_t>(weekday)));
}

Result<Moment> ParseMoment(std::string_view layout, std::string_view text) {
  MomentReader reader(text);
  if (reader.Read(layout)) return reader.Done();
  return Error(Code::kInvalidArgument, "the text is no time of the form " + QuoteText(layout));
}

Moment Later(Moment moment, std::int64_t by) {
  moment.seconds += by / kNanoseconds;
  moment.nanoseconds += by % kNanoseconds;
  if (moment.nanoseconds < 0) {
    moment.nanoseconds += kNanoseconds;
    --moment.seconds;
  } else if (moment.nanoseconds >= kNanoseconds) {
    moment.nanoseconds -= kNanoseconds;
    ++moment.seconds;
  }
  return moment;
}

std::int64_t DurationBetween(const Moment& then, const Moment& now) {
  const std::int64_t seconds = now.seconds - then.seconds;
  std::int64_t duration = 0;
  const bool fits =
      !__builtin_mul_overflow(seconds, kNanoseconds, &duration) &&
      !__builtin_add_overflow(duration, now.nanoseconds - then.nanoseconds, &duration);
  if (fits) return duration;
  using Limits = std::numeric_limits<std::int64_t>;
  return seconds < 0 ? Limits::min() : Limits::max();
}

std::string DurationText(std::int64_t duration) {
  const bool negative = duration < 0;
  const std::uint64_t all =
      negative ? 0 - static_cast<std::uint64_t>(duration) : static_cast<std::uint64_t>(duration);
  const std::string sign = negative ? "-" : "";
  if (all == 0) return "0s";
  if (all < 1000) return sign + std::to_string(all) + "ns";
  if (all < 1'000'000) return sign + WithFraction(all, 3) + "\u00b5s";
  if (all < 1'000'000'000) return sign + WithFraction(all, 6) + "ms";
  const std::uint64_t minutes = all / 60'000'000'000;
  std::string out = WithFraction(all % 60'000'000'000, 9) + "s";
  if (minutes > 0) out = std::to_string(minutes % 60) + "m" + out;
  if (minutes >= 60) out = std::to_string(minutes / 60) + "h" + out;
  return sign + out;
}

std::optional<std::int64_t> ParseGoDuration(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  if (text == "0") return 0;
  if (text.empty()) return std::nullopt;
  double sum = 0;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string number(text.substr(0, end));
    if (number.empty() || number == "." || std::count(number.begin(), number.end(), '.') > 1) {
      return std::nullopt;
    }
    text.remove_prefix(end);
    const std::size_t unit_end = std::min(text.find_first_of("0123456789."), text.size());
    const std::string_view name = text.substr(0, unit_end);
    const auto* const unit = std::find_if(std::begin(kUnits), std::end(kUnits),
                                          [name](const Unit& of) { return of.name == name; });
    if (unit == std::end(kUnits)) return std::nullopt;
    sum += std::strtod(number.c_str(), nullptr) * unit->nanoseconds;
    text.remove_prefix(unit_end);
  }
  if (sum >= 9.2e18) return std::nullopt;
  const auto whole = static_cast<std::int64_t>(sum);
  return negative ? -whole : whole;
}

}  // namespace drover::templates
