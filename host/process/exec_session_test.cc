// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/process_test_fixture.h"

namespace drover {
namespace {

class ExecSessionTest : public ProcessFixture {
 protected:
  void SetUp() override {
    ProcessFixture::SetUp();
    ProcessSpec spec = Shell("exec sleep 1000");
    spec.env.emplace_back("COLOUR", "green");
    spec.cwd = directory_;
    run_ = MustStart(std::move(spec));
  }
  void TearDown() override {
    session_.reset();
    input_.Reset();
    output_.Reset();
    error_.Reset();
    ProcessFixture::TearDown();
  }

  // Starts ARGV without a terminal; our ends of its pipes are the members.
  Status Open(std::vector<std::string> argv) {
    int in[2], out[2], err[2];
    if (pipe2(in, O_CLOEXEC) || pipe2(out, O_CLOEXEC) || pipe2(err, O_CLOEXEC)) abort();
    ExecSpec spec;
    spec.argv = std::move(argv);
    spec.standard_input = UniqueFd(in[0]);
    spec.standard_output = UniqueFd(out[1]);
    spec.standard_error = UniqueFd(err[1]);
    input_ = UniqueFd(in[1]);
    output_ = UniqueFd(out[0]);
    error_ = UniqueFd(err[0]);
    return Begin(std::move(spec));
  }
  Status OpenTerminal(std::vector<std::string> argv) {
    ExecSpec spec;
    spec.argv = std::move(argv);
    spec.tty = true;
    spec.rows = 50;
    spec.columns = 40;
    return Begin(std::move(spec));
  }
  Status Begin(ExecSpec spec) {
    auto session = Await(service_->Exec(Forever(), run_, std::move(spec)));
    if (!session.ok()) return session.error();
    session_ = std::move(*session);
    return {};
  }
  ExecExit Finish() {
    Result<ExecExit> exit = Await(session_->Wait(Forever()));
    EXPECT_TRUE(exit.ok()) << exit.error().message();
    return exit.ok() ? *exit : ExecExit();
  }
  static std::string ReadAll(int fd) {
    std::string text;
    char buffer[4096];
    ssize_t n;
    while ((n = read(fd, buffer, sizeof buffer)) > 0) text.append(buffer, std::size_t(n));
    return text;
  }
  // Reads the terminal until TEXT appears.
  bool Sees(const std::string& text) {
    return Until([&] {
      seen_ += ReadAll(session_->terminal());
      return seen_.find(text) != std::string::npos;
    });
  }

  RunId run_;
  std::unique_ptr<ExecSession> session_;
  UniqueFd input_, output_, error_;
  std::string seen_;
};

TEST_F(ExecSessionTest, SeparateOutputsAndExitCode) {
  ASSERT_TRUE(Open({"/bin/sh", "-c", "echo out; echo err >&2; exit 43"}).ok());
  EXPECT_EQ(Finish().exit_code, 43);
  EXPECT_EQ(ReadAll(output_.get()), "out\n");
  EXPECT_EQ(ReadAll(error_.get()), "err\n");
}

TEST_F(ExecSessionTest, RunsWhereTheTaskRuns) {
  ASSERT_TRUE(Open({"sh", "-c", "echo $COLOUR; pwd; cat /proc/self/cgroup | sort -r"}).ok());
  EXPECT_EQ(Finish().exit_code, 0);
  const std::string text = ReadAll(output_.get());
  const std::string told = "green\n" + directory_ + "\n";
  EXPECT_EQ(text.substr(0, told.size()), told);
  if (has_cgroups()) EXPECT_NE(text.find(run_.ToString()), std::string::npos) << text;
}

TEST_F(ExecSessionTest, StandardInputAndItsEnd) {
  ASSERT_TRUE(Open({"cat"}).ok());
  ASSERT_EQ(write(input_.get(), "hello\n", 6), 6);
  input_.Reset();
  EXPECT_EQ(Finish().exit_code, 0);
  EXPECT_EQ(ReadAll(output_.get()), "hello\n");
}

TEST_F(ExecSessionTest, WithoutTerminalThereIsNone) {
  ASSERT_TRUE(Open({"sh", "-c", "stty 2>&1; test -t 0 || exit 1"}).ok());
  EXPECT_EQ(Finish().exit_code, 1);
  EXPECT_EQ(session_->terminal(), -1);
  EXPECT_EQ(session_->Resize(10, 10).code(), Code::kFailedPrecondition);
}

TEST_F(ExecSessionTest, SignalsBecomeExitCodes) {
  ASSERT_TRUE(Open({"sh", "-c", "kill -KILL $$"}).ok());
  const ExecExit exit = Finish();
  EXPECT_EQ(exit.exit_code, 137);
  EXPECT_EQ(exit.signal, SIGKILL);
}

TEST_F(ExecSessionTest, ACommandThatCannotBeExecuted) {
  ASSERT_TRUE(Open({"no-such-command"}).ok());
  ExecExit exit = Finish();
  EXPECT_EQ(exit.exit_code, 127);
  EXPECT_EQ(exit.error, "cannot execute no-such-command: No such file or directory");
  ASSERT_TRUE(Open({"/etc"}).ok());
  exit = Finish();
  EXPECT_EQ(exit.exit_code, 126);
  EXPECT_EQ(exit.error, "cannot execute /etc: Permission denied");
}

TEST_F(ExecSessionTest, ATerminalMergesTheOutputs) {
  ASSERT_TRUE(OpenTerminal({"sh", "-c", "echo out; echo err >&2; exit 43"}).ok());
  EXPECT_EQ(Finish().exit_code, 43);
  EXPECT_EQ(ReadAll(session_->terminal()), "out\r\nerr\r\n");
}

TEST_F(ExecSessionTest, ATerminalControlsEchoesAndResizes) {
  ASSERT_TRUE(OpenTerminal({"sh", "-c",
                            "stty size; echo $TERM; : < /dev/tty && echo controlled; read line; "
                            "echo got $line; trap 'stty size; exit 0' WINCH; echo ready; "
                            "while :; do sleep 0.01; done"})
                  .ok());
  ASSERT_TRUE(Sees("50 40\r\nxterm\r\ncontrolled\r\n")) << seen_;
  ASSERT_EQ(write(session_->terminal(), "abc\n", 4), 4);
  ASSERT_TRUE(Sees("abc\r\ngot abc\r\n")) << seen_;
  ASSERT_TRUE(Sees("ready")) << seen_;
  ASSERT_TRUE(session_->Resize(100, 100).ok());
  ASSERT_TRUE(Sees("100 100")) << seen_;
  EXPECT_EQ(Finish().exit_code, 0);
}

TEST_F(ExecSessionTest, TheInterruptKeyReachesTheCommand) {
  ASSERT_TRUE(OpenTerminal({"sh", "-c", "echo ready; exec sleep 1000"}).ok());
  ASSERT_TRUE(Sees("ready"));
  ASSERT_EQ(write(session_->terminal(), "\003", 1), 1);
  EXPECT_EQ(Finish().signal, SIGINT);
}

TEST_F(ExecSessionTest, ABackgroundChildDoesNotKeepTheSession) {
  ASSERT_TRUE(
      OpenTerminal({"sh", "-c", "trap '' HUP; (trap '' HUP; sleep 1000) & echo started; exit 4"})
          .ok());
  EXPECT_EQ(Finish().exit_code, 4);
  EXPECT_EQ(ReadAll(session_->terminal()), "started\r\n");
}

TEST_F(ExecSessionTest, CloseKillsTheGroup) {
  ASSERT_TRUE(Open({"sh", "-c", "sleep 1000 & echo $! > $DIR/child; wait"}).ok());
  const pid_t child = PidIn("child");
  session_->Close();
  EXPECT_EQ(Finish().signal, SIGKILL);
  EXPECT_TRUE(Until([&] { return !Alive(child); }));
  EXPECT_EQ(session_->Signal(SIGTERM).code(), Code::kFailedPrecondition);
}

TEST_F(ExecSessionTest, TheEndOfTheConnectionKillsTheGroup) {
  ASSERT_TRUE(Open({"sh", "-c", "sleep 1000 & echo $! > $DIR/child; wait"}).ok());
  const pid_t child = PidIn("child");
  session_.reset();
  EXPECT_TRUE(Until([&] { return !Alive(child); }));
}

TEST_F(ExecSessionTest, TheEndOfTheTaskEndsItsSessions) {
  ASSERT_TRUE(Open({"sh", "-c", "trap '' TERM; sleep 1000"}).ok());
  ASSERT_TRUE(service_->Kill(run_).ok());
  EXPECT_EQ(Finish().signal, SIGKILL);
  EXPECT_EQ(WaitFor(run_).signal, SIGKILL);
  EXPECT_EQ(Open({"true"}).code(), Code::kFailedPrecondition);
}

TEST_F(ExecSessionTest, SignalGoesToTheGroup) {
  ASSERT_TRUE(
      Open({"sh", "-c", "trap 'exit 8' USR1; echo ready; while :; do sleep 0.01; done"}).ok());
  char buffer[6];
  ASSERT_EQ(read(output_.get(), buffer, 6), 6);
  EXPECT_EQ(session_->Signal(0).code(), Code::kInvalidArgument);
  ASSERT_TRUE(session_->Signal(SIGUSR1).ok());
  EXPECT_EQ(Finish().exit_code, 8);
}

TEST_F(ExecSessionTest, AllOfALargeOutputArrives) {
  ASSERT_TRUE(Open({"sh", "-c", "head -c 20000000 /dev/zero"}).ok());
  std::size_t count = 0;
  std::thread reader([&] { count = ReadAll(output_.get()).size(); });
  EXPECT_EQ(Finish().exit_code, 0);
  reader.join();
  EXPECT_EQ(count, 20000000u);
}

TEST_F(ExecSessionTest, BadRequestsAreRefused) {
  EXPECT_EQ(Open({}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Open({""}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Open({"sh", std::string("a\0b", 3)}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Open({"sh", std::string(70000, 'x')}).code(), Code::kInvalidArgument);
  EXPECT_EQ(Open(std::vector<std::string>(2000, "x")).code(), Code::kInvalidArgument);
}

TEST_F(ExecSessionTest, ManySessions) {
  std::vector<std::unique_ptr<ExecSession>> sessions;
  Code last = Code::kOk;
  for (int i = 0; i < 40 && last == Code::kOk; ++i) {
    last = Open({"sleep", "1000"}).code();
    if (last == Code::kOk) sessions.push_back(std::move(session_));
  }
  EXPECT_EQ(sessions.size(), 32u);
  EXPECT_EQ(last, Code::kResourceExhausted);
  sessions.clear();
  EXPECT_TRUE(Until([&] { return Open({"true"}).ok(); }));
  EXPECT_EQ(Finish().exit_code, 0);
}

}  // namespace
}  // namespace drover
