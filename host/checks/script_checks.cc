// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/script_checks.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/as_tuple.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cerrno>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace drover {
namespace asio = boost::asio;
namespace {

using Descriptor = asio::posix::stream_descriptor;
using ErrorCode = boost::system::error_code;

constexpr auto kTuple = asio::as_tuple(asio::use_awaitable);
// A script that writes more than is kept is read slowly, so that it cannot keep this thread busy.
constexpr Duration kPause = 20ms;
constexpr std::size_t kBlock = 16 << 10;

// What a script has written.
struct ScriptOutput {
  void Add(std::string_view bytes) {
    kept += bytes.substr(0, std::min(bytes.size(), kMostCheckOutput - kept.size()));
  }
  bool full() const { return kept.size() >= kMostCheckOutput; }
  std::string kept;
};

// Reads until the end of the output, or until READING ends. Processes that the script leaves behind
// may keep its output open, so the caller ends READING when the script has ended.
Co<void> ReadOutput(Context reading, Descriptor* from, ScriptOutput* output) {
  const Subscription on_cancel = reading.OnCancel([from] {
    ErrorCode ignored;
    from->cancel(ignored);
  });
  std::array<char, kBlock> block{};
  while (!reading.cancelled()) {
    const asio::mutable_buffer space = asio::buffer(block);
    const std::tuple<ErrorCode, std::size_t> read = co_await from->async_read_some(space, kTuple);
    if (std::get<0>(read)) co_return;
    output->Add({block.data(), std::get<1>(read)});
    if (output->full()) (void)co_await Sleep(reading, kPause);
  }
}

// Reads what is there without waiting.
void ReadRest(Descriptor* from, ScriptOutput* output) {
  ErrorCode error;
  from->non_blocking(true, error);
  std::array<char, kBlock> block{};
  while (!error && !output->full()) {
    const ssize_t size = read(from->native_handle(), block.data(), block.size());
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return;
    output->Add({block.data(), static_cast<std::size_t>(size)});
  }
}

Co<void> AwaitExit(Context context, Context reading, TaskExecSession* session,
                   Result<ExitResult>* exit) {
  *exit = co_await session->Wait(context);
  reading.Cancel("the script has ended");
}

CheckAnswer Judge(const Result<ExitResult>& exit, std::string output, Duration timeout) {
  CheckAnswer answer;
  answer.output = std::move(output);
  std::string why;
  if (!exit.ok()) {
    why = exit.code() == Code::kTimeout
              ? "the script has not ended within " + FormatDuration(timeout)
              : exit.error().message();
  } else if (!exit->error.empty()) {
    why = exit->error;
  } else if (exit->signal != 0) {
    why = "the script was ended by signal " + std::to_string(exit->signal);
  } else if (exit->exit_code == 0) {
    answer.status = CheckStatus::kSuccess;
  } else if (exit->exit_code == 1) {
    answer.status = CheckStatus::kWarning;
  }
  if (why.empty()) return answer;
  answer.output = answer.output.empty() ? why : why + ": " + answer.output;
  return answer;
}

}  // namespace

Co<CheckAnswer> AskScript(Context context, ExecInTask exec, std::shared_ptr<const CheckPlan> plan) {
  const ServiceCheck& check = plan->check;
  CheckAnswer failed;
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) {
    failed.output = ErrnoError(errno, "cannot run the script").message();
    co_return failed;
  }
  UniqueFd from(ends[0]);
  ExecRequest request;
  request.output = UniqueFd(ends[1]);
  request.error = UniqueFd(fcntl(ends[1], F_DUPFD_CLOEXEC, 0));
  request.input = UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
  if (!request.error || !request.input) {
    failed.output = ErrnoError(errno, "cannot run the script").message();
    co_return failed;
  }
  request.command.push_back(check.command);
  request.command.insert(request.command.end(), check.args.begin(), check.args.end());
  request.interpolate = true;
  Context limited = context.WithTimeout(check.timeout);
  Result<std::unique_ptr<TaskExecSession>> session =
      co_await exec(limited, check.task, std::move(request));
  if (!session.ok()) {
    failed = Judge(session.error(), "", check.timeout);
    limited.Cancel("the check is over");
    co_return failed;
  }
  Descriptor descriptor(context.loop()->io(), from.Release());
  ScriptOutput output;
  Result<ExitResult> exit = Error(Code::kInternal, "the script has no end");
  const Context reading = context.Child();
  std::vector<Co<void>> both;
  both.push_back(ReadOutput(reading, &descriptor, &output));
  both.push_back(AwaitExit(limited, reading, session->get(), &exit));
  co_await InParallel(context.loop(), std::move(both));
  session->reset();  // kills what still runs in the session
  limited.Cancel("the check is over");
  ReadRest(&descriptor, &output);
  co_return Judge(exit, std::move(output.kept), check.timeout);
}

void ScriptChecks::Open(const std::string& alloc_id, ExecInTask exec) {
  std::shared_ptr<Opened>& opened = opened_[alloc_id];
  if (!opened) opened = std::make_shared<Opened>(control_, std::move(exec));
}

Co<void> ScriptChecks::Close(std::string alloc_id) {
  const auto found = opened_.find(alloc_id);
  if (found == opened_.end()) co_return;
  const std::shared_ptr<Opened> opened = std::move(found->second);
  opened_.erase(found);
  opened->context.Cancel("the checks of the allocation end");
  co_await opened->runs.Close();
}

void ScriptChecks::Run(std::shared_ptr<const CheckPlan> plan,
                       std::function<void(CheckAnswer)> done) {
  const auto found = opened_.find(plan->alloc_id);
  if (found == opened_.end()) return;
  const std::shared_ptr<Opened> opened = found->second;
  opened->runs.Spawn(RunOne(opened, std::move(plan), std::move(done), observe_));
}

Co<void> ScriptChecks::RunOne(std::shared_ptr<Opened> opened, std::shared_ptr<const CheckPlan> plan,
                              std::function<void(CheckAnswer)> done, Observe observe) {
  const Context context = opened->context;
  const ExecInTask exec = opened->exec;
  CheckAnswer answer = co_await AskScript(context, exec, plan);
  if (observe && !context.cancelled()) observe(*plan, answer);
  done(std::move(answer));
}

}  // namespace drover
