// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "driver/log_copy.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <utility>

namespace drover_docker {
namespace {

constexpr std::chrono::milliseconds kLockRetry{200};
constexpr std::chrono::seconds kDrainLimit{5};
constexpr int kMostRefused = 50;           // some 10 s
constexpr std::size_t kPositionSize = 96;  // the text is filled up with spaces

std::string PositionPath(const std::string& task_dir, const drover::RunId& run) {
  return task_dir + "/.docker-logs-" + run.Text();
}

}  // namespace

std::unique_ptr<PositionFile> PositionFile::Lock(const std::string& task_dir,
                                                 const drover::RunId& run) {
  const std::string path = PositionPath(task_dir, run);
  drover::Fd file(
      ::open(path.c_str(), O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600));
  struct stat found{};
  if (!file.ok() || ::fstat(file.get(), &found) != 0 || !S_ISREG(found.st_mode)) {
    throw drover::Error(drover::Code::kInternal, "cannot store the position of the logs in " +
                                                     path + ": " + ::strerror(errno));
  }
  if (::flock(file.get(), LOCK_EX | LOCK_NB) != 0) return nullptr;
  return std::unique_ptr<PositionFile>(new PositionFile(std::move(file)));
}

void PositionFile::Remove(const std::string& task_dir, const drover::RunId& run) {
  if (!task_dir.empty()) ::unlink(PositionPath(task_dir, run).c_str());
}

LogPosition PositionFile::Read() const {
  std::array<char, kPositionSize> buffer{};
  const ssize_t got = ::pread(file_.get(), buffer.data(), buffer.size(), 0);
  std::string text(buffer.data(), got > 0 ? static_cast<std::size_t>(got) : 0);
  const std::size_t end = text.find(' ');
  if (end != std::string::npos) text.erase(end);
  return LogPosition::Parse(text);
}

void PositionFile::Write(const LogPosition& position) const {
  std::string text = position.Text();
  text.resize(kPositionSize, ' ');  // one write of one size, so that no reader sees two halves
  (void)!::pwrite(file_.get(), text.data(), text.size(), 0);
}

LogCopy::LogCopy(drover::Host host, Engine* engine, What what,
                 std::function<void(const std::string&)> failed)
    : host_(std::move(host)), engine_(engine), what_(std::move(what)), failed_(std::move(failed)) {}

LogCopy::~LogCopy() = default;

void LogCopy::Begin(std::shared_ptr<drover::OutputPipes> pipes) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (ended_) return;
  }
  try {
    std::unique_ptr<PositionFile> position = PositionFile::Lock(what_.task_dir, what_.run);
    if (position == nullptr) return TryLater(std::move(pipes));
    if (pipes != nullptr) return Follow(std::move(position), std::move(pipes));
    auto held = std::make_shared<std::unique_ptr<PositionFile>>(std::move(position));
    auto self = shared_from_this();
    host_.task_output().Open(
        what_.run, [self, held](drover::Outcome<std::shared_ptr<drover::OutputPipes>> opened) {
          if (!opened.ok()) {
            held->reset();
            return self->NotOpened(opened.error());
          }
          self->Follow(std::move(*held), opened.value());
        });
  } catch (const drover::Error& error) {
    Ended(error);
  }
}

// After a crash of the plugin the host still knows the pipes of the earlier instance. Their reader
// ends when it has stored what they contain, and then the run is free for new pipes.
void LogCopy::NotOpened(const drover::Error& error) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    if (ended_) return;
  }
  if (error.code() != drover::Code::kFailedPrecondition || ++refused_ > kMostRefused) {
    return Ended(error);
  }
  auto self = shared_from_this();
  host_.process().Usage(what_.run, false, [self](drover::Outcome<drover::Stats> reading) {
    // A reader that has ended has no usage.
    if (reading.ok() || reading.error().code() != drover::Code::kFailedPrecondition) {
      return self->TryLater(nullptr);
    }
    self->host_.process().Release(
        self->what_.run, [self](const drover::Outcome<drover::Empty>&) { self->Begin(nullptr); });
  });
}

void LogCopy::TryLater(std::shared_ptr<drover::OutputPipes> pipes) {
  std::weak_ptr<LogCopy> weak = weak_from_this();
  host_.After(kLockRetry, [weak, pipes = std::move(pipes)] {
    if (auto self = weak.lock()) self->Begin(pipes);
  });
}

void LogCopy::Follow(std::unique_ptr<PositionFile> position,
                     std::shared_ptr<drover::OutputPipes> pipes) {
  auto held = std::make_shared<std::unique_ptr<PositionFile>>(std::move(position));
  std::weak_ptr<LogCopy> weak = weak_from_this();
  LogFollower::Options options;
  options.tty = what_.tty;
  options.from = (*held)->Read();
  options.moved = [held](const LogPosition& now) {
    if (*held != nullptr) (*held)->Write(now);
  };
  options.end = [held, weak](const LogPosition& last, std::optional<drover::Error> error) {
    if (*held != nullptr) (*held)->Write(last);
    held->reset();  // unlocks
    if (auto self = weak.lock()) self->Ended(std::move(error));
  };
  auto follower = std::make_shared<LogFollower>(engine_, what_.container, std::move(pipes->output),
                                                std::move(pipes->error), std::move(options));
  bool finishing = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    began_ = true;
    if (!ended_) follower_ = follower;
    finishing = finishing_;
  }
  if (finishing) follower->Finish(kDrainLimit);
}

void LogCopy::Finish(std::function<void()> done) {
  std::shared_ptr<LogFollower> follower;
  bool over = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    over = ended_;
    finishing_ = true;
    if (!over) done_ = done;
    follower = follower_;
  }
  if (over) return done();
  if (follower != nullptr) return follower->Finish(kDrainLimit);
  // The copy has not begun. It may wait for the lock of an instance that ends; so does the end of
  // the task, but not for long.
  std::weak_ptr<LogCopy> weak = weak_from_this();
  host_.After(kDrainLimit, [weak] {
    const auto self = weak.lock();
    if (self == nullptr) return;
    std::function<void()> waiting;
    {
      std::lock_guard<std::mutex> lock(self->mutex_);
      if (!self->began_) waiting.swap(self->done_);
    }
    if (waiting) waiting();
  });
}

void LogCopy::Stop() {
  std::shared_ptr<LogFollower> follower;
  std::function<void()> done;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    ended_ = true;
    follower.swap(follower_);
    done.swap(done_);
  }
  follower.reset();
  if (done) done();
}

void LogCopy::Ended(std::optional<drover::Error> error) {
  std::function<void()> done;
  bool first = false;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    first = !std::exchange(ended_, true);
    done.swap(done_);
  }
  if (first && error && error->code() != drover::Code::kCancelled && failed_) {
    failed_("the output of the container is not collected: " + error->message());
  }
  if (done) done();
}

}  // namespace drover_docker
