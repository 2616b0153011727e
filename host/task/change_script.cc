// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/change_script.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "host/spec/job_limits.h"

namespace drover {
namespace {

Status Judge(const Result<ExitResult>& exit, const TemplateScript& script) {
  if (!exit.ok()) {
    if (exit.code() != Code::kTimeout) return exit.error();
    return Error(Code::kTimeout, "it has not ended within " + FormatDuration(script.timeout));
  }
  if (!exit->error.empty()) return Error(Code::kInternal, exit->error);
  if (exit->signal != 0) {
    return Error(Code::kInternal, "it was ended by signal " + std::to_string(exit->signal));
  }
  if (exit->exit_code == 0) return {};
  return Error(Code::kInternal, "its exit code is " + std::to_string(exit->exit_code));
}

}  // namespace

Co<Status> RunChangeScript(Context context, std::shared_ptr<TaskControl> control,
                           TemplateScript script) {
  ExecRequest request;
  request.command.push_back(script.command);
  request.command.insert(request.command.end(), script.args.begin(), script.args.end());
  request.interpolate = true;
  request.input = UniqueFd(open("/dev/null", O_RDONLY | O_CLOEXEC));
  request.output = UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC));
  request.error = UniqueFd(open("/dev/null", O_WRONLY | O_CLOEXEC));
  if (!request.input || !request.output || !request.error) {
    co_return ErrnoError(errno, "/dev/null");
  }
  Context limited = context.WithTimeout(Bounded(script.timeout));
  Result<std::unique_ptr<TaskExecSession>> session =
      co_await control->Exec(limited, std::move(request));
  Status status;
  if (session.ok()) {
    const Result<ExitResult> exit = co_await (*session)->Wait(limited);
    status = Judge(exit, script);
    session->reset();  // kills what still runs in the session
  } else {
    status = Judge(session.error(), script);
  }
  limited.Cancel("the script is over");
  co_return status;
}

}  // namespace drover
