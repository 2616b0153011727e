// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/script_checks.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace drover {
namespace {

// A session whose script is a function on a thread. It gets the descriptor of its output.
class ThreadSession : public TaskExecSession {
 public:
  using Script = std::function<ExitResult(int output, const std::atomic<bool>& killed)>;

  ThreadSession(Loop* loop, ExecRequest request, Script script)
      : output_(std::move(request.output)), ended_(std::make_shared<Event>(loop)) {
    thread_ = std::thread([this, loop, script = std::move(script), ended = ended_] {
      exit_ = script(output_.get(), killed_);
      loop->Post([ended] { ended->Set(); });
    });
  }
  ~ThreadSession() override {
    killed_ = true;
    thread_.join();
  }
  Status Resize(TerminalSize) override { return {}; }
  Co<Result<ExitResult>> Wait(Context context) override {
    DROVER_CO_TRY(co_await ended_->Wait(context));
    co_return exit_;
  }

 private:
  UniqueFd output_;
  const std::shared_ptr<Event> ended_;
  std::atomic<bool> killed_{false};
  ExitResult exit_;
  std::thread thread_;
};

class ScriptChecksTest : public testing::Test {
 protected:
  ScriptChecksTest() {
    plan_->alloc_id = "alloc";
    plan_->check.type = CheckType::kScript;
    plan_->check.command = "/bin/check";
    plan_->check.args = {"-v"};
    plan_->check.task = "web";
    plan_->check.timeout = 10s;
  }
  ExecInTask Exec(ThreadSession::Script script) {
    return [this, script](Context, std::string task, ExecRequest request) {
      EXPECT_EQ(task, "web");
      EXPECT_EQ(request.command, (std::vector<std::string>{"/bin/check", "-v"}));
      EXPECT_TRUE(request.interpolate);
      return Begin(&loop_, std::move(request), script);
    };
  }
  static Co<Result<std::unique_ptr<TaskExecSession>>> Begin(Loop* loop, ExecRequest request,
                                                            ThreadSession::Script script) {
    std::unique_ptr<TaskExecSession> session =
        std::make_unique<ThreadSession>(loop, std::move(request), std::move(script));
    co_return session;
  }
  CheckAnswer Ask(ThreadSession::Script script) {
    CheckAnswer answer;
    auto ask = [](Loop* loop, ExecInTask exec, std::shared_ptr<const CheckPlan> plan,
                  CheckAnswer* out) -> Co<void> {
      const Context context(loop);
      *out = co_await AskScript(context, exec, plan);
    };
    EXPECT_TRUE(loop_.RunToEnd(ask(&loop_, Exec(std::move(script)), plan_, &answer), 30s));
    return answer;
  }
  static ExitResult Exit(int code) {
    ExitResult exit;
    exit.exit_code = code;
    return exit;
  }

  RealLoop loop_;
  std::shared_ptr<CheckPlan> plan_ = std::make_shared<CheckPlan>();
};

TEST_F(ScriptChecksTest, TheExitCodeDecides) {
  for (const auto& [code, status] :
       {std::pair(0, CheckStatus::kSuccess), std::pair(1, CheckStatus::kWarning),
        std::pair(2, CheckStatus::kFailure)}) {
    const CheckAnswer answer = Ask([code = code](int output, const std::atomic<bool>&) {
      EXPECT_EQ(write(output, "hello\n", 6), 6);
      return Exit(code);
    });
    EXPECT_EQ(answer.status, status);
    EXPECT_EQ(answer.output, "hello\n");
  }
  const CheckAnswer killed = Ask([](int, const std::atomic<bool>&) {
    ExitResult exit;
    exit.signal = 9;
    return exit;
  });
  EXPECT_EQ(killed.status, CheckStatus::kFailure);
  EXPECT_EQ(killed.output, "the script was ended by signal 9");
}

TEST_F(ScriptChecksTest, ALongOutputIsCutAndDoesNotStopTheScript) {
  const CheckAnswer answer = Ask([](int output, const std::atomic<bool>&) {
    const std::string block(1000, 'x');
    for (int i = 0; i < 200; ++i) EXPECT_EQ(write(output, block.data(), block.size()), 1000);
    return Exit(0);
  });
  EXPECT_EQ(answer.status, CheckStatus::kSuccess);
  EXPECT_EQ(answer.output, std::string(kMostCheckOutput, 'x'));
}

TEST_F(ScriptChecksTest, AScriptThatHangsIsKilledAtTheTimeout) {
  plan_->check.timeout = 1s;
  const CheckAnswer answer = Ask([](int output, const std::atomic<bool>& killed) {
    EXPECT_EQ(write(output, "busy", 4), 4);
    while (!killed) std::this_thread::sleep_for(5ms);
    return Exit(0);
  });
  EXPECT_EQ(answer.status, CheckStatus::kFailure);
  EXPECT_EQ(answer.output, "the script has not ended within 1s: busy");
}

TEST_F(ScriptChecksTest, AnErrorOfTheDriverIsTheOutput) {
  CheckAnswer answer;
  const ExecInTask exec = [](Context, std::string,
                             ExecRequest) -> Co<Result<std::unique_ptr<TaskExecSession>>> {
    co_return Error(Code::kUnimplemented, "task driver does not support exec");
  };
  auto ask = [](Loop* loop, ExecInTask with, std::shared_ptr<const CheckPlan> plan,
                CheckAnswer* out) -> Co<void> {
    const Context context(loop);
    *out = co_await AskScript(context, with, plan);
  };
  EXPECT_TRUE(loop_.RunToEnd(ask(&loop_, exec, plan_, &answer), 30s));
  EXPECT_EQ(answer.status, CheckStatus::kFailure);
  EXPECT_EQ(answer.output, "task driver does not support exec");
}

TEST_F(ScriptChecksTest, ACloseEndsTheScriptsOfItsAllocation) {
  ScriptChecks scripts(&loop_);
  scripts.Open("alloc", Exec([](int, const std::atomic<bool>& killed) {
                 while (!killed) std::this_thread::sleep_for(5ms);
                 return Exit(0);
               }));
  std::vector<CheckAnswer> answers;
  for (int i = 0; i < 3; ++i) {
    scripts.Run(plan_, [&](CheckAnswer answer) { answers.push_back(std::move(answer)); });
  }
  EXPECT_TRUE(loop_.RunToEnd(scripts.Close("alloc"), 30s));
  EXPECT_EQ(answers.size(), 3u);
  for (const CheckAnswer& answer : answers) EXPECT_EQ(answer.status, CheckStatus::kFailure);
  scripts.Run(plan_, [&](CheckAnswer answer) { answers.push_back(std::move(answer)); });
  EXPECT_TRUE(loop_.RunToEnd(scripts.Close("alloc"), 30s));
  EXPECT_EQ(answers.size(), 3u);
}

}  // namespace
}  // namespace drover
