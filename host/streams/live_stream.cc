// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/live_stream.h"

#include <utility>

namespace drover {

Co<Status> LiveStream::Start(HttpReply head, std::string heartbeat, Duration interval) {
  DROVER_CO_TRY(co_await exchange_->StartStream(std::move(head)));
  if (exchange_->request().method == "HEAD") {
    co_return Error(Code::kCancelled, "this answer has no body");
  }
  last_write_ = exchange_->loop()->Now();
  if (!heartbeat.empty()) background_.Spawn(Beat(std::move(heartbeat), interval));
  co_return Status();
}

Co<Status> LiveStream::Begin() {
  while (writing_) {
    written_.Reset();
    DROVER_CO_TRY(co_await written_.Wait(context_));
  }
  DROVER_CO_TRY(context_.status());
  const Status may = may_go_on_ ? may_go_on_() : Status();
  if (!may.ok()) {
    Context(context_).Cancel("the client may not have the answer any more");
    co_return may;
  }
  writing_ = true;
  co_return Status();
}

Status LiveStream::Done(Status status) {
  writing_ = false;
  last_write_ = exchange_->loop()->Now();
  written_.Set();
  if (!status.ok()) Context(context_).Cancel("nobody reads the answer");
  return status;
}

Co<Status> LiveStream::Write(std::string bytes) {
  DROVER_CO_TRY(co_await Begin());
  co_return Done(co_await exchange_->Write(std::move(bytes)));
}

Co<Status> LiveStream::WriteShared(std::shared_ptr<const SharedPiece> piece) {
  DROVER_CO_TRY(co_await Begin());
  co_return Done(co_await exchange_->WriteShared(std::move(piece)));
}

Co<void> LiveStream::Beat(std::string heartbeat, Duration interval) {
  while (true) {
    const TimePoint now = exchange_->loop()->Now();
    // A write in progress shows the client that the stream is alive, so no heartbeat is needed.
    const TimePoint due = (writing_ ? now : last_write_) + interval;
    if (due > now) {
      const Status slept = co_await Sleep(context_, due - now);
      if (!slept) co_return;
      continue;
    }
    const Status written = co_await Write(heartbeat);
    if (!written) co_return;
  }
}

Co<void> LiveStream::End() {
  Context context = context_;
  context.Cancel("the answer has ended");
  co_await background_.Close();
}

}  // namespace drover
