// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/users/dynamic_user_hook.h"

#include <sys/stat.h>
#include <unistd.h>

#include <functional>

#include "host/base/durable_step.h"
#include "host/base/text.h"
#include "host/process/task_owner.h"

namespace drover {
namespace {

constexpr char kUid[] = "uid";  // the key of the hook's stored data

// Returns the owner of the directory that a sticky disk has brought for the task. It is the user of
// the task before, which had the files in it.
std::optional<uid_t> OwnerOfFiles(const std::string& local_dir) {
  struct stat info{};
  if (lstat(local_dir.c_str(), &info) != 0 || !S_ISDIR(info.st_mode)) return std::nullopt;
  return info.st_uid;
}

}  // namespace

std::optional<uid_t> DynamicUserHook::StoredUid(const StringMap& data) {
  const auto found = data.find(kUid);
  return found == data.end() ? std::nullopt : ParseNumber<uid_t>(found->second);
}

// Everything that is used after a wait belongs to this coroutine: see TaskHook.
Co<Result<uid_t>> DynamicUserHook::Take(Context context, PrestartRequest request) {
  const std::shared_ptr<UserPool> users = users_;
  const std::shared_ptr<TaskControl> control = control_.lock();
  std::optional<uid_t> wanted;
  if (StoredUid(request.data) == std::nullopt && workers_ != nullptr) {
    wanted = co_await workers_->Run(std::function<std::optional<uid_t>()>(
        [dir = request.location.local_dir] { return OwnerOfFiles(dir); }));
  }
  if (wanted && !users->InRange(*wanted)) wanted.reset();
  const TimePoint until = context.loop()->Now() + kWaitForFiles;
  while (wanted && users->IsLent(*wanted) && context.loop()->Now() < until) {
    DROVER_CO_TRY(co_await Sleep(context, 100ms));
  }
  DROVER_CO_ASSIGN(const uid_t uid,
                   co_await users->Take(Holder(request.alloc->id, request.task->name), wanted));
  if (wanted && uid != *wanted && control) {
    control->EmitEvent(TaskEvent(event_type::kTaskSetup)
                           .Message("The files of the task before belong to user " +
                                    std::to_string(*wanted) + ", but this task runs as user " +
                                    std::to_string(uid)));
  }
  co_return uid;
}

Co<Result<PrestartResponse>> DynamicUserHook::Prestart(Context context, PrestartRequest request) {
  PrestartResponse response;
  if (!request.user.empty()) co_return response;
  std::optional<uid_t> uid = StoredUid(request.data);
  if (!request.running) {
    if (geteuid() != 0) {
      co_return Error(Code::kFailedPrecondition,
                      "only an agent that runs as root can give a task a user of its own: start "
                      "the agent as root, or remove driver \"" +
                          request.task->driver +
                          "\" from dynamic_user_drivers of its configuration");
    }
    DROVER_CO_ASSIGN(uid, co_await Take(context, request));
  }
  // A task that has run since before its driver had such users keeps the user that it has.
  if (!uid) co_return response;
  holder_ = Holder(request.alloc->id, request.task->name);
  response.user = std::to_string(*uid);
  response.data[kUid] = response.user;
  co_return response;
}

Co<Status> DynamicUserHook::Stop(Context, HookRequest request) {
  const std::optional<uid_t> uid = StoredUid(request.data);
  const std::shared_ptr<TaskControl> control = control_.lock();
  if (!uid || !control) co_return Status();
  // The hooks of an ended task go before its files. So if the directory stays open to the user, the
  // user stays lent until the next agent, which tries again.
  holder_.clear();
  const std::shared_ptr<UserPool> users = users_;
  std::function<Status()> close = [dir = control->Location().task_dir, uid = *uid] {
    return DurableStep(Step::kTakeBackTaskDir,
                       [&] { return TakeBackTaskDirectory(dir, ProcessUser{uid, uid, {}}); });
  };
  const Status closed = workers_ == nullptr ? close() : co_await workers_->Run(std::move(close));
  // As long as the user could enter the directory, no other task gets this user.
  if (!closed.ok()) co_return closed.error().WithContext("its user is not given back");
  users->GiveBack(Holder(request.alloc->id, request.task->name));
  // Without this, the next agent does all of it again, which does no harm.
  co_return co_await control->SaveHookData(std::string(kName), {});
}

}  // namespace drover
