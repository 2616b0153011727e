// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/dispatch_payload_hook.h"

#include <functional>
#include <optional>
#include <string>
#include <utility>

#include "host/base/base64.h"
#include "host/spec/blocks/periodic_checks.h"
#include "host/task/rendered_file.h"

namespace drover {
namespace {

// The payload may be a program.
constexpr unsigned kPayloadMode = 0755;

}  // namespace

Co<Result<PrestartResponse>> DispatchPayloadHook::Prestart(Context, PrestartRequest request) {
  PrestartResponse response;
  response.done = true;
  // The agent before has written it, or the task would not run.
  if (request.running) co_return response;
  const std::string& file = request.task->dispatch_payload_file;
  std::optional<std::string> payload = FromBase64(request.alloc->job->payload);
  if (!payload || !IsPayloadFile(file)) {
    co_return Error(Code::kInvalidArgument, "the payload cannot be written to \"" + file + "\"");
  }
  std::function<Status()> write = [place = TaskPlace{request.location.task_dir, "local/" + file},
                                   content = std::move(*payload)] {
    return WriteRenderedFile(place, RenderedFileOwner{.mode = kPayloadMode}, content);
  };
  Status written;
  if (pool_ == nullptr) {
    written = write();
  } else {
    written = co_await pool_->Run(std::move(write));
  }
  if (!written.ok()) co_return written.error().WithContext("the payload of the job");
  co_return response;
}

}  // namespace drover
