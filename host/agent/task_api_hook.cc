// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/task_api_hook.h"

#include <string>
#include <utility>

#include "host/task/task_socket.h"

namespace drover {
namespace {

// A namespace has no slash, so no two jobs have the same name.
std::string SharingJob(const Job& job) {
  return job.job_namespace + "/" + (job.parent_id.empty() ? job.id : job.parent_id);
}

}  // namespace

Co<Result<PrestartResponse>> TaskApiHook::Prestart(Context context, PrestartRequest request) {
  task_dir_ = request.location.task_dir;
  // The user of the task is not known when its driver chooses it later, or when an image has users
  // of its own.
  const FsIsolation isolation = request.driver.fs_isolation;
  const bool unknown = isolation == FsIsolation::kImage ||
                       (isolation == FsIsolation::kChroot && request.user.empty());
  std::function<Result<UniqueFd>()> make = [task_dir = task_dir_, unknown] {
    return ListenForTask(task_dir, kTaskApiSocket, unknown);
  };
  Result<UniqueFd> listener = Error(Code::kInternal, "not made");
  if (options_.pool == nullptr) {
    listener = make();
  } else {
    listener = co_await options_.pool->Run(std::move(make));
  }
  if (!listener.ok()) {
    const Error error = listener.error().WithContext("the task has no socket of the API");
    if (options_.report) options_.report(error);
  } else if (!context.cancelled()) {
    // The socket before this one has no name any more, so it is served no longer.
    served_ =
        options_.serve(std::move(*listener), request.alloc->id, SharingJob(*request.alloc->job));
  }
  co_return PrestartResponse();
}

Co<Status> TaskApiHook::Stop(Context, HookRequest) {
  served_.reset();
  if (task_dir_.empty()) co_return Status();
  std::function<void()> remove = [task_dir = task_dir_] {
    RemoveTaskSocket(task_dir, kTaskApiSocket);
  };
  if (options_.pool == nullptr) {
    remove();
  } else {
    co_await options_.pool->Do(std::move(remove));
  }
  co_return Status();
}

// The task goes on, and the next agent makes another socket.
Co<Status> TaskApiHook::Shutdown(Context, HookRequest) {
  served_.reset();
  co_return Status();
}

}  // namespace drover
