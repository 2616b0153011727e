// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/exec_call.h"

#include <utility>

namespace drover {
namespace {

constexpr char kCancelled[] = "the session has been ended";

bool SameSize(const TerminalSize& a, const TerminalSize& b) {
  return a.width == b.width && a.height == b.height;
}

}  // namespace

Co<Result<ExitResult>> ExecCall::Run(Loop* caller, std::string alloc_id, std::string task,
                                     ExecRequest request) {
  const auto given = std::make_shared<ExecRequest>(std::move(request));
  return CallControl(caller, agent_, [self = shared_from_this(), alloc_id, task, given](Context) {
    return OnControl(self, alloc_id, task, given);
  });
}

Co<Result<ExitResult>> ExecCall::OnControl(std::shared_ptr<ExecCall> self, std::string alloc_id,
                                           std::string task, std::shared_ptr<ExecRequest> request) {
  if (self->cancelled_) co_return Error(Code::kCancelled, kCancelled);
  AllocRunner* const runner = self->agent_->find_runner(alloc_id);
  if (runner == nullptr) {
    co_return Error(Code::kNotFound, "Unknown allocation \"" + alloc_id + "\"");
  }
  const Context context = self->context_.emplace(self->agent_->control);
  if (self->size_) request->size = *self->size_;
  const TerminalSize begun_with = request->size;
  Result<std::unique_ptr<TaskExecSession>> session =
      co_await runner->Exec(context, std::move(task), std::move(*request));
  if (!session.ok()) {
    self->context_.reset();
    co_return session.error();
  }
  self->session_ = session->get();
  if (self->size_ && !SameSize(*self->size_, begun_with))
    (void)self->session_->Resize(*self->size_);
  Result<ExitResult> exit = co_await (*session)->Wait(context);
  self->session_ = nullptr;
  self->context_.reset();
  co_return exit;  // when the session is destroyed, the processes that still run in it are ended
}

void ExecCall::Resize(TerminalSize size) {
  agent_->control->Post([self = shared_from_this(), size] {
    self->size_ = size;
    if (self->session_ != nullptr) (void)self->session_->Resize(size);
  });
}

void ExecCall::Cancel() {
  agent_->control->Post([self = shared_from_this()] {
    self->cancelled_ = true;
    if (self->context_) self->context_->Cancel(kCancelled);
  });
}

}  // namespace drover
