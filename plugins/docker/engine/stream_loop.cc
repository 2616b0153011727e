// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/stream_loop.h"

#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <map>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "drover/process.hpp"
#include "engine/engine_error.h"
#include "engine/own_thread.h"
#include "engine/response_parser.h"

namespace drover_docker {
namespace {

constexpr std::size_t kMostStreams = 4096;
constexpr std::size_t kMostRefusalText = 64u << 10;

drover::Error StreamCancelled() {
  return drover::Error(drover::Code::kCancelled, "the stream was given up");
}

}  // namespace

class StreamLoop::Impl {
 public:
  explicit Impl(const HttpClient* client)
      : client_(client),
        epoll_(::epoll_create1(EPOLL_CLOEXEC)),
        wake_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = 0;
    if (!epoll_.ok() || !wake_.ok() ||
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, wake_.get(), &event) != 0) {
      throw drover::Error(drover::Code::kResourceExhausted,
                          "the driver has no descriptors left: raise its limit of open files",
                          true);
    }
    opener_ = std::thread([this] { OpenAll(); });
    try {
      thread_ = std::thread([this] { Run(); });
    } catch (...) {
      Stop();
      opener_.join();
      throw;
    }
  }
  Impl(const Impl&) = delete;
  Impl& operator=(const Impl&) = delete;
  ~Impl() {
    Stop();
    opener_.join();
    thread_.join();
  }

  std::uint64_t Open(HttpRequest request, HttpLimits limits, Handlers handlers) {
    auto stream = std::make_unique<Stream>();
    stream->limits = limits;
    stream->handlers = std::move(handlers);
    stream->action = request.method + " " + request.target.substr(0, request.target.find('?'));
    std::optional<drover::Error> refusal;
    std::uint64_t number = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      number = ++last_;
      stream->number = number;
      if (stopping_) {
        refusal = StreamCancelled();
      } else if (count_ >= kMostStreams) {
        refusal = drover::Error(drover::Code::kResourceExhausted,
                                "too many streams from the container engine are open", true);
      } else {
        ++count_;
        to_open_.push_back(Request{number, std::move(request), limits});
        inbox_.incoming.push_back(std::move(stream));
      }
    }
    if (refusal) {
      stream->handlers.end(refusal);
      return number;
    }
    opening_.notify_one();
    Wake();
    return number;
  }

  void Cancel(std::uint64_t number) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      inbox_.cancelled.push_back(number);
    }
    Wake();
  }

  void At(SteadyTime time, std::function<void()> work) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!stopping_) {
        inbox_.timers.emplace_back(time, std::move(work));
        work = nullptr;
      }
    }
    if (work) return work();  // the loop has ended
    Wake();
  }

 private:
  struct Stream {
    std::uint64_t number = 0;
    HttpLimits limits;
    Handlers handlers;
    std::string action;                      // for messages
    std::unique_ptr<Connection> connection;  // null until it stands
    ResponseParser parser;
    bool begun = false;
    int parked_fd = -1;   // the descriptor that must take bytes; -1: none
    bool parked = false;  // after kWait
    std::string rest;     // bytes that came before kWait and are not parsed
    std::string refusal;  // the body of an answer that is an error
    SteadyTime deadline = SteadyTime::max();
  };
  struct Request {
    std::uint64_t number = 0;
    HttpRequest request;
    HttpLimits limits;
  };
  struct Opened {
    std::uint64_t number = 0;
    std::unique_ptr<Connection> connection;
    std::optional<drover::Error> error;
  };
  struct Inbox {
    std::vector<std::unique_ptr<Stream>> incoming;
    std::vector<Opened> opened;
    std::vector<std::uint64_t> cancelled;
    std::vector<std::pair<SteadyTime, std::function<void()>>> timers;
  };

  void Wake() {
    const std::uint64_t one = 1;
    (void)!::write(wake_.get(), &one, sizeof one);
  }

  void Stop() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopping_ = true;
    }
    stopped_ = true;
    stop_.Cancel();
    opening_.notify_all();
    Wake();
  }

  // ---------------------------------------------------------------------- the thread that connects

  void OpenAll() {
    PrepareOwnThread("docker-connect");
    for (;;) {
      Request next;
      {
        std::unique_lock<std::mutex> lock(mutex_);
        opening_.wait(lock, [this] { return stopping_ || !to_open_.empty(); });
        if (stopping_) return;
        next = std::move(to_open_.front());
        to_open_.pop_front();
      }
      Opened opened;
      opened.number = next.number;
      try {
        opened.connection = client_->Begin(next.request, next.limits, stop_);
      } catch (...) {
        opened.error = drover::abi::CurrentError();
      }
      {
        std::lock_guard<std::mutex> lock(mutex_);
        inbox_.opened.push_back(std::move(opened));
      }
      Wake();
    }
  }

  // ------------------------------------------------------------------------- the thread that reads

  void Run() {
    PrepareOwnThread("docker-streams");
    std::array<epoll_event, 64> events;
    while (!stopped_) {
      const int ready =
          ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), Timeout());
      for (int i = 0; i < ready; ++i) {
        const std::uint64_t number = events[static_cast<std::size_t>(i)].data.u64;
        if (number == 0) {
          std::uint64_t count = 0;
          (void)!::read(wake_.get(), &count, sizeof count);
        } else {
          Ready(number);
        }
      }
      std::vector<std::uint64_t> again;
      again.swap(again_);
      for (const std::uint64_t number : again) Ready(number);
      TakeInbox();
      RunTimers();
      CheckDeadlines();
    }
    EndAll();
  }

  int Timeout() {
    if (!again_.empty()) return 0;
    SteadyTime next = next_check_;
    if (!timers_.empty()) next = std::min(next, timers_.begin()->first);
    const SteadyTime now = std::chrono::steady_clock::now();
    if (next <= now) return 0;
    constexpr std::chrono::milliseconds kLongest(60000);
    if (next - now > kLongest) return static_cast<int>(kLongest.count());
    return static_cast<int>(std::chrono::ceil<std::chrono::milliseconds>(next - now).count());
  }

  void TakeInbox() {
    Inbox inbox;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      std::swap(inbox, inbox_);
    }
    for (auto& stream : inbox.incoming) {
      const std::uint64_t number = stream->number;
      streams_[number] = std::move(stream);
    }
    for (Opened& opened : inbox.opened) {
      const auto found = streams_.find(opened.number);
      if (found == streams_.end()) continue;  // cancelled before
      if (opened.error) {
        End(found->second.get(), *opened.error);
      } else {
        Begin(found->second.get(), std::move(opened.connection));
      }
    }
    for (auto& [time, work] : inbox.timers) timers_.emplace(time, std::move(work));
    for (const std::uint64_t number : inbox.cancelled) {
      const auto found = streams_.find(number);
      if (found != streams_.end()) End(found->second.get(), StreamCancelled());
    }
  }

  void RunTimers() {
    while (!timers_.empty() && timers_.begin()->first <= std::chrono::steady_clock::now()) {
      const std::function<void()> work = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      work();
    }
  }

  // Ends the streams whose engine is silent. Finds out when to look again.
  void CheckDeadlines() {
    const SteadyTime now = std::chrono::steady_clock::now();
    if (now < next_check_) return;
    next_check_ = SteadyTime::max();
    std::vector<Stream*> late;
    for (const auto& [number, stream] : streams_) {
      if (stream->connection == nullptr || stream->parked) continue;
      if (stream->deadline <= now) {
        late.push_back(stream.get());
      } else {
        next_check_ = std::min(next_check_, stream->deadline);
      }
    }
    for (Stream* stream : late) {
      End(stream, drover::Error(drover::Code::kTimeout,
                                "the container engine at " + client_->address().Text() +
                                    " is silent in " + stream->action,
                                true));
    }
  }

  void SetDeadline(Stream* stream) {
    stream->deadline =
        DeadlineAfter(stream->parser.begun() ? stream->limits.silence : stream->limits.first_byte);
    next_check_ = std::min(next_check_, stream->deadline);
  }

  bool Watch(int fd, std::uint32_t events, std::uint64_t number, int operation) {
    epoll_event event{};
    event.events = events;
    event.data.u64 = number;
    return ::epoll_ctl(epoll_.get(), operation, fd, &event) == 0;
  }

  void Begin(Stream* stream, std::unique_ptr<Connection> connection) {
    stream->connection = std::move(connection);
    SetDeadline(stream);
    if (!Watch(stream->connection->fd(), EPOLLIN, stream->number, EPOLL_CTL_ADD)) {
      return End(stream, drover::Error(drover::Code::kInternal, "a connection cannot be watched"));
    }
    again_.push_back(stream->number);  // TLS may have bytes already
  }

  void Ready(std::uint64_t number) {
    const auto found = streams_.find(number);
    if (found == streams_.end() || found->second->connection == nullptr) return;
    Stream* stream = found->second.get();
    try {
      if (!stream->parked) return Drive(stream);
      Unpark(stream);
      const Next next = stream->handlers.resume ? stream->handlers.resume() : Next::kMore;
      if (next == Next::kStop) return End(stream, std::nullopt);
      if (next == Next::kWait) return Park(stream);
      Drive(stream);
    } catch (...) {
      const auto still = streams_.find(number);
      const drover::Error error = drover::abi::CurrentError();
      if (still != streams_.end()) End(still->second.get(), error);
    }
  }

  // Reads what is there, but not more than a few pieces, so that the others have their turn.
  void Drive(Stream* stream) {
    constexpr int kPieces = 4;
    for (int i = 0; i < kPieces; ++i) {
      std::string held;
      std::string_view bytes;
      if (!stream->rest.empty()) {
        held.swap(stream->rest);
        bytes = held;
      } else {
        const Connection::IoResult got = stream->connection->Read(buffer_.data(), buffer_.size());
        if (got.io == Connection::Io::kWantRead || got.io == Connection::Io::kWantWrite) {
          const std::uint32_t events = got.io == Connection::Io::kWantRead ? EPOLLIN : EPOLLOUT;
          Watch(stream->connection->fd(), events, stream->number, EPOLL_CTL_MOD);
          return;
        }
        if (got.io == Connection::Io::kEnd) {
          stream->parser.PutEnd();
          return Finish(stream);
        }
        bytes = std::string_view(buffer_.data(), got.size);
      }
      if (!Feed(stream, bytes)) return;
    }
    again_.push_back(stream->number);
  }

  // Returns false if the stream has ended or waits.
  bool Feed(Stream* stream, std::string_view bytes) {
    while (!bytes.empty() && !stream->parser.done()) {
      std::string_view piece;
      bytes.remove_prefix(stream->parser.Put(bytes, &piece));
      if (!stream->parser.mistake().empty()) return Finish(stream), false;
      const bool good = stream->parser.head().status / 100 == 2;
      if (!stream->begun && stream->parser.has_head()) {
        stream->begun = true;
        if (good && stream->handlers.begin) stream->handlers.begin(stream->parser.head());
      }
      if (piece.empty()) continue;
      if (!good) {
        stream->refusal += piece;
        if (stream->refusal.size() > kMostRefusalText) return Finish(stream), false;
        continue;
      }
      const Next next = stream->handlers.take(piece);
      if (next == Next::kStop) return End(stream, std::nullopt), false;
      if (next == Next::kWait) {
        stream->rest = std::string(bytes);
        return Park(stream), false;
      }
    }
    if (stream->parser.done()) return Finish(stream), false;
    SetDeadline(stream);
    return true;
  }

  void Park(Stream* stream) {
    stream->parked = true;
    ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, stream->connection->fd(), nullptr);
    const int fd = stream->handlers.wait_fd ? stream->handlers.wait_fd() : -1;
    if (fd >= 0 && Watch(fd, EPOLLOUT, stream->number, EPOLL_CTL_ADD)) {
      stream->parked_fd = fd;
    } else {
      again_.push_back(stream->number);  // a file, which always takes bytes
    }
  }

  void Unpark(Stream* stream) {
    stream->parked = false;
    if (stream->parked_fd >= 0) {
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, stream->parked_fd, nullptr);
      stream->parked_fd = -1;
    }
    Watch(stream->connection->fd(), EPOLLIN, stream->number, EPOLL_CTL_ADD);
    SetDeadline(stream);
  }

  // Ends a stream whose answer is complete or malformed.
  void Finish(Stream* stream) {
    const HttpHead& head = stream->parser.head();
    if (head.status != 0 && head.status / 100 != 2) {
      return End(stream, ErrorOf(HttpResponse{head, stream->refusal}, stream->action));
    }
    if (stream->parser.mistake().empty()) return End(stream, std::nullopt);
    End(stream, drover::Error(drover::Code::kUnavailable,
                              "the container engine at " + client_->address().Text() + ": " +
                                  stream->parser.mistake(),
                              true));
  }

  void End(Stream* stream, std::optional<drover::Error> error) {
    const auto found = streams_.find(stream->number);
    std::unique_ptr<Stream> owner = std::move(found->second);
    streams_.erase(found);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      --count_;
    }
    if (owner->parked_fd >= 0) {
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, owner->parked_fd, nullptr);
    }
    owner->connection.reset();  // epoll forgets a closed descriptor
    owner->handlers.end(std::move(error));
  }

  void EndAll() {
    // A handler may open a stream or set a timer; both are refused or run at once by now.
    TakeInbox();
    while (!streams_.empty()) End(streams_.begin()->second.get(), StreamCancelled());
    while (!timers_.empty()) {
      const std::function<void()> work = std::move(timers_.begin()->second);
      timers_.erase(timers_.begin());
      work();
    }
  }

  const HttpClient* const client_;
  const drover::Fd epoll_;
  const drover::Fd wake_;
  const CancelToken stop_;
  std::atomic<bool> stopped_{false};

  std::mutex mutex_;  // guards the members below
  bool stopping_ = false;
  std::uint64_t last_ = 0;
  std::size_t count_ = 0;
  std::condition_variable opening_;
  std::deque<Request> to_open_;
  Inbox inbox_;

  // Only of the thread that reads.
  std::map<std::uint64_t, std::unique_ptr<Stream>> streams_;
  std::multimap<SteadyTime, std::function<void()>> timers_;
  std::vector<std::uint64_t> again_;  // streams that may have more to read
  SteadyTime next_check_ = SteadyTime::max();
  std::array<char, 16u << 10> buffer_;

  std::thread opener_;
  std::thread thread_;
};

StreamLoop::StreamLoop(const HttpClient* client) : impl_(std::make_unique<Impl>(client)) {}
StreamLoop::~StreamLoop() = default;
std::uint64_t StreamLoop::Open(HttpRequest request, HttpLimits limits, Handlers handlers) {
  return impl_->Open(std::move(request), limits, std::move(handlers));
}
void StreamLoop::Cancel(std::uint64_t number) { impl_->Cancel(number); }
void StreamLoop::At(SteadyTime time, std::function<void()> work) {
  impl_->At(time, std::move(work));
}

}  // namespace drover_docker
