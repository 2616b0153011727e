// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_event.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

using namespace event_type;  // NOLINT: this file is about them
using Details = StringMap;

struct Row {
  std::string_view type;
  Details details;
  std::string text;
};

TEST(TaskEventTest, DisplayMessageOfEachType) {
  const std::vector<Row> rows = {
      {kReceived, {}, "Task received by client"},
      {kTaskSetup, {{"message", "Building Task Directory"}}, "Building Task Directory"},
      {kSetupFailure, {{"setup_error", "no dir"}}, "no dir"},
      {kSetupFailure, {}, "Task setup failed"},
      {kStarted, {}, "Task started by client"},
      {kFailedValidation, {{"validation_error", "/command: missing"}}, "/command: missing"},
      {kFailedValidation, {}, "Validation of task failed"},
      {kDriverFailure, {{"driver_error", "no such image"}}, "no such image"},
      {kDriverFailure, {}, "Failed to start task"},
      {kDriver, {{"driver_message", "pulling"}}, "pulling"},
      {kKilling, {{"kill_reason", "because"}, {"kill_timeout", "5s"}}, "because"},
      {kKilling, {{"kill_timeout", "5s"}}, "Sent interrupt. Waiting 5s before force killing"},
      {kKilling, {}, "Sent interrupt"},
      {kKilled, {{"kill_error", "stuck"}}, "stuck"},
      {kKilled, {}, "Task successfully killed"},
      {kTerminated, {{"exit_code", "0"}, {"signal", "0"}}, "Exit Code: 0"},
      {kTerminated, {{"exit_code", "143"}, {"signal", "15"}}, "Exit Code: 143, Signal: 15"},
      {kTerminated,
       {{"exit_code", "1"}, {"signal", "0"}, {"exit_message", "oops"}},
       "Exit Code: 1, Exit Message: \"oops\""},
      {kTerminated,
       {{"exit_code", "1"}, {"signal", "9"}, {"exit_message", "oops"}},
       "Exit Code: 1, Signal: 9, Exit Message: \"oops\""},
      {kTerminated, {}, "Exit Code: 0"},
      {kRestarting, {{"start_delay", "1500000000"}}, "Task restarting in 1.5s"},
      {kRestarting,
       {{"start_delay", "15000000000"}, {"restart_reason", "Restart within policy"}},
       "Task restarting in 15s"},
      {kRestarting,
       {{"start_delay", "90000000000"}, {"restart_reason", "Too often"}},
       "Too often - Task restarting in 1m30s"},
      {kRestarting, {{"start_delay", "soon"}}, "Task restarting in 0s"},
      {kNotRestarting,
       {{"restart_reason", "Policy allows no restarts"}},
       "Policy allows no restarts"},
      {kNotRestarting, {}, "Task exceeded restart policy"},
      {kRestartSignaled, {{"restart_reason", "User requested"}}, "User requested"},
      {kRestartSignaled, {}, "Task signaled to restart"},
      {kSignaling, {}, "Task being sent a signal"},
      {kSignaling, {{"signal", "SIGUSR1"}}, "Task being sent a signal"},
      {kSiblingFailed, {{"failed_sibling", "web"}}, "Task's sibling \"web\" failed"},
      {kSiblingFailed, {}, "Task's sibling failed"},
      {kLeaderDead, {}, "Leader Task in Group dead"},
      {kMainDead, {}, "Main tasks in the group died"},
  };
  for (const Row& row : rows) {
    TaskEvent event(row.type);
    event.details = row.details;
    EXPECT_EQ(DisplayMessage(event), row.text) << row.type;
  }
}

TEST(TaskEventTest, DroppedOutputIsCountedInTextAndDetails) {
  const std::string why = ": the disk of the log files is full or too slow";
  const std::vector<std::pair<DroppedOutput, std::string>> texts = {
      {{true, 0, 0}, "Output is being dropped"},
      {{true, 12, 99}, "Output is being dropped, 12 lines before"},
      {{false, 12, 99}, "12 lines of output dropped"},
      {{false, 1, 9}, "1 line of output dropped"},
      {{false, 0, 9}, "0 lines of output dropped"},
  };
  for (const auto& [dropped, text] : texts) {
    const TaskEvent event = OutputDroppedEvent(dropped);
    EXPECT_EQ(event.type, "Output Dropped");
    EXPECT_EQ(DisplayMessage(event), text + why);
    EXPECT_EQ(event.Detail(event_key::kDroppedLines), std::to_string(dropped.lines));
    EXPECT_EQ(event.Detail(event_key::kDroppedBytes), std::to_string(dropped.bytes));
    EXPECT_FALSE(event.fails_task());
  }
}

TEST(TaskEventTest, TheOtherTypesSayTheirMessage) {
  for (const std::string_view type :
       {kHookFailed, kRestoreFailed, kPluginUnhealthy, kPluginHealthy, kWaitingShutdownDelay,
        kSkippingShutdownDelay, std::string_view("From A Later Version")}) {
    EXPECT_EQ(DisplayMessage(TaskEvent(type).Message("so it is")), "so it is") << type;
    EXPECT_EQ(DisplayMessage(TaskEvent(type)), "") << type;
  }
}

TEST(TaskEventTest, AnEventOfADriverIsBoundedAndSaysWhatIsLeftOut) {
  StringMap annotations;
  for (int i = 0; i < 100; ++i) annotations[std::to_string(i)] = std::string(100'000, 'v');
  for (int i = 0; i < 100; ++i) annotations["z" + std::to_string(i)] = "small";
  const TaskEvent event = DriverEventOf(std::string(100'000, 'm'), annotations);
  std::size_t size = 0;
  for (const auto& [key, value] : event.details) size += key.size() + value.size();
  EXPECT_LE(size, kMaxDriverEvent + 64) << "with the host's own keys";
  EXPECT_EQ(event.Detail(event_key::kDriverMessage).size(), 4096u - 3 + 3);
  EXPECT_EQ(event.Detail("z0"), "small") << "a large annotation displaces no other";
  const std::size_t taken = event.details.size() - 2;
  EXPECT_LE(taken, kMaxAnnotations);
  EXPECT_EQ(event.Detail(event_key::kDroppedAnnotations), std::to_string(200 - taken));
  EXPECT_EQ(DriverEventOf("m", {{"a", "b"}}).details,
            (Details{{"driver_message", "m"}, {"a", "b"}}));
}

TEST(TaskEventTest, APluginDoesNotSayWhatTheHostSays) {
  const TaskEvent event = DriverEventOf(
      "m", {{"fails_task", "true"}, {"driver_message", "n"}, {"dropped_annotations", "0"}});
  EXPECT_FALSE(event.fails_task());
  EXPECT_EQ(event.Detail(event_key::kDriverMessage), "m");
  EXPECT_EQ(event.Detail(event_key::kDroppedAnnotations), "3");
}

TEST(TaskEventTest, AGivenDisplayMessageWins) {
  TaskEvent event(kSetupFailure);
  event.display_message = "the reason";
  EXPECT_EQ(DisplayMessage(event), "the reason");
}

TEST(TaskEventTest, DetailsOfTheMadeEvents) {
  ExitResult result;
  result.exit_code = 137;
  result.signal = 9;
  result.oom_killed = true;
  result.error = "lost";
  EXPECT_EQ(TerminatedEvent(result).details, (Details{{"exit_code", "137"},
                                                      {"signal", "9"},
                                                      {"oom_killed", "true"},
                                                      {"exit_message", "lost"}}));
  EXPECT_EQ(TerminatedEvent(ExitResult()).details,
            (Details{{"exit_code", "0"}, {"signal", "0"}, {"oom_killed", "false"}}));
  EXPECT_EQ(KillingEvent(90s).details, (Details{{"kill_timeout", "1m30s"}}));
  EXPECT_EQ(RestartingEvent(1s, "why").details,
            (Details{{"start_delay", "1000000000"}, {"restart_reason", "why"}}));
  const TaskEvent failing = TaskEvent(kNotRestarting).FailsTask();
  EXPECT_EQ(failing.details, (Details{{"fails_task", "true"}}));
  EXPECT_TRUE(failing.fails_task());
  EXPECT_FALSE(TaskEvent(kStarted).fails_task());
}

TEST(TaskEventTest, TextsAreCleaned) {
  using std::string_literals::operator""s;
  EXPECT_EQ(CleanEventText("plain \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\n\tx"),
            "plain \xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80\n\tx");
  EXPECT_EQ(CleanEventText("a\0b\x1b[31m\x7f"s), "a\\x00b\\x1b[31m\\x7f");
  const std::string bad = "\xEF\xBF\xBD";
  EXPECT_EQ(CleanEventText("\xff"), bad);
  EXPECT_EQ(CleanEventText("\xC0\xAF"), bad + bad) << "overlong";
  EXPECT_EQ(CleanEventText("\xE0\x80\x80"), bad + bad + bad) << "overlong";
  EXPECT_EQ(CleanEventText("\xED\xA0\x80"), bad + bad + bad) << "surrogate";
  EXPECT_EQ(CleanEventText("\xF4\x90\x80\x80"), bad + bad + bad + bad) << "above U+10FFFF";
  EXPECT_EQ(CleanEventText("x\xE2\x82"), "x" + bad + bad) << "cut off";
}

TEST(TaskEventTest, TextsAreBoundedBetweenCharacters) {
  std::string text;
  for (int i = 0; i < 500'000; ++i) text += "\xC3\xA4";
  const std::string clean = CleanEventText(text);
  EXPECT_LE(clean.size(), 4096u);
  EXPECT_GT(clean.size(), 4000u);
  EXPECT_EQ(clean.substr(clean.size() - 5), "\xC3\xA4...");
  EXPECT_EQ(TaskEvent(kDriver).With("driver_message", text).Detail("driver_message"), clean);
}

TEST(TaskEventTest, ProgressIsASentence) {
  const auto text = [](TaskProgress progress) { return DisplayMessage(ProgressEventOf(progress)); };
  EXPECT_EQ(text({"Pulling image", 12'897'485, 28'311'552, "bytes", ""}),
            "Pulling image: 45 % (12.3 of 27.0 MiB)");
  EXPECT_EQ(text({"Pulling", 512, 1023, "bytes", "layer 3"}),
            "Pulling: 50 % (512 of 1023 B), layer 3");
  EXPECT_EQ(text({"Pulling", 3, 7, "layers", ""}), "Pulling: 42 % (3 of 7 layers)");
  EXPECT_EQ(text({"Pulling", 3, 7, "", ""}), "Pulling: 42 % (3 of 7)");
  EXPECT_EQ(text({"Pulling", 2048, 0, "bytes", ""}), "Pulling: 2.0 KiB");
  EXPECT_EQ(text({"Waiting", 0, 0, "", "for the registry"}), "Waiting: for the registry");
  EXPECT_EQ(text({"", 0, 0, "", ""}), "Working");
  EXPECT_EQ(text({"All", UINT64_MAX, UINT64_MAX, "x", ""}).substr(0, 10), "All: 100 %");
}

// Only the host makes reports of progress, which replace each other.
TEST(TaskEventTest, AnAnnotationMakesNoProgress) {
  const TaskEvent event = DriverEventOf("hello", {{"progress_phase", "x"}, {"other", "y"}});
  EXPECT_FALSE(IsProgress(event));
  EXPECT_EQ(event.Detail("other"), "y");
  EXPECT_TRUE(IsProgress(ProgressEventOf({})));
}

}  // namespace
}  // namespace drover
