// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/log_monitor.h"

#include <spdlog/logger.h>
#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/sink.h>

#include <algorithm>
#include <cctype>
#include <list>
#include <mutex>
#include <utility>

#include "host/streams/json_log_line.h"

namespace drover {
namespace {

std::string Formatted(spdlog::formatter* formatter, const spdlog::details::log_msg& message) {
  spdlog::memory_buf_t text;
  formatter->format(message, text);
  return {text.data(), text.size()};
}

}  // namespace

std::optional<spdlog::level::level_enum> ParseLogLevel(std::string_view text) {
  std::string name(text);
  std::transform(name.begin(), name.end(), name.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  if (name == "trace") return spdlog::level::trace;
  if (name == "debug") return spdlog::level::debug;
  if (name == "info") return spdlog::level::info;
  if (name == "warn") return spdlog::level::warn;
  if (name == "error") return spdlog::level::err;
  return std::nullopt;
}

// The mutex of the sink guards all members except `arrived`.
struct LogWatch::Queue {
  Queue(Loop* on, LogWatchOptions given) : loop(on), options(given), arrived(on) {}
  Loop* const loop;
  const LogWatchOptions options;
  std::string lines;
  std::size_t dropped = 0;
  bool notified = false;  // whether `arrived` is set or will be set soon
  Event arrived;          // only the thread of `loop` uses it
};

class LogMonitor::Sink : public spdlog::sinks::sink {
 public:
  using Queue = LogWatch::Queue;

  void log(const spdlog::details::log_msg& message) override {
    const std::lock_guard lock(mutex_);
    // Element 0 is the line as text, and element 1 is the line as JSON. Each element is made when
    // the first watcher needs it.
    std::string lines[2];
    for (const std::shared_ptr<Queue>& queue : queues_) {
      if (message.level < queue->options.level) continue;
      std::string& line = lines[queue->options.json ? 1 : 0];
      if (line.empty()) line = Formatted(FormatterOf(*queue), message);
      Add(queue, line);
    }
  }
  void flush() override {}
  void set_pattern(const std::string&) override {}
  void set_formatter(std::unique_ptr<spdlog::formatter>) override {}

  void Insert(std::shared_ptr<Queue> queue) {
    const std::lock_guard lock(mutex_);
    queues_.push_back(std::move(queue));
  }
  void Remove(const std::shared_ptr<Queue>& queue) {
    const std::lock_guard lock(mutex_);
    queues_.remove(queue);
  }
  // Returns the lines that wait in QUEUE, or an empty text if there are none. If lines were
  // dropped, adds a line with the number of dropped lines.
  std::string Take(Queue* queue) {
    const std::lock_guard lock(mutex_);
    std::string lines = std::exchange(queue->lines, {});
    if (const std::size_t dropped = std::exchange(queue->dropped, 0); dropped > 0) {
      const std::string text =
          "the monitor was too slow: " + std::to_string(dropped) + " lines were dropped";
      const spdlog::details::log_msg message("", spdlog::level::warn, text);
      lines += Formatted(FormatterOf(*queue), message);
    }
    queue->notified = false;
    return lines;
  }
  // Returns the lowest level that a watcher wants. Returns the level "off" if there are no
  // watchers.
  spdlog::level::level_enum Lowest() {
    const std::lock_guard lock(mutex_);
    auto lowest = spdlog::level::off;
    for (const auto& queue : queues_) lowest = std::min(lowest, queue->options.level);
    return lowest;
  }

 private:
  spdlog::formatter* FormatterOf(const Queue& queue) {
    return queue.options.json ? json_.get() : &text_;
  }
  static void Add(const std::shared_ptr<Queue>& queue, const std::string& line) {
    // After one dropped line, further lines are dropped too, until the watcher has received the
    // number of dropped lines.
    if (queue->dropped > 0 || queue->lines.size() + line.size() > queue->options.most_bytes) {
      ++queue->dropped;
    } else {
      queue->lines += line;
    }
    if (std::exchange(queue->notified, true)) return;
    // A watcher removes its queue from the list before the loop of the watcher ends. The queue is
    // still in the list, so the loop still exists.
    queue->loop->Post([queue] { queue->arrived.Set(); });
  }

  std::mutex mutex_;
  std::list<std::shared_ptr<Queue>> queues_;
  spdlog::pattern_formatter text_{"%Y-%m-%dT%H:%M:%S.%e [%l] %v"};
  const std::unique_ptr<spdlog::formatter> json_ = NewJsonLogFormatter();
};

LogMonitor::LogMonitor(std::shared_ptr<spdlog::logger> logger)
    : logger_(std::move(logger)), sink_(std::make_shared<Sink>()), level_(logger_->level()) {
  sink_->set_level(spdlog::level::off);
  for (const auto& other : logger_->sinks()) other->set_level(level_);
  logger_->sinks().push_back(sink_);
}

LogMonitor::~LogMonitor() { DROVER_CHECK(sink_->Lowest() == spdlog::level::off); }

void LogMonitor::SetLevel(spdlog::level::level_enum level) {
  {
    const std::lock_guard lock(mutex_);
    level_ = level;
    for (const auto& other : logger_->sinks()) {
      if (other != sink_) other->set_level(level);
    }
  }
  Update();
}

void LogMonitor::Update() {
  const std::lock_guard lock(mutex_);
  const auto lowest = sink_->Lowest();
  sink_->set_level(lowest);
  logger_->set_level(std::min(lowest, level_));
}

LogWatch::LogWatch(LogMonitor* monitor, Loop* loop, LogWatchOptions options)
    : monitor_(monitor), queue_(std::make_shared<Queue>(loop, options)) {
  monitor_->sink_->Insert(queue_);
  monitor_->Update();
}

LogWatch::~LogWatch() {
  monitor_->sink_->Remove(queue_);
  monitor_->Update();
}

Co<Result<std::string>> LogWatch::Next(Context context) {
  while (true) {
    queue_->arrived.Reset();
    std::string lines = monitor_->sink_->Take(queue_.get());
    if (!lines.empty()) co_return lines;
    DROVER_CO_TRY(co_await queue_->arrived.Wait(context));
  }
}

}  // namespace drover
