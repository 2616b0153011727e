// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/periodic/cron.h"

#include <gtest/gtest.h>

#include <string>

#include "host/periodic/tzif_for_test.h"

namespace drover {
namespace {

// Returns the first COUNT launches of TEXT after AFTER, in UTC.
std::vector<std::string> Launches(const std::string& text, WallTime after, int count,
                                  const TimeZone& zone = TimeZone()) {
  const Result<Cron> cron = Cron::Parse(text);
  EXPECT_TRUE(cron.ok()) << text << ": " << (cron.ok() ? "" : cron.error().message());
  std::vector<std::string> launches;
  std::optional<WallTime> next = after;
  while (cron.ok() && static_cast<int>(launches.size()) < count) {
    next = cron->Next(*next, zone);
    if (!next) return launches;
    std::string shown = Rfc3339(*next);
    launches.push_back(shown.substr(0, shown.find_first_of(".Z")));
  }
  return launches;
}

using Times = std::vector<std::string>;
const WallTime kStart = Utc(2026, 11, 28, 10, 30, 15);  // a Saturday

TEST(CronTest, FiveFieldsAreMinuteHourDayMonthAndWeekday) {
  EXPECT_EQ(Launches("* * * * *", kStart, 2),
            (Times{"2026-11-28T10:31:00", "2026-11-28T10:32:00"}));
  EXPECT_EQ(Launches("15 3 * * *", kStart, 2),
            (Times{"2026-11-29T03:15:00", "2026-11-30T03:15:00"}));
  EXPECT_EQ(Launches("0 0 1 * *", kStart, 2),
            (Times{"2026-12-01T00:00:00", "2027-01-01T00:00:00"}));
  EXPECT_EQ(Launches("0 12 * 2 *", kStart, 1), (Times{"2027-02-01T12:00:00"}));
  EXPECT_EQ(Launches("0 9 * * 1", kStart, 2),
            (Times{"2026-11-30T09:00:00", "2026-12-07T09:00:00"}));
}

TEST(CronTest, ALaunchIsAfterTheGivenTimeAndNotAtIt) {
  const WallTime noon = Utc(2026, 11, 28, 12);
  EXPECT_EQ(Launches("0 12 * * *", noon, 1), (Times{"2026-11-29T12:00:00"}));
  EXPECT_EQ(Launches("0 12 * * *", noon - 1, 1), (Times{"2026-11-28T12:00:00"}));
  EXPECT_EQ(Launches("0 12 * * *", noon + 1, 1), (Times{"2026-11-29T12:00:00"}));
}

TEST(CronTest, ASixthFieldIsTheYearAndSevenBeginWithSeconds) {
  EXPECT_EQ(Launches("0 0 1 1 * 2030", kStart, 2), (Times{"2030-01-01T00:00:00"}));
  EXPECT_EQ(Launches("*/15 * * * * *", kStart, 2),
            (Times{"2026-11-28T10:45:00", "2026-11-28T11:00:00"}));
  EXPECT_EQ(Launches("*/20 * * * * * *", kStart, 3),
            (Times{"2026-11-28T10:30:20", "2026-11-28T10:30:40", "2026-11-28T10:31:00"}));
  EXPECT_EQ(Launches("30 59 23 31 12 * 2026-2027", kStart, 3),
            (Times{"2026-12-31T23:59:30", "2027-12-31T23:59:30"}));
}

TEST(CronTest, ListsRangesStepsAndNames) {
  EXPECT_EQ(Launches("5/20 * * * *", kStart, 3),
            (Times{"2026-11-28T10:45:00", "2026-11-28T11:05:00", "2026-11-28T11:25:00"}));
  EXPECT_EQ(Launches("10-30/10,59 11 * * *", kStart, 5),
            (Times{"2026-11-28T11:10:00", "2026-11-28T11:20:00", "2026-11-28T11:30:00",
                   "2026-11-28T11:59:00", "2026-11-29T11:10:00"}));
  EXPECT_EQ(Launches("0 0 ? jan,December MON-wed", kStart, 3),
            (Times{"2026-12-01T00:00:00", "2026-12-02T00:00:00", "2026-12-07T00:00:00"}));
  EXPECT_EQ(Launches("0 0 * * 7", kStart, 1), (Times{"2026-11-29T00:00:00"})) << "a Sunday";
  EXPECT_EQ(Launches("0 0 * * 6-7", kStart, 2),
            (Times{"2026-11-29T00:00:00", "2026-12-05T00:00:00"}));
  EXPECT_EQ(Launches(" 0\t0  1 * * ", kStart, 1), (Times{"2026-12-01T00:00:00"}));
  EXPECT_EQ(Launches("*/2147483647 0 * * *", kStart, 2),
            (Times{"2026-11-29T00:00:00", "2026-11-30T00:00:00"}));
}

TEST(CronTest, NamedExpressions) {
  EXPECT_EQ(Launches("@hourly", kStart, 1), (Times{"2026-11-28T11:00:00"}));
  EXPECT_EQ(Launches("@daily", kStart, 1), (Times{"2026-11-29T00:00:00"}));
  EXPECT_EQ(Launches("@weekly", kStart, 1), (Times{"2026-11-29T00:00:00"}));
  EXPECT_EQ(Launches("@monthly", kStart, 1), (Times{"2026-12-01T00:00:00"}));
  EXPECT_EQ(Launches("@yearly", kStart, 1), (Times{"2027-01-01T00:00:00"}));
  EXPECT_EQ(Launches(" @annually ", kStart, 1), (Times{"2027-01-01T00:00:00"}));
}

TEST(CronTest, DaysOfTheMonthFromItsEndAndNearWorkdays) {
  EXPECT_EQ(Launches("0 0 L * *", kStart, 4),
            (Times{"2026-11-30T00:00:00", "2026-12-31T00:00:00", "2027-01-31T00:00:00",
                   "2027-02-28T00:00:00"}));
  // January 31, 2027 is a Sunday.
  EXPECT_EQ(Launches("0 0 LW * *", Utc(2027, 1, 1), 2),
            (Times{"2027-01-29T00:00:00", "2027-02-26T00:00:00"}));
  // May 15, 2027 is a Saturday, and August 15 is a Sunday.
  EXPECT_EQ(Launches("0 0 15W 5,8 *", Utc(2027, 1, 1), 2),
            (Times{"2027-05-14T00:00:00", "2027-08-16T00:00:00"}));
  // The workday stays in the month: May 1, 2027 is a Saturday, and February 28 is a Sunday.
  EXPECT_EQ(Launches("0 0 1W 5 *", Utc(2027, 1, 1), 1), (Times{"2027-05-03T00:00:00"}));
  EXPECT_EQ(Launches("0 0 28W 2 *", Utc(2027, 1, 1), 1), (Times{"2027-02-26T00:00:00"}));
  EXPECT_EQ(Launches("0 0 31W 4,5 *", Utc(2027, 1, 1), 1), (Times{"2027-05-31T00:00:00"}));
}

TEST(CronTest, WeekdaysOfTheMonthByNumberAndFromItsEnd) {
  EXPECT_EQ(Launches("0 0 * * 5#2", kStart, 2),
            (Times{"2026-12-11T00:00:00", "2027-01-08T00:00:00"}));
  EXPECT_EQ(Launches("0 0 * * mon#5", kStart, 2),
            (Times{"2026-11-30T00:00:00", "2027-03-29T00:00:00"}));
  EXPECT_EQ(Launches("0 0 * * friL", kStart, 2),
            (Times{"2026-12-25T00:00:00", "2027-01-29T00:00:00"}));
  EXPECT_EQ(Launches("0 0 * * 7L,1#1", kStart, 3),
            (Times{"2026-11-29T00:00:00", "2026-12-07T00:00:00", "2026-12-27T00:00:00"}));
}

TEST(CronTest, OfRestrictedDaysAndWeekdaysEitherMatches) {
  EXPECT_EQ(Launches("0 0 13 * 5", Utc(2026, 12, 1), 4),
            (Times{"2026-12-04T00:00:00", "2026-12-11T00:00:00", "2026-12-13T00:00:00",
                   "2026-12-18T00:00:00"}));
}

TEST(CronTest, LeapDaysAndTimesThatNeverCome) {
  EXPECT_EQ(Launches("0 0 29 2 *", kStart, 3),
            (Times{"2028-02-29T00:00:00", "2032-02-29T00:00:00", "2036-02-29T00:00:00"}));
  EXPECT_EQ(Launches("0 0 31 12 * 2099", kStart, 2), (Times{"2099-12-31T00:00:00"}));
  EXPECT_EQ(Launches("0 0 30 2 *", kStart, 1), Times());
  EXPECT_EQ(Launches("0 0 30 2 *", kStart, 1, ZoneOf(kBerlin)), Times());
  EXPECT_EQ(Launches("* * * * * 2025", kStart, 1), Times());
  EXPECT_EQ(Launches("* * * * *", Utc(2099, 12, 31, 23, 59), 1), Times());
  EXPECT_EQ(Launches("0 0 1 1 *", -5, 1, ZoneOf(kNewYork)), (Times{"1970-01-01T05:00:00"}));
}

TEST(CronTest, ATimeThatTheClockSkipsIsSkippedOnThatDay) {
  const TimeZone berlin = ZoneOf(kBerlin);
  EXPECT_EQ(Launches("30 2 * * *", Utc(2026, 3, 28), 2, berlin),
            (Times{"2026-03-28T01:30:00", "2026-03-30T00:30:00"}));
  EXPECT_EQ(Launches("0 2 * * *", Utc(2026, 3, 28, 12), 1, berlin), (Times{"2026-03-30T00:00:00"}));
  EXPECT_EQ(Launches("0 3 * * *", Utc(2026, 3, 28, 12), 1, berlin), (Times{"2026-03-29T01:00:00"}))
      << "the first second after the change is there";
  EXPECT_EQ(Launches("*/30 * * * *", Utc(2026, 3, 29, 0, 15), 3, berlin),
            (Times{"2026-03-29T00:30:00", "2026-03-29T01:00:00", "2026-03-29T01:30:00"}))
      << "what launches often goes on without a gap";
  EXPECT_EQ(Launches("30 2 * * *", Utc(2026, 3, 7), 3, ZoneOf(kNewYork)),
            (Times{"2026-03-07T07:30:00", "2026-03-09T06:30:00", "2026-03-10T06:30:00"}));
}

TEST(CronTest, ATimeThatTheClockRepeatsLaunchesTwice) {
  const TimeZone berlin = ZoneOf(kBerlin);
  EXPECT_EQ(Launches("30 2 * * *", Utc(2026, 10, 24, 12), 3, berlin),
            (Times{"2026-10-25T00:30:00", "2026-10-25T01:30:00", "2026-10-26T01:30:00"}));
  EXPECT_EQ(Launches("0 3 * * *", Utc(2026, 10, 24, 12), 2, berlin),
            (Times{"2026-10-25T02:00:00", "2026-10-26T02:00:00"}));
  EXPECT_EQ(Launches("0 * * * *", Utc(2026, 10, 24, 23, 30), 4, berlin),
            (Times{"2026-10-25T00:00:00", "2026-10-25T01:00:00", "2026-10-25T02:00:00",
                   "2026-10-25T03:00:00"}));
  EXPECT_EQ(Launches("30 1 * * *", Utc(2026, 10, 31, 12), 3, ZoneOf(kNewYork)),
            (Times{"2026-11-01T05:30:00", "2026-11-01T06:30:00", "2026-11-02T06:30:00"}));
}

TEST(CronTest, AClockMayChangeByHalfAnHour) {
  const TimeZone lord_howe = ZoneOf(kLordHowe);
  // On October 4, 2:00 becomes 2:30. On April 5, 2:00 becomes 1:30.
  EXPECT_EQ(Launches("15 2 * * *", Utc(2026, 10, 3), 1, lord_howe), (Times{"2026-10-04T15:15:00"}));
  EXPECT_EQ(Launches("45 1 * * *", Utc(2026, 4, 4), 3, lord_howe),
            (Times{"2026-04-04T14:45:00", "2026-04-04T15:15:00", "2026-04-05T15:15:00"}));
}

TEST(CronTest, ARuleHoldsForAllYears) {
  EXPECT_EQ(Launches("0 12 1 1,7 * 2040", kStart, 2, ZoneOf(kBerlin)),
            (Times{"2040-01-01T11:00:00", "2040-07-01T10:00:00"}));
}

TEST(CronTest, WrongExpressionsSayWhatIsWrong) {
  const std::pair<const char*, const char*> wrong[] = {
      {"", "has 0 fields"},
      {"* * * *", "has 4 fields"},
      {"* * * * * * * *", "has 8 fields"},
      {"60 * * * *", "the field of minutes: \"60\" is none of 0 to 59"},
      {"* 24 * * *", "the field of hours: \"24\" is none of 0 to 23"},
      {"* * 0 * *", "the field of days: \"0\" is none of 1 to 31"},
      {"* * * 13 *", "the field of months: \"13\""},
      {"* * * * 8", "the field of weekdays: \"8\""},
      {"* * * * * 1969", "the field of years: \"1969\""},
      {"60 * * * * * *", "the field of seconds: \"60\""},
      {"30-10 * * * *", "\"30-10\" goes backwards"},
      {"*/0 * * * *", "\"*/0\" needs a step"},
      {"*/ * * * *", "\"*/\" needs a step"},
      {"*/-1 * * * *", "needs a step"},
      {"1,,2 * * * *", "\"\" is none of"},
      {"-1 * * * *", "\"\" is none of"},
      {"+1 * * * *", "\"+1\" is none of"},
      {"1.5 * * * *", "is none of"},
      {"* * * foo *", "\"foo\" is none of"},
      {"* * W * *", "needs a day before the W"},
      {"* * 32W * *", "needs a day before the W"},
      {"* * * * 1#6", "needs a number from 1 to 5"},
      {"* * * * 9#1", "\"9\" is none of"},
      {"* * * * L", "\"L\" is none of"},
      {"@fortnightly", "\"@fortnightly\" is not known"},
      {"0 0 @daily * *", "is not known"}};
  for (const auto& [text, message] : wrong) {
    const Result<Cron> cron = Cron::Parse(text);
    ASSERT_FALSE(cron.ok()) << text;
    EXPECT_NE(cron.error().message().find(message), std::string::npos) << cron.error().message();
  }
  EXPECT_FALSE(Cron::Parse(std::string(300, '*')).ok());
}

// The searches are compared with one that tries every minute.
TEST(CronTest, IsAsATrialOfEveryMinute) {
  const TimeZone berlin = ZoneOf(kBerlin);
  for (const char* text :
       {"*/7 1-3 * * *", "0,30 2 25-31 3,10 *", "13 */5 * * 0,3", "59 23 L * 5L"}) {
    const Cron cron = Cron::Parse(text).value();
    std::optional<WallTime> next = Utc(2026, 3, 20);
    for (int i = 0; i < 40; ++i) {
      const WallTime before = *next;
      next = cron.Next(before, berlin);
      ASSERT_TRUE(next.has_value());
      // Nothing in between matches: each minute before is followed by the same launch.
      for (WallTime at = before; at < *next; at += 60'000'000'000 * 61) {
        ASSERT_EQ(cron.Next(at, berlin), next) << text << " " << Rfc3339(at);
      }
    }
  }
}

}  // namespace
}  // namespace drover
