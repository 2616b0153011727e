// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/yamux_core.h"

#include <algorithm>
#include <boost/asio/buffer.hpp>
#include <limits>
#include <tuple>
#include <utility>

namespace drover {
namespace asio = boost::asio;
namespace {

// The ids end here; the session can open no further stream.
constexpr std::uint64_t kLastStreamId = std::numeric_limits<std::uint32_t>::max() - 1;
constexpr std::uint64_t kMostCredit = std::numeric_limits<std::uint32_t>::max();
// A read begins with few bytes, since there may be thousands of idle sessions.
constexpr std::size_t kFirstRead = 4 << 10;
constexpr std::size_t kMostRead = 64 << 10;

Error SessionError(const std::string& what, Code code = Code::kUnavailable) {
  return Error(code, "the session with the server has ended: " + what, true);
}

}  // namespace

void YamuxCore::End(Error why, bool flushes) {
  if (ended) return;
  ended = std::move(why);
  const auto over_streams = std::exchange(streams, {});
  own_streams = 0;
  for (const auto& [id, stream] : over_streams) {
    stream->readable.Set();
    stream->writable.Set();
    stream->gone.Set();
  }
  data_stream.reset();
  room.Set();
  over.Set();
  if (!flushes) {
    out.clear();
    bytes->Close();
  }
  wake_writer.Set();
}

void YamuxCore::Break(const std::string& mistake) {
  if (ended) return;
  Put(YamuxType::kGoAway, 0, 0, kYamuxProtocolError);
  End(SessionError("it has broken the protocol: " + mistake, Code::kInternal), true);
}

void YamuxCore::Put(YamuxType type, std::uint16_t flags, std::uint32_t stream,
                    std::uint32_t length) {
  if (ended) return;
  // Data waits for room, so only frames that answer the peer can exceed this.
  if (out.size() > 2 * limits.unsent) {
    End(SessionError("it sends frames and does not read the answers"));
    return;
  }
  AppendYamuxHead({type, flags, stream, length}, &out);
  wake_writer.Set();
}

void YamuxCore::PutData(YamuxStreamState* stream, std::string_view data) {
  Put(YamuxType::kData, 0, stream->id, static_cast<std::uint32_t>(data.size()));
  if (ended) return;
  out += data;
  stream->credit -= data.size();
}

void YamuxCore::Take(std::string_view received) {
  while (!received.empty() && !ended) {
    if (data_left > 0) {
      const std::size_t size = std::min<std::size_t>(data_left, received.size());
      data_left -= static_cast<std::uint32_t>(size);
      TakeData(received.substr(0, size));
      received.remove_prefix(size);
      continue;
    }
    const std::size_t size = std::min(YamuxHead::kSize - head_bytes.size(), received.size());
    head_bytes += received.substr(0, size);
    received.remove_prefix(size);
    if (head_bytes.size() < YamuxHead::kSize) return;
    const std::optional<YamuxHead> head = ReadYamuxHead(head_bytes);
    head_bytes.clear();
    if (!head) return Break("a frame has an unknown version or type");
    TakeHead(*head);
  }
}

void YamuxCore::TakeHead(const YamuxHead& head) {
  switch (head.type) {
    case YamuxType::kData:
    case YamuxType::kWindow:
      return TakeStreamHead(head);
    case YamuxType::kPing:
      if (head.has(kYamuxSyn)) {
        Put(YamuxType::kPing, kYamuxAck, 0, head.length);
      } else if (head.has(kYamuxAck) && head.length == ping_id) {
        ping_answered.Set();
      }
      return;
    case YamuxType::kGoAway:
      if (head.length == kYamuxNormal) {
        peer_closed = true;
      } else {
        End(SessionError("it reports the error " + std::to_string(head.length)));
      }
      return;
  }
}

void YamuxCore::TakeStreamHead(const YamuxHead& head) {
  const bool has_data = head.type == YamuxType::kData;
  if (has_data && head.length > kYamuxWindow) return Break("a frame is larger than the window");
  if (head.has(kYamuxSyn)) TakeNewStream(head.stream);
  if (ended) return;
  if (has_data) {
    data_left = head.length;
    data_stream.reset();
    data_is_last = false;
  }
  const auto found = streams.find(head.stream);
  if (found == streams.end()) return;  // such as a stream that was reset
  const std::shared_ptr<YamuxStreamState> stream = found->second;
  if (head.has(kYamuxAck) && stream->own) stream->acknowledged = true;
  if (head.has(kYamuxRst)) {
    stream->reset = true;
    DropUnread(stream.get());
    stream->readable.Set();
    stream->writable.Set();
    stream->gone.Set();
    return Forget(stream.get());
  }
  if (stream->given_up && stream->acknowledged) {
    Put(YamuxType::kWindow, kYamuxRst, stream->id, 0);
    return Forget(stream.get());
  }
  if (stream->got_fin && (head.has(kYamuxFin) || head.length > 0) && has_data) {
    return Break("a stream has data after its end");
  }
  if (stream->got_fin && head.has(kYamuxFin)) return Break("a stream was ended twice");
  if (has_data) {
    if (head.length > stream->window) return Break("a stream has more data than its window");
    stream->window -= head.length;
    data_stream = stream;
    data_is_last = head.has(kYamuxFin);
    if (head.length == 0) TakeData({});
    return;
  }
  stream->credit = std::min(kMostCredit, stream->credit + head.length);
  if (head.length > 0) stream->writable.Set();
  if (head.has(kYamuxFin)) TakeEnd(stream.get());
}

void YamuxCore::TakeNewStream(std::uint32_t id) {
  const bool is_own = (id % 2 == 1) == (side == YamuxSession::Side::kDialer);
  if (id == 0 || is_own) return Break("it opens a stream with an id of this side");
  if (streams.count(id) > 0) return Break("it opens a stream twice");
  if (!accept || peer_handles >= limits.peer_streams) {
    return Put(YamuxType::kWindow, kYamuxRst, id, 0);
  }
  const auto stream = std::make_shared<YamuxStreamState>(shared_from_this(), loop, id, false);
  stream->acknowledged = true;
  streams.emplace(id, stream);
  // At once: a server ends the session if it waits too long for this.
  Put(YamuxType::kWindow, kYamuxAck, id, 0);
  accept(std::unique_ptr<YamuxStream>(new YamuxStream(stream)));
}

void YamuxCore::TakeData(std::string_view data) {
  const std::shared_ptr<YamuxStreamState> stream = data_stream;
  if (data_left == 0) data_stream.reset();
  if (stream == nullptr) return;
  if (!stream->reset) {
    stream->in += data;
    unread += data.size();
    if (!data.empty()) stream->readable.Set();
  }
  if (data_left == 0 && data_is_last) TakeEnd(stream.get());
  if (unread > limits.unread && stream->unread() > 0) Reset(stream.get());
}

void YamuxCore::TakeEnd(YamuxStreamState* stream) {
  stream->got_fin = true;
  stream->readable.Set();
  CheckGone(stream);
  if (stream->sent_fin) Forget(stream);
}

Result<std::unique_ptr<YamuxStream>> YamuxCore::Open(std::string_view first) {
  DROVER_CHECK(first.size() <= kYamuxWindow);
  if (ended) return *ended;
  if (peer_closed || next_id > kLastStreamId) {
    return Error(Code::kUnavailable, "the server accepts no more streams on this connection", true);
  }
  if (own_streams >= limits.own_streams) {
    return Error(Code::kResourceExhausted,
                 std::to_string(own_streams) + " streams to the server are open already", true);
  }
  const auto id = static_cast<std::uint32_t>(next_id);
  next_id += 2;
  const auto stream = std::make_shared<YamuxStreamState>(shared_from_this(), loop, id, true);
  streams.emplace(id, stream);
  ++own_streams;
  Put(YamuxType::kWindow, kYamuxSyn, id, 0);
  if (!ended && !first.empty()) PutData(stream.get(), first);
  if (ended) return *ended;
  return std::unique_ptr<YamuxStream>(new YamuxStream(stream));
}

std::string YamuxCore::TakeUnread(YamuxStreamState* stream, std::size_t most) {
  std::string taken;
  if (stream->at == 0 && most >= stream->in.size()) {
    taken = std::exchange(stream->in, {});
  } else {
    taken = stream->in.substr(stream->at, most);
    stream->at += taken.size();
    if (stream->at == stream->in.size()) {
      stream->in.clear();
      stream->at = 0;
    } else if (stream->at >= stream->in.size() / 2) {
      stream->in.erase(0, std::exchange(stream->at, 0));
    }
  }
  unread -= taken.size();
  CheckGone(stream);
  // The window has paid for a whole frame, of which a part may still be on its way.
  const std::size_t coming = data_stream.get() == stream ? data_left : 0;
  const std::size_t promised = stream->window + stream->unread() + coming;
  DROVER_CHECK(promised <= kYamuxWindow);
  const auto delta = static_cast<std::uint32_t>(kYamuxWindow - promised);
  if (!ended && !stream->got_fin && delta >= kYamuxWindow / 2) {
    stream->window += delta;
    Put(YamuxType::kWindow, 0, stream->id, delta);
  }
  return taken;
}

void YamuxCore::CloseSend(YamuxStreamState* stream) {
  if (stream->sent_fin || stream->reset || ended) return;
  stream->sent_fin = true;
  Put(YamuxType::kWindow, kYamuxFin, stream->id, 0);
  if (stream->got_fin) Forget(stream);
}

void YamuxCore::Reset(YamuxStreamState* stream) {
  if (stream->reset) return;
  stream->reset = true;
  DropUnread(stream);
  stream->readable.Set();
  stream->writable.Set();
  stream->gone.Set();
  const auto found = streams.find(stream->id);
  if (found == streams.end() || found->second.get() != stream) return;  // it is over already
  if (stream->acknowledged) {
    Put(YamuxType::kWindow, kYamuxRst, stream->id, 0);
    return Forget(stream);
  }
  // A reset before the server has read the first byte ends its whole connection. The end of this
  // part does not, and the reset follows after the acknowledgement.
  stream->given_up = true;
  if (!std::exchange(stream->sent_fin, true)) {
    Put(YamuxType::kWindow, kYamuxFin, stream->id, 0);
  }
}

void YamuxCore::Forget(YamuxStreamState* stream) {
  const auto found = streams.find(stream->id);
  if (found == streams.end() || found->second.get() != stream) return;
  if (stream->own) --own_streams;
  streams.erase(found);
}

void YamuxCore::DropUnread(YamuxStreamState* stream) {
  unread -= stream->unread();
  stream->in = {};
  stream->at = 0;
}

void YamuxCore::CheckGone(YamuxStreamState* stream) const {
  if (stream->reset || ended || (stream->got_fin && stream->unread() == 0)) stream->gone.Set();
}

Error YamuxCore::WhyNot(const YamuxStreamState& stream) const {
  if (ended && !stream.reset) return *ended;
  return Error(Code::kUnavailable, "the stream to the server was reset", true);
}

bool YamuxCore::HasLateStream() const {
  return std::any_of(streams.begin(), streams.end(), [this](const auto& entry) {
    const YamuxStreamState& stream = *entry.second;
    return !stream.acknowledged && stream.opened + limits.open <= loop->Now();
  });
}

Co<void> YamuxCore::ReadFrames(std::shared_ptr<YamuxCore> core) {
  std::string block(kFirstRead, '\0');
  while (!core->ended) {
    const asio::mutable_buffer space = asio::buffer(block);
    const ByteStream::Transfer read = co_await core->bytes->ReadSome(space);
    const std::size_t size = std::get<1>(read);
    core->Take(std::string_view(block.data(), size));
    if (std::get<0>(read)) core->End(SessionError(std::get<0>(read).message()));
    if (size == block.size() && size < kMostRead) block.resize(2 * size);
  }
}

Co<void> YamuxCore::WriteFrames(std::shared_ptr<YamuxCore> core) {
  while (!core->ended || !core->out.empty()) {
    if (core->out.empty()) {
      core->wake_writer.Reset();
      co_await core->wake_writer.Wait();
      continue;
    }
    const std::string batch = std::exchange(core->out, {});
    core->room.Set();
    std::string_view rest = batch;
    while (!rest.empty()) {
      const Loop::TimerId timer = core->loop->After(core->limits.write, [core] {
        core->End(SessionError("it does not read", Code::kTimeout));
        core->bytes->Close();
      });
      const asio::const_buffer piece = asio::buffer(rest.data(), rest.size());
      const ByteStream::Transfer written = co_await core->bytes->WriteSome(piece);
      core->loop->Cancel(timer);
      if (std::get<0>(written)) {
        core->End(SessionError(std::get<0>(written).message()));
        core->out.clear();
        break;
      }
      rest.remove_prefix(std::get<1>(written));
    }
  }
  core->bytes->Close();
}

Co<void> YamuxCore::KeepAlive(std::shared_ptr<YamuxCore> core) {
  while (!core->ended) {
    const Context pause = Context(core->loop).WithTimeout(core->limits.ping_every);
    (void)co_await core->over.Wait(pause);
    if (core->ended) co_return;
    if (core->HasLateStream()) {
      core->End(SessionError("it does not acknowledge a stream", Code::kTimeout));
      co_return;
    }
    core->ping_answered.Reset();
    ++core->ping_id;
    core->Put(YamuxType::kPing, kYamuxSyn, 0, core->ping_id);
    const Context answer = Context(core->loop).WithTimeout(core->limits.ping_answer);
    co_await WaitAny(answer, &core->ping_answered, &core->over);
    if (core->ping_answered.is_set()) continue;
    core->End(SessionError("it does not answer a ping", Code::kTimeout));
  }
}

}  // namespace drover
