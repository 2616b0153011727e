// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/stream_table.h"

#include "host/abi/abi_read.h"
#include "host/abi/device_read.h"
#include "host/plugin/call_table.h"

namespace drover {
namespace {

template <typename T>
Result<StreamMessage> Wrap(Result<T> message) {
  if (!message.ok()) return message.error();
  return StreamMessage(std::move(*message));
}

}  // namespace

std::uint64_t StreamTable::Open(std::int32_t type, std::function<void(StreamMessage)> hear,
                                std::function<void(std::optional<Error>)> end) {
  auto stream = std::make_shared<Stream>();
  stream->type = type;
  stream->hear = std::move(hear);
  stream->end = std::move(end);
  const std::uint64_t id = NextPluginId();
  const std::lock_guard lock(mutex_);
  streams_.emplace(id, std::move(stream));
  return id;
}

void StreamTable::Close(std::uint64_t id) {
  const std::lock_guard lock(mutex_);
  streams_.erase(id);
}

Result<StreamMessage> StreamTable::Decode(std::int32_t type, const drover_message* message) {
  DROVER_ASSIGN(const drover_message head, CopyStruct(message));
  if (head.type != type) {
    return Error(Code::kInternal,
                 "it has type " + std::to_string(head.type) + ", not " + std::to_string(type));
  }
  const void* whole = message;
  switch (type) {
    case DROVER_MESSAGE_FINGERPRINT:
      return Wrap(ReadFingerprint(static_cast<const drover_fingerprint*>(whole)));
    case DROVER_MESSAGE_EVENT:
      return Wrap(ReadEvent(static_cast<const drover_event*>(whole)));
    case DROVER_MESSAGE_DEVICES:
      return Wrap(ReadDevices(static_cast<const drover_devices*>(whole)));
    case DROVER_MESSAGE_DEVICE_STATS:
      return Wrap(ReadDeviceStats(static_cast<const drover_device_stats*>(whole)));
    case DROVER_MESSAGE_TASK_NEWS:
      return Wrap(ReadNews(static_cast<const drover_task_news*>(whole)));
    default:
      return Wrap(ReadStats(static_cast<const drover_stats*>(whole)));
  }
}

std::int32_t StreamTable::Send(std::uint64_t id, const drover_message* message) {
  std::shared_ptr<Stream> stream;
  {
    const std::lock_guard lock(mutex_);
    const auto found = streams_.find(id);
    if (found == streams_.end() || found->second->ended) {
      ++late_;
      return 1;
    }
    stream = found->second;
  }
  Result<StreamMessage> decoded = Decode(stream->type, message);
  if (!decoded.ok()) {
    complain_("a message of its stream " + std::to_string(id) +
              " is dropped: " + decoded.error().message());
    return 0;
  }
  const std::lock_guard lock(mutex_);
  if (stream->ended || streams_.count(id) == 0) return 1;
  if (stream->queue.size() < kMaxQueue) {
    stream->queue.push_back(std::move(*decoded));
  } else if (stream->type == DROVER_MESSAGE_EVENT || stream->type == DROVER_MESSAGE_TASK_NEWS) {
    ++lost_;
  } else {
    stream->queue.back() = std::move(*decoded);
  }
  PostDrain(id, stream.get());
  return 0;
}

void StreamTable::End(std::uint64_t id, const drover_error* error) {
  std::optional<Error> reason;
  if (error != nullptr) reason = ReadError(DROVER_OK, error);
  const std::lock_guard lock(mutex_);
  const auto found = streams_.find(id);
  if (found == streams_.end() || found->second->ended) return;
  found->second->ended = true;
  found->second->error = std::move(reason);
  PostDrain(id, found->second.get());
}

void StreamTable::PostDrain(std::uint64_t id, Stream* stream) {
  if (stream->posted) return;
  stream->posted = true;
  port_->Post([weak = weak_from_this(), id] {
    if (const auto table = weak.lock()) table->Drain(id);
  });
}

// Delivers the messages that are in the queue when this function begins. Messages that arrive
// during this function are delivered later, after the other work that is already posted to the
// control thread. The function that receives a message may close the stream.
void StreamTable::Drain(std::uint64_t id) {
  std::optional<std::size_t> left;
  while (true) {
    std::unique_lock lock(mutex_);
    const auto found = streams_.find(id);
    if (found == streams_.end()) return;
    const std::shared_ptr<Stream> stream = found->second;
    if (!left) left = stream->queue.size();
    if (*left > 0) {
      --*left;
      StreamMessage message = std::move(stream->queue.front());
      stream->queue.pop_front();
      lock.unlock();
      stream->hear(std::move(message));
      continue;
    }
    stream->posted = false;
    if (!stream->queue.empty()) return PostDrain(id, stream.get());
    if (!stream->ended) return;
    streams_.erase(found);
    lock.unlock();
    stream->end(stream->error);
    return;
  }
}

std::size_t StreamTable::size() const {
  const std::lock_guard lock(mutex_);
  return streams_.size();
}

}  // namespace drover
