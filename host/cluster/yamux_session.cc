// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/yamux_session.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "host/base/gate.h"
#include "host/cluster/yamux_core.h"

namespace drover {
namespace {

// A larger write is divided, so that the streams take turns.
constexpr std::size_t kMostPiece = 32 << 10;

}  // namespace

YamuxStream::YamuxStream(std::shared_ptr<YamuxStreamState> state) : state_(std::move(state)) {
  if (!state_->own) ++state_->core->peer_handles;
}

YamuxStream::~YamuxStream() {
  if (!state_->own) --state_->core->peer_handles;
  state_->core->DropUnread(state_.get());
  state_->core->Reset(state_.get());
}

std::uint32_t YamuxStream::id() const { return state_->id; }

bool YamuxStream::quiet() const {
  const YamuxStreamState& state = *state_;
  return !state.core->ended && !state.reset && !state.got_fin && !state.sent_fin &&
         state.unread() == 0;
}

Co<Result<std::string>> YamuxStream::Read(Context context, std::size_t most) {
  const std::shared_ptr<YamuxStreamState> state = state_;
  while (true) {
    DROVER_CO_TRY(context.status());
    if (state->unread() > 0) co_return state->core->TakeUnread(state.get(), most);
    if (state->reset) co_return state->core->WhyNot(*state);
    if (state->got_fin) co_return std::string();
    if (state->core->ended) co_return state->core->WhyNot(*state);
    state->readable.Reset();
    DROVER_CO_TRY(co_await state->readable.Wait(context));
  }
}

Co<Status> YamuxStream::Write(Context context, std::string bytes) {
  const std::shared_ptr<YamuxStreamState> state = state_;
  YamuxCore* const core = state->core.get();
  std::string_view rest = bytes;
  while (!rest.empty()) {
    DROVER_CO_TRY(context.status());
    if (state->reset || core->ended) co_return core->WhyNot(*state);
    if (state->sent_fin) {
      co_return Error(Code::kFailedPrecondition, "this side of the stream has ended");
    }
    if (state->credit == 0) {
      state->writable.Reset();
      DROVER_CO_TRY(co_await state->writable.Wait(context));
    } else if (core->out.size() >= core->limits.unsent) {
      core->room.Reset();
      DROVER_CO_TRY(co_await core->room.Wait(context));
    } else {
      const std::size_t most = std::min<std::uint64_t>(state->credit, kMostPiece);
      const std::size_t size = std::min(most, rest.size());
      core->PutData(state.get(), rest.substr(0, size));
      rest.remove_prefix(size);
    }
  }
  co_return Status();
}

void YamuxStream::CloseSend() { state_->core->CloseSend(state_.get()); }

void YamuxStream::Reset() { state_->core->Reset(state_.get()); }

Co<Status> YamuxStream::PeerGone(Context context) {
  const std::shared_ptr<YamuxStreamState> state = state_;
  state->core->CheckGone(state.get());
  co_return co_await state->gone.Wait(context);
}

YamuxSession::YamuxSession(Loop* loop, std::unique_ptr<ByteStream> bytes, Side side,
                           YamuxLimits limits, Accept accept)
    : core_(std::make_shared<YamuxCore>(loop, std::move(bytes), side, limits, std::move(accept))) {}

YamuxSession::~YamuxSession() { Close(Error(Code::kUnavailable, "the session was closed", true)); }

Co<Error> YamuxSession::Run(Context context) {
  const std::shared_ptr<YamuxCore> core = core_;
  const Subscription on_cancel =
      context.OnCancel([core, context] { core->End(context.status().error()); });
  std::vector<Co<void>> parts;
  parts.push_back(YamuxCore::ReadFrames(core));
  parts.push_back(YamuxCore::WriteFrames(core));
  parts.push_back(YamuxCore::KeepAlive(core));
  co_await InParallel(core->loop, std::move(parts));
  co_return *core->ended;
}

Result<std::unique_ptr<YamuxStream>> YamuxSession::Open(std::string_view first) {
  return core_->Open(first);
}

void YamuxSession::Close(Error reason) { core_->End(std::move(reason)); }

bool YamuxSession::usable() const { return !core_->ended && !core_->peer_closed; }

std::optional<Error> YamuxSession::ended() const { return core_->ended; }

std::size_t YamuxSession::streams() const { return core_->streams.size(); }

std::size_t YamuxSession::unread() const { return core_->unread; }

}  // namespace drover
