// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/mux_connection.h"

#include <string>
#include <utility>

namespace drover {
namespace {

// The time within which the server must say what its stream carries.
constexpr Duration kModeTime = 10s;

}  // namespace

MuxConnection::MuxConnection(Loop* loop, std::unique_ptr<ByteStream> bytes, StreamHandlers handlers,
                             YamuxLimits limits)
    : handlers_(std::make_shared<const StreamHandlers>(std::move(handlers))),
      gate_(loop),
      session_(loop, std::move(bytes), YamuxSession::Side::kDialer, limits,
               [this](std::unique_ptr<YamuxStream> stream) { Accept(std::move(stream)); }) {}

Co<Error> MuxConnection::Run(Context context) {
  serving_ = context.Child();
  const Error why = co_await session_.Run(context);
  serving_->CancelWith(why);
  co_await gate_.Close();
  co_return why;
}

Result<std::unique_ptr<YamuxStream>> MuxConnection::Open(StreamMode mode) {
  const char first = static_cast<char>(mode);
  return session_.Open(std::string_view(&first, 1));
}

void MuxConnection::Accept(std::unique_ptr<YamuxStream> stream) {
  gate_.Spawn(Serve(*serving_, handlers_, std::move(stream)));
}

Co<void> MuxConnection::Serve(Context context, std::shared_ptr<const StreamHandlers> handlers,
                              std::unique_ptr<YamuxStream> stream) {
  const Context limited = context.WithTimeout(kModeTime);
  const Result<std::string> mode = co_await stream->Read(limited, 1);
  // Without a mode, or with one that nobody serves, the stream is reset by its destructor.
  if (!mode.ok() || mode->empty()) co_return;
  const char first = mode->front();
  const bool is_rpc = first == static_cast<char>(StreamMode::kRpc);
  const bool is_streaming = first == static_cast<char>(StreamMode::kStreaming);
  if (is_rpc && handlers->rpc) co_await handlers->rpc(context, std::move(stream));
  if (is_streaming && handlers->streaming) {
    co_await handlers->streaming(context, std::move(stream));
  }
}

}  // namespace drover
