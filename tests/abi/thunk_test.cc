// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// No exception of a driver passes the border, in any verb and with either C++ runtime.
#include <fcntl.h>
#include <gtest/gtest.h>

#include <ostream>

#include "fake_host.h"

namespace drover_test {
namespace {

struct Case {
  const char* library;
  const char* what;
  int code;
  const char* text;
  bool recoverable;
};

// Prints the name, not the bytes, in the list of the tests.
void PrintTo(const Case& of, std::ostream* out) {
  const std::string library = of.library;
  *out << library.substr(library.rfind('/') + 1) << " throws " << of.what;
}

class ThunkTest : public testing::TestWithParam<Case> {
 protected:
  void Check(const std::optional<Failure>& failure, const char* verb) {
    ASSERT_TRUE(failure.has_value()) << verb;
    EXPECT_EQ(failure->code, GetParam().code) << verb;
    EXPECT_EQ(failure->message, GetParam().text) << verb;
    EXPECT_EQ(failure->recoverable, GetParam().recoverable) << verb;
  }
  std::string Config(bool in_create) {
    return std::string(R"({"what":")") + GetParam().what + R"(","in_create":)" +
           (in_create ? "true}" : "false}");
  }
  FakeHost host_;
};

TEST_P(ThunkTest, EveryVerb) {
  ASSERT_NE(host_.Load(GetParam().library), nullptr) << host_.log();
  Check(host_.Create(Config(true)).error, "create");
  ASSERT_TRUE(host_.Create(Config(false)).ok());
  Task task;
  task.run = RunOf(1);
  std::string handle = "x";
  Check(host_.Finish(host_.Configure("{}")).error, "configure");
  Check(host_.Finish(host_.Start(task)).error, "start");
  Check(host_.Finish(host_.Recover(task, &handle)).error, "recover");
  std::uint64_t wait = host_.Wait(task.run);
  Check(host_.Finish(wait).error, "wait");
  EXPECT_EQ(host_.completions(wait), 0) << "a refused call is not completed too, though kept";
  std::uint64_t stop = host_.Stop(task.run, 0s);
  EXPECT_TRUE(host_.Finish(stop).ok()) << "it was completed before the throw";
  EXPECT_EQ(host_.completions(stop), 1);
  Check(host_.Finish(host_.Destroy(task.run, true)).error, "destroy");
  Check(host_.Finish(host_.Inspect(task.run)).error, "inspect");
  Check(host_.Finish(host_.RestoreComplete({task.run})).error, "restore_complete");
  Check(host_.Signal(task.run, "SIGHUP"), "signal");
  StreamLog probed = host_.AwaitMessages(host_.Fingerprint(), 1);
  ASSERT_EQ(probed.messages.size(), 1u);
  EXPECT_EQ(probed.messages[0].health, DROVER_UNHEALTHY);
  EXPECT_EQ(probed.messages[0].description, GetParam().text);
  std::uint64_t events = host_.Events();
  Check(host_.stream(events).error, "events");
  EXPECT_EQ(host_.JoinStream(events, 0s), DROVER_OK) << "a refused stream is not open";
  Failure error;
  host_.Stats(task.run, 1s, &error);
  Check(error, "stats");
  int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
  Check(host_.Finish(host_.Exec(task.run, {"x"}, false, fd, -1, -1)).error, "exec");
  EXPECT_EQ(fcntl(fd, F_GETFD), -1) << "a given descriptor is closed, whatever the call returns";
  Check(host_.Resize(1, 2, 3), "resize");
  Check(host_.Shutdown().error, "shutdown");
  EXPECT_EQ(host_.completions(wait), 0);
}

TEST_P(ThunkTest, ForeignArguments) {
  const drover_driver* driver = host_.Load(GetParam().library);
  ASSERT_NE(driver, nullptr);
  ASSERT_TRUE(host_.Create("{}").ok());
  drover_error error = {};
  error.struct_size = sizeof error;
  drover_call call = {};
  call.struct_size = sizeof call;
  call.id = 1;
  drover_start_args args = {};
  args.struct_size = sizeof args;
  EXPECT_EQ(driver->start(nullptr, &call, &args, &error), DROVER_E_INVALID_ARGUMENT);
  EXPECT_EQ(driver->start(host_.instance(), nullptr, &args, &error), DROVER_E_INVALID_ARGUMENT);
  EXPECT_EQ(driver->start(host_.instance(), &call, nullptr, &error), DROVER_E_INVALID_ARGUMENT);
  EXPECT_EQ(driver->start(host_.instance(), &call, &args, &error), DROVER_E_INVALID_ARGUMENT);
  EXPECT_EQ(std::string(error.message, error.message_size), "the task configuration is missing");
  EXPECT_EQ(driver->start(host_.instance(), &call, &args, nullptr), DROVER_E_INVALID_ARGUMENT);
  EXPECT_EQ(driver->signal(host_.instance(), &call, nullptr, &error), DROVER_E_INVALID_ARGUMENT);
  EXPECT_EQ(driver->get_extension(host_.instance(), {"drover.task-stats/1X", 20}), nullptr);
  EXPECT_EQ(driver->get_extension(host_.instance(), {nullptr, 0}), nullptr);
  // A given descriptor belongs to the receiver, even when all else in the call is wrong.
  auto* part = static_cast<const drover_task_exec*>(driver->get_extension(
      host_.instance(), {DROVER_TASK_EXEC_ID, sizeof DROVER_TASK_EXEC_ID - 1}));
  drover_exec_args exec = {};
  exec.struct_size = sizeof exec;
  exec.input = {open("/dev/null", O_RDWR | O_CLOEXEC), DROVER_FD_GIVEN};
  EXPECT_EQ(part->exec(host_.instance(), nullptr, &exec, &error), DROVER_E_INVALID_ARGUMENT);
  EXPECT_EQ(fcntl(exec.input.fd, F_GETFD), -1);
  driver->call_cancelled(host_.instance(), 999);
  driver->stream_cancel(host_.instance(), 999);
}

INSTANTIATE_TEST_SUITE_P(
    All, ThunkTest,
    testing::Values(Case{THROWER_SO, "error", DROVER_E_PERMISSION_DENIED, "typed", true},
                    Case{THROWER_SO, "exception", DROVER_E_INTERNAL, "standard", false},
                    Case{THROWER_SO, "integer", DROVER_E_INTERNAL,
                         "the driver threw something that is no std::exception", false},
                    Case{THROWER_STATIC_SO, "error", DROVER_E_PERMISSION_DENIED, "typed", true},
                    Case{THROWER_STATIC_SO, "exception", DROVER_E_INTERNAL, "standard", false},
                    Case{THROWER_STATIC_SO, "integer", DROVER_E_INTERNAL,
                         "the driver threw something that is no std::exception", false}));

}  // namespace
}  // namespace drover_test
