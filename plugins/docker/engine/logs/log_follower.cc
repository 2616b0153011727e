// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/logs/log_follower.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <mutex>
#include <string_view>
#include <utility>

#include "engine/frames.h"
#include "engine/logs/stamped_lines.h"

namespace drover_docker {
namespace {

using std::chrono::steady_clock;

constexpr drover::Duration kMostFollowRetry = std::chrono::seconds(5);
// An engine ends the logs of a container that has ended. If it does not, the follower asks again.
constexpr drover::Duration kEndOfFollow = std::chrono::seconds(1);

// A pipe whose reader is slow must not stop the loop.
void SetNonBlocking(const drover::Fd& fd) {
  if (!fd.ok()) return;
  const int flags = ::fcntl(fd.get(), F_GETFL);
  if (flags >= 0) ::fcntl(fd.get(), F_SETFL, flags | O_NONBLOCK);
}

// Whether the logs can never be read, so that there is no use in asking again. A proxy before an
// engine that is away, or another service at the address, may answer with 404 or 400 to everything.
bool IsFinal(const drover::Error& error) {
  const std::string& text = error.message();
  const auto has = [&](const char* words) { return text.find(words) != std::string::npos; };
  // The engine cannot read what the log driver of the container has written.
  if (has("logging driver does not support reading") || has("log driver, cannot read logs")) {
    return true;
  }
  switch (error.code()) {
    case drover::Code::kNotFound:
      return has("o such container");
    case drover::Code::kInvalidArgument:
    case drover::Code::kPermissionDenied:
    case drover::Code::kFailedPrecondition:
    case drover::Code::kUnavailable:
      return false;
    default:
      return !error.recoverable();
  }
}

// One of the two descriptors, with the bytes that it has not taken yet.
class Sink {
 public:
  Sink(drover::Fd fd, LogMark from) : lines(from), fd_(std::move(fd)) { SetNonBlocking(fd_); }

  void Add(std::string_view text) {
    if (fd_.ok()) pending_ += text;
  }
  // Returns false if the descriptor takes no more at the moment. Closes one that nobody reads.
  bool Flush() {
    while (!pending_.empty()) {
      const ssize_t written = ::write(fd_.get(), pending_.data(), pending_.size());
      if (written > 0) {
        pending_.erase(0, static_cast<std::size_t>(written));
      } else if (written < 0 && errno == EAGAIN) {
        return false;
      } else if (written == 0 || errno != EINTR) {
        Close();
      }
    }
    return true;
  }
  void Close() {
    fd_ = drover::Fd();
    pending_.clear();
  }
  bool open() const { return fd_.ok(); }
  bool waits() const { return !pending_.empty(); }
  int fd() const { return fd_.get(); }

  StampedLines lines;

 private:
  drover::Fd fd_;
  std::string pending_;  // at most what one piece of the answer has
};

}  // namespace

// The functions run on the thread of the loop, except for those of the first group.
class LogFollower::State : public std::enable_shared_from_this<State> {
 public:
  State(Engine* engine, std::string id, drover::Fd output, drover::Fd error, Options options)
      : engine_(engine),
        id_(std::move(id)),
        options_(std::move(options)),
        output_(std::move(output), options_.from.output),
        error_(std::move(error), options_.from.error),
        retry_(options_.retry),
        written_(options_.from) {}

  // ----------------------------------------------------------------------------------- any thread

  void Start() {
    engine_->streams().At(steady_clock::now(), [self = shared_from_this()] { self->Open(); });
  }
  void Stop() {
    std::uint64_t stream = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      stopped_ = true;
      stream = stream_;
    }
    engine_->streams().Cancel(stream);
    engine_->streams().At(steady_clock::now(), [self = shared_from_this()] { self->Stopped(); });
  }
  void Finish(drover::Duration within) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (std::exchange(finishing_, true)) return;
    }
    const SteadyTime now = steady_clock::now();
    const auto self = shared_from_this();
    engine_->streams().At(now, [self] { self->AskTheRest(false); });
    engine_->streams().At(now + kEndOfFollow, [self] { self->AskTheRest(true); });
    engine_->streams().At(now + within, [self] { self->GiveUp(); });
  }
  LogPosition position() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return written_;
  }

 private:
  void Open() {
    LogsRequest request;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (completed_ || open_) return;
      if (!stopped_) {
        open_ = true;
        last_pass_ = finishing_;
      }
      request.follow = !finishing_;
      request.since = written_.Since();
    }
    if (!open_) return Stopped();
    request.timestamps = true;
    frames_ = FrameSplitter();
    line_begins_ = true;
    output_.lines.Restart();
    error_.lines.Restart();
    const auto self = shared_from_this();
    StreamLoop::Handlers handlers;
    handlers.take = [self](std::string_view piece) { return self->Take(piece); };
    handlers.resume = [self] { return self->Flush(); };
    handlers.wait_fd = [self] {
      return self->output_.waits() ? self->output_.fd() : self->error_.fd();
    };
    handlers.end = [self](std::optional<drover::Error> error) { self->Ended(std::move(error)); };
    const std::uint64_t stream = engine_->OpenLogs(id_, request, std::move(handlers));
    std::lock_guard<std::mutex> lock(mutex_);
    stream_ = stream;
    if (stopped_) engine_->streams().Cancel(stream);
  }

  StreamLoop::Next Take(std::string_view piece) {
    if (options_.tty) {
      TakeLines(piece);
    } else if (!frames_.Put(piece, [this](OutputKind kind, std::string_view part, bool first,
                                          bool last) { TakePart(kind, part, first, last); })) {
      throw drover::Error(drover::Code::kInternal, "the container engine: " + frames_.mistake());
    }
    return Flush();
  }

  // With a terminal there are no frames: each line is a message.
  void TakeLines(std::string_view piece) {
    while (!piece.empty()) {
      const std::size_t end = piece.find('\n');
      const bool last = end != piece.npos;
      TakePart(OutputKind::kOutput, piece.substr(0, last ? end + 1 : end), line_begins_, last);
      line_begins_ = last;
      piece.remove_prefix(last ? end + 1 : piece.size());
    }
  }

  void TakePart(OutputKind kind, std::string_view part, bool first, bool last) {
    Sink& sink = kind == OutputKind::kError ? error_ : output_;
    sink.lines.Put(part, first, last, [&](std::string_view text) {
      sink.Add(text);
      retry_ = options_.retry;
    });
  }

  StreamLoop::Next Flush() {
    const bool output_done = output_.Flush();
    const bool error_done = error_.Flush();
    if (!output_.open() && !error_.open()) return StreamLoop::Next::kStop;
    if (!output_done || !error_done) return StreamLoop::Next::kWait;
    const LogPosition now{output_.lines.mark(), error_.lines.mark()};
    {
      std::lock_guard<std::mutex> lock(mutex_);
      written_ = now;
    }
    ReportMoved();
    return StreamLoop::Next::kMore;
  }

  // Reports the position, so that another follower can go on behind what was written.
  void ReportMoved() {
    const LogPosition now = position();
    if (!options_.moved || now == reported_) return;
    reported_ = now;
    options_.moved(now);
  }

  void Ended(std::optional<drover::Error> error) {
    bool again = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      open_ = false;
      stream_ = 0;
      if (stopped_) error = Cancelled();
      again = !stopped_ && std::exchange(asking_again_, false);
      if (gave_up_) {
        again = false;
        error = drover::Error(drover::Code::kTimeout,
                              "the output of container " + id_ + " could not be read to its end");
      }
    }
    if (!gave_up_ && !output_.open() && !error_.open()) {
      return Complete(drover::Error(drover::Code::kUnavailable,
                                    "nobody reads the output of container " + id_ + " any more"));
    }
    if (again) return Open();
    if (error && IsFinal(*error)) return Complete(std::move(error));
    if (!error && last_pass_) return Complete(std::nullopt);
    bool finishing = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      finishing = finishing_;
    }
    if (!error && finishing) return Open();
    const drover::Duration pause = retry_;
    retry_ = std::min(retry_ * 2, kMostFollowRetry);
    engine_->streams().At(steady_clock::now() + pause,
                          [self = shared_from_this()] { self->Open(); });
  }

  // The container has ended. Without an open answer the rest is asked for now; with one only if it
  // does not end (MUST).
  void AskTheRest(bool must) {
    std::uint64_t stream = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (completed_ || stopped_) return;
      if (open_) {
        // A slow reader is no reason to ask again, and neither is the last pass itself.
        if (!must || last_pass_ || output_.waits() || error_.waits()) return;
        asking_again_ = true;
        stream = stream_;
      }
    }
    if (stream != 0) return engine_->streams().Cancel(stream);
    retry_ = options_.retry;
    Open();
  }

  void GiveUp() {
    std::uint64_t stream = 0;
    bool open = false;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (completed_) return;
      gave_up_ = true;
      stream = stream_;
      open = open_;
    }
    if (open) return engine_->streams().Cancel(stream);
    Ended(std::nullopt);
  }

  void Stopped() {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (open_) return;  // the end of the stream comes
    }
    Complete(Cancelled());
  }

  drover::Error Cancelled() const {
    return drover::Error(drover::Code::kCancelled,
                         "the output of container " + id_ + " is followed no more");
  }

  void Complete(std::optional<drover::Error> error) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (std::exchange(completed_, true)) return;
    }
    output_.Close();
    error_.Close();
    options_.moved = nullptr;
    if (const auto end = std::exchange(options_.end, nullptr)) end(position(), std::move(error));
  }

  Engine* const engine_;
  const std::string id_;

  // Only of the loop's thread.
  Options options_;
  Sink output_;
  Sink error_;
  FrameSplitter frames_;
  bool line_begins_ = true;
  drover::Duration retry_;
  LogPosition reported_;

  mutable std::mutex mutex_;  // guards the members below
  LogPosition written_;
  std::uint64_t stream_ = 0;
  bool open_ = false;       // an answer is being read
  bool last_pass_ = false;  // that answer is asked for after the end of the container
  bool stopped_ = false;
  bool finishing_ = false;
  bool asking_again_ = false;
  bool gave_up_ = false;
  bool completed_ = false;
};

LogFollower::LogFollower(Engine* engine, std::string id, drover::Fd output, drover::Fd error,
                         Options options)
    : state_(std::make_shared<State>(engine, std::move(id), std::move(output), std::move(error),
                                     std::move(options))) {
  state_->Start();
}
LogFollower::~LogFollower() { state_->Stop(); }
void LogFollower::Finish(drover::Duration within) { state_->Finish(within); }
LogPosition LogFollower::position() const { return state_->position(); }

}  // namespace drover_docker
