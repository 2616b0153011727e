// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/host_command.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <vector>

#include "drover/drover_command.h"
#include "host/abi/abi_write.h"
#include "host/base/directory_for_test.h"
#include "host/child/helper.h"
#include "host/plugin/plugin_host.h"

namespace drover {
namespace {

using testing::HasSubstr;

// What DONE got for one command. Its address is the context of the command.
struct CommandAnswer {
  std::atomic<bool> come{false};
  int calls = 0;
  std::int32_t code = DROVER_OK;
  std::string message;
  int exit_code = -1;
  int signal = 0;
  std::uint32_t flags = 0;
  std::string output;
  std::string errors;
};

void TakeAnswer(void* context, const drover_error* error, const void* result) {
  auto* const answer = static_cast<CommandAnswer*>(context);
  ++answer->calls;
  if (error != nullptr) {
    answer->code = error->code;
    answer->message.assign(error->message, error->message_size);
  } else {
    const auto* const end = static_cast<const drover_command_result*>(result);
    answer->exit_code = end->exit_result->exit_code;
    answer->signal = end->exit_result->signal;
    answer->flags = end->flags;
    answer->output.assign(end->output.data, end->output.size);
    answer->errors.assign(end->error.data, end->error.size);
  }
  answer->come = true;
}

class HostCommandTest : public testing::Test {
 protected:
  HostCommandTest() {
    PluginHost::Parts parts;
    parts.plugin = "test";
    parts.loop = &loop_;
    parts.limits.command = 60s;
    host_ = PluginHost::Make(std::move(parts));
    table_ = static_cast<const drover_command*>(
        host_->face()->get_extension(host_->face(), ToStr(DROVER_COMMAND_ID)));
  }
  ~HostCommandTest() override { Close(); }

  void Close() {
    if (closed_) return;
    closed_ = true;
    EXPECT_TRUE(loop_.RunToEnd(host_->CloseServices(), 60s));
    EXPECT_TRUE(loop_.RunToEnd(host_->Close(loop_.Now() + 5s), 60s));
  }

  struct Asked {
    std::vector<std::string> argv;
    StringMap env{};
    std::string work_dir{};
    std::string user{};
    std::string input{};
    Duration timeout{0};
    std::int64_t max_output = 0;
    std::int64_t memory_limit = 0;
  };
  static Asked Shell(const std::string& script) { return {{"/bin/sh", "-c", script}}; }

  // Returns the code of the refusal, or DROVER_OK.
  std::int32_t Begin(const Asked& asked, CommandAnswer* answer) {
    std::vector<drover_str> argv;
    for (const std::string& text : asked.argv) argv.push_back(ToStr(text));
    std::vector<drover_pair> env;
    for (const auto& [key, value] : asked.env) env.push_back({ToStr(key), ToStr(value)});
    auto args = NewStruct<drover_command_args>();
    args.argv = ToArray(argv);
    args.env = ToArray(env);
    args.work_dir = ToStr(asked.work_dir);
    args.user = ToStr(asked.user);
    args.input = ToStr(asked.input);
    args.timeout = asked.timeout.count();
    args.max_output = asked.max_output;
    args.memory_limit = asked.memory_limit;
    auto error = NewStruct<drover_error>();
    const std::int32_t code = table_->run(host_->face(), &args, &TakeAnswer, answer, &error);
    if (code != DROVER_OK) answer->message.assign(error.message, error.message_size);
    return code;
  }
  bool Until(const std::function<bool()>& done) {
    const TimePoint end = BootClock::now() + 60s;
    const Context context(&loop_);
    while (!done() && BootClock::now() < end) EXPECT_TRUE(loop_.RunToEnd(Pause(context), 60s));
    return done();
  }
  void Run(const Asked& asked, CommandAnswer* answer) {
    ASSERT_EQ(Begin(asked, answer), DROVER_OK) << answer->message;
    ASSERT_TRUE(Until([&] { return answer->come.load(); }));
  }
  std::string Refusal(const Asked& asked) {
    CommandAnswer answer;
    EXPECT_NE(Begin(asked, &answer), DROVER_OK);
    return answer.message;
  }
  static Co<void> Pause(Context context) { (void)co_await Sleep(context, 1ms); }

  // Reads a process id that a script has written to PATH.
  pid_t PidIn(const std::string& path) {
    pid_t pid = 0;
    EXPECT_TRUE(Until([&] { return static_cast<bool>(std::ifstream(path) >> pid); })) << path;
    return pid;
  }
  bool IsGone(pid_t pid) {
    return Until([pid] { return kill(pid, 0) != 0 && errno == ESRCH; });
  }

  RealLoop loop_;
  DirectoryForTest directory_;
  std::shared_ptr<PluginHost> host_;
  const drover_command* table_ = nullptr;
  bool closed_ = false;
};

TEST_F(HostCommandTest, AProgramGetsWhatItWasGivenAndItsEndIsTold) {
  CommandAnswer answer;
  Asked asked = Shell("cat; echo \"$A $B\"; pwd; echo words >&2; exit 7");
  asked.env = {{"A", "1"}, {"PATH", "/usr/bin:/bin"}};
  asked.work_dir = "/usr";
  asked.input = std::string("in\0put\n", 7);
  Run(asked, &answer);
  EXPECT_EQ(answer.code, DROVER_OK) << answer.message;
  EXPECT_EQ(answer.exit_code, 7);
  EXPECT_EQ(answer.output, std::string("in\0put\n1 \n/usr\n", 15));
  EXPECT_EQ(answer.errors, "words\n");
  EXPECT_EQ(answer.flags, 0u);
  EXPECT_EQ(answer.calls, 1);
}

TEST_F(HostCommandTest, ASignalIsTold) {
  CommandAnswer answer;
  Run(Shell("kill -9 $$"), &answer);
  EXPECT_EQ(answer.signal, SIGKILL) << answer.message;
}

TEST_F(HostCommandTest, TheProgramHasNoDescriptorsOfTheHost) {
  const UniqueFd open(dup(1));  // not closed when a program is executed
  CommandAnswer answer;
  Asked asked = Shell("ls /proc/self/fd");
  asked.env = {{"PATH", "/usr/bin:/bin"}};
  Run(asked, &answer);
  EXPECT_EQ(answer.output, "0\n1\n2\n3\n") << "3 is the directory that ls reads";
}

TEST_F(HostCommandTest, BothOutputsAreBounded) {
  CommandAnswer answer;
  Asked asked =
      Shell("i=0; while [ $i -lt 500 ]; do echo 0123456789; echo x >&2; i=$((i+1)); done");
  asked.max_output = 1000;
  Run(asked, &answer);
  EXPECT_EQ(answer.exit_code, 0) << answer.message;
  EXPECT_EQ(answer.output.size(), 1000u);
  EXPECT_EQ(answer.errors.size(), 1000u) << "500 lines of two bytes";
  EXPECT_EQ(answer.flags, DROVER_COMMAND_OUTPUT_TRUNCATED) << "the errors fit exactly";
  EXPECT_TRUE(answer.output.starts_with("0123456789\n"));
}

TEST_F(HostCommandTest, AtTheDeadlineAllItsProcessesAreKilled) {
  const std::string file = directory_.path() + "/pid";
  CommandAnswer answer;
  Asked asked = Shell("setsid sh -c 'trap \"\" TERM; echo $$ > " + file +
                      "; while :; do sleep 1; done' & echo trouble >&2; wait");
  asked.env = {{"PATH", "/usr/bin:/bin"}};
  asked.timeout = 10s;  // the script must write its id before
  ASSERT_EQ(Begin(asked, &answer), DROVER_OK);
  const pid_t escaped = PidIn(file);
  ASSERT_TRUE(Until([&] { return answer.come.load(); }));
  EXPECT_EQ(answer.code, DROVER_E_TIMEOUT);
  EXPECT_THAT(answer.message, HasSubstr("/bin/sh has not ended within 10s and was killed"));
  EXPECT_THAT(answer.message, HasSubstr("its last words: trouble"));
  EXPECT_TRUE(IsGone(escaped));
}

TEST_F(HostCommandTest, WhatAProgramLeavesBehindIsKilled) {
  const std::string file = directory_.path() + "/pid";
  CommandAnswer answer;
  Asked asked = Shell("setsid sh -c 'echo $$ > " + file + "; exec sleep 1000' & while [ ! -s " +
                      file + " ]; do sleep 0.01; done");
  asked.env = {{"PATH", "/usr/bin:/bin"}};
  Run(asked, &answer);
  EXPECT_EQ(answer.exit_code, 0) << answer.message;
  EXPECT_TRUE(IsGone(PidIn(file)));
}

TEST_F(HostCommandTest, ACancelledCommandEndsAtOnce) {
  const std::string file = directory_.path() + "/pid";
  CommandAnswer answer;
  Asked asked = Shell("echo $$ > " + file + "; exec sleep 1000");
  asked.env = {{"PATH", "/usr/bin:/bin"}};
  ASSERT_EQ(Begin(asked, &answer), DROVER_OK);
  const pid_t pid = PidIn(file);
  table_->cancel(host_->face(), &answer);
  table_->cancel(host_->face(), &directory_);  // an unknown one
  ASSERT_TRUE(Until([&] { return answer.come.load(); }));
  EXPECT_EQ(answer.code, DROVER_E_CANCELLED);
  EXPECT_TRUE(IsGone(pid));
  table_->cancel(host_->face(), &answer);
  EXPECT_EQ(answer.calls, 1);
}

TEST_F(HostCommandTest, TheEndOfTheInstanceKillsThemAll) {
  const std::string file = directory_.path() + "/pid";
  std::vector<CommandAnswer> answers(DROVER_COMMANDS_AT_A_TIME + 3);
  Asked asked = Shell("echo $$ > " + file + "; exec sleep 1000");
  asked.env = {{"PATH", "/usr/bin:/bin"}};
  for (CommandAnswer& answer : answers) ASSERT_EQ(Begin(asked, &answer), DROVER_OK);
  const pid_t pid = PidIn(file);
  Close();
  EXPECT_TRUE(IsGone(pid));
  for (const CommandAnswer& answer : answers) {
    EXPECT_TRUE(answer.come);
    EXPECT_EQ(answer.code, DROVER_E_UNAVAILABLE) << answer.message;
  }
  CommandAnswer late;
  (void)Begin(asked, &late);
  EXPECT_FALSE(late.come);
}

TEST_F(HostCommandTest, SomeRunAtATimeAndAllGetTheirTurn) {
  std::vector<CommandAnswer> answers(3 * DROVER_COMMANDS_AT_A_TIME);
  // Each makes a directory while it runs, and counts those that there are.
  Asked asked = Shell("mkdir " + directory_.path() + "/run$$; ls -d " + directory_.path() +
                      "/run* | wc -l; sleep 0.05; rmdir " + directory_.path() + "/run$$");
  asked.env = {{"PATH", "/usr/bin:/bin"}};
  for (CommandAnswer& answer : answers) ASSERT_EQ(Begin(asked, &answer), DROVER_OK);
  for (CommandAnswer& answer : answers) {
    ASSERT_TRUE(Until([&] { return answer.come.load(); }));
    EXPECT_EQ(answer.exit_code, 0) << answer.message << answer.errors;
    EXPECT_LE(std::atoi(answer.output.c_str()), DROVER_COMMANDS_AT_A_TIME);
  }
}

TEST_F(HostCommandTest, TooManyThatWaitAreRefused) {
  std::vector<CommandAnswer> answers(DROVER_COMMANDS_AT_A_TIME + DROVER_COMMANDS_WAITING + 1);
  Asked asked = Shell("exec sleep 1000");
  asked.env = {{"PATH", "/usr/bin:/bin"}};
  for (CommandAnswer& answer : answers) ASSERT_EQ(Begin(asked, &answer), DROVER_OK);
  ASSERT_TRUE(Until([&] { return answers.back().come.load(); }));
  EXPECT_EQ(answers.back().code, DROVER_E_RESOURCE_EXHAUSTED);
  EXPECT_FALSE(answers[DROVER_COMMANDS_AT_A_TIME].come);
  Close();  // the answers must outlive the commands
}

TEST_F(HostCommandTest, TwoCommandsCannotHaveTheSameContext) {
  CommandAnswer answer;
  Asked asked = Shell("exec sleep 1000");
  asked.env = {{"PATH", "/usr/bin:/bin"}};
  ASSERT_EQ(Begin(asked, &answer), DROVER_OK);
  ASSERT_EQ(Begin(asked, &answer), DROVER_OK);
  ASSERT_TRUE(Until([&] { return answer.come.load(); }));
  EXPECT_EQ(answer.code, DROVER_E_FAILED_PRECONDITION);
  Close();  // the answer must outlive the command
}

TEST_F(HostCommandTest, HostileArgumentsAreRefusedByName) {
  EXPECT_THAT(Refusal({{}}), HasSubstr("argv is empty"));
  EXPECT_THAT(Refusal({{""}}), HasSubstr("is no program"));
  EXPECT_THAT(Refusal({{"bin/true"}}), HasSubstr("\"bin/true\" is no program"));
  EXPECT_THAT(Refusal({{"../true"}}), HasSubstr("absolute path"));
  EXPECT_THAT(Refusal({{"/bin/echo", std::string("a\0b", 3)}}), HasSubstr("NUL byte"));
  EXPECT_THAT(Refusal({{"/bin/echo", std::string(DROVER_COMMAND_ARGUMENTS_MAX, 'a')}}),
              HasSubstr("bytes"));
  EXPECT_THAT(Refusal({{"/bin/true"}, {{"A=B", "x"}}}), HasSubstr("no usable name"));
  EXPECT_THAT(Refusal({{"/bin/true"}, {{"", "x"}}}), HasSubstr("no usable name"));
  EXPECT_THAT(Refusal({{"/bin/true"}, {}, "tmp"}), HasSubstr("work_dir is no absolute path"));
  Asked asked{{"/bin/true"}};
  asked.input = std::string(DROVER_COMMAND_INPUT_MAX + 1, 'x');
  EXPECT_THAT(Refusal(asked), HasSubstr("input"));
  asked.input.clear();
  asked.max_output = DROVER_COMMAND_OUTPUT_MAX + 1;
  EXPECT_THAT(Refusal(asked), HasSubstr("max_output is at most"));
  asked.max_output = -1;
  EXPECT_THAT(Refusal(asked), HasSubstr("must not be negative"));
}

TEST_F(HostCommandTest, WhatCannotBeRunIsToldWithItsStep) {
  const auto failure = [this](const Asked& asked) {
    CommandAnswer answer;
    Run(asked, &answer);
    EXPECT_NE(answer.code, DROVER_OK);
    return answer.message;
  };
  EXPECT_THAT(failure({{"/no/such/program"}}), HasSubstr("/no/such/program cannot be executed"));
  EXPECT_THAT(failure({{"/etc/passwd"}}), HasSubstr("cannot be executed"));
  EXPECT_THAT(failure({{"no-such-program"}}), HasSubstr("there is no program \"no-such-program\""));
  EXPECT_THAT(failure({{"/bin/true"}, {}, "/no/such"}), HasSubstr("enter its working directory"));
  EXPECT_THAT(failure({{"/bin/true"}, {}, "", "no-such-user"}), HasSubstr("does not exist"));
}

TEST_F(HostCommandTest, APlainNameIsFoundInThePathOfItsEnvironment) {
  const std::string own = directory_.path() + "/drover-test-helper";
  std::ofstream(own) << "#!/bin/sh\necho mine\n";
  std::filesystem::permissions(own, std::filesystem::perms(0755));
  CommandAnswer answer;
  Run({{"drover-test-helper"}, {{"PATH", ".:/usr/bin:" + directory_.path()}}}, &answer);
  EXPECT_EQ(answer.output, "mine\n") << answer.message;
  CommandAnswer missing;
  Run({{"drover-test-helper"}}, &missing);
  EXPECT_EQ(missing.code, DROVER_E_NOT_FOUND);
}

TEST_F(HostCommandTest, ItsMemoryIsLimited) {
  CommandAnswer answer;
  Asked asked = Shell("ulimit -d");
  asked.memory_limit = 64 << 20;
  Run(asked, &answer);
  EXPECT_EQ(answer.output, "65536\n") << answer.message;
}

TEST_F(HostCommandTest, ItRunsAsItsUser) {
  if (geteuid() != 0) GTEST_SKIP() << "only root can run programs as others";
  CommandAnswer answer;
  Run({{"/usr/bin/id", "-u"}, {}, "", "65534"}, &answer);
  EXPECT_EQ(answer.output, "65534\n") << answer.message;
}

// Nobody ends the keeper when the agent was killed, so the kernel does.
TEST_F(HostCommandTest, AHelperEndsWithTheThreadThatWaitsForIt) {
  const std::string file = directory_.path() + "/pid";
  const pid_t agent = fork();
  if (agent == 0) {
    HelperRun run;
    run.arguments = {"/bin/sh", "-c", "echo $$ > " + file + "; exec sleep 1000"};
    run.environment = {"PATH=/usr/bin:/bin"};
    (void)RunHelper(run);
    _exit(0);
  }
  const pid_t helper = PidIn(file);
  kill(agent, SIGKILL);
  int status = 0;
  ASSERT_EQ(waitpid(agent, &status, 0), agent);
  EXPECT_TRUE(IsGone(helper));
}

}  // namespace
}  // namespace drover
