// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/exec_conversation.h"

#include <algorithm>
#include <utility>

#include "host/streams/exec_message.h"

namespace drover {
namespace {

constexpr std::size_t kSessionPiece = 32 << 10;
constexpr Duration kSessionHeartbeat = 10s;
constexpr int kNormal = 1000;
constexpr int kPolicy = 1008;
constexpr int kInternal = 1011;

}  // namespace

Co<void> CloseWith(WebSocketChannel* channel, Error error) {
  const bool theirs = error.code() == Code::kInvalidArgument || error.code() == Code::kNotFound;
  std::string reason = error.message();
  // The reason for the end of a websocket must be UTF-8. It may contain names that a client sent,
  // and a long reason is cut, even inside a character. All bytes that are not ASCII are therefore
  // replaced.
  std::replace_if(
      reason.begin(), reason.end(), [](char c) { return static_cast<signed char>(c) < 0; }, '?');
  (void)co_await channel->Close(theirs ? kPolicy : kInternal, std::move(reason));
}

ExecConversation::ExecConversation(HttpExchange* exchange, WebSocketChannel* channel,
                                   std::shared_ptr<ExecCall> call,
                                   std::function<Status()> may_go_on)
    : exchange_(exchange),
      channel_(channel),
      call_(std::move(call)),
      may_go_on_(std::move(may_go_on)),
      context_(exchange->context().Child()),
      answered_(exchange->loop()),
      outputs_(exchange->loop()),
      background_(exchange->loop()) {}

Result<ExecRequest> ExecConversation::Open(const Command& command) {
  ExecRequest request;
  request.command = command.words;
  request.tty = command.tty;
  DROVER_ASSIGN(input_, ExecPipe::ToWriteTo(exchange_->loop(), &request.input));
  DROVER_ASSIGN(output_, ExecPipe::ToReadFrom(exchange_->loop(), &request.output));
  if (!command.tty) {
    DROVER_ASSIGN(error_, ExecPipe::ToReadFrom(exchange_->loop(), &request.error));
  }
  return request;
}

Co<Status> ExecConversation::Say(std::string message) {
  const Status said = co_await channel_->Write(context_, true, std::move(message));
  if (!said) {
    Context context = context_;
    context.Cancel("the client has gone");
  }
  co_return said;
}

Co<void> ExecConversation::Beat() {
  Context context = context_;
  while ((co_await Sleep(context, kSessionHeartbeat)).ok()) {
    const Status may = may_go_on_();
    if (!may.ok()) {
      broken_ = may;
      context.Cancel("the client may not run the command any more");
      co_return;
    }
    if (!co_await Say("{}")) co_return;
  }
}

Co<void> ExecConversation::CopyOutput(ExecPipe* pipe, const char* name) {
  for (bool silent = true;; silent = false) {
    const std::string bytes = co_await pipe->Read(kSessionPiece);
    // If the command was refused, the client receives only the error, and not the messages that end
    // the output streams.
    if (bytes.empty() && silent) {
      co_await answered_.Wait();
      if (refused_) break;
    }
    const Status said =
        co_await Say(bytes.empty() ? ExecCloseMessage(name) : ExecDataMessage(name, bytes));
    if (!said || bytes.empty()) break;
  }
  pipe->Close();  // a process that still writes to the pipe gets an error
}

Co<Status> ExecConversation::Take(std::string text) {
  DROVER_CO_ASSIGN(ExecMessage message, ParseExecMessage(text));
  if (message.size) call_->Resize(*message.size);
  // An error of this write means that the command reads no more input. The client did nothing
  // wrong, so the error is ignored.
  if (!message.input.empty()) (void)co_await input_->Write(std::move(message.input));
  if (message.input_ends) input_->Close();
  co_return Status();
}

Co<void> ExecConversation::ReadMessages() {
  Context context = context_;
  while (true) {
    Result<WebSocketMessage> message = co_await channel_->Read(context);
    if (!message.ok()) break;
    const Status taken = co_await Take(std::move(message->bytes));
    if (!taken.ok()) {
      broken_ = taken;
      break;
    }
  }
  context.Cancel("the client has gone");
}

Co<void> ExecConversation::Report(ExitResult exit, bool tty) {
  // If the command could not be executed, the client receives the reason on the stream on which a
  // shell would print it.
  if (!exit.error.empty()) {
    (void)co_await Say(
        ExecDataMessage(tty ? "stdout" : "stderr", exit.error + (tty ? "\r\n" : "\n")));
  }
  (void)co_await Say(ExecExitMessage(exit.exit_code));
  (void)co_await channel_->Close(kNormal, "");
}

Co<void> ExecConversation::Run(Command command) {
  const bool tty = command.tty;
  Result<ExecRequest> request = Open(command);
  if (!request.ok()) {
    co_await CloseWith(channel_, request.error());
    co_return;
  }
  const Subscription gone = context_.OnCancel([this] {
    call_->Cancel();
    input_->Finish();
  });
  background_.Spawn(ReadMessages());
  background_.Spawn(Beat());
  outputs_.Spawn(CopyOutput(output_.get(), "stdout"));
  if (error_) outputs_.Spawn(CopyOutput(error_.get(), "stderr"));
  const Result<ExitResult> exit = co_await call_->Run(
      exchange_->loop(), std::move(command.alloc_id), std::move(command.task), std::move(*request));
  refused_ = !exit.ok();
  answered_.Set();
  output_->Finish();
  if (error_) error_->Finish();
  co_await outputs_.Close();
  if (!broken_.ok()) {
    co_await CloseWith(channel_, broken_.error());
  } else if (exit.ok()) {
    co_await Report(*exit, tty);
  } else {
    co_await CloseWith(channel_, exit.error());
  }
  Context context = context_;
  context.Cancel("the session has ended");
  co_await background_.Close();
}

}  // namespace drover
