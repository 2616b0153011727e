// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/logging.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/spdlog.h>
#include <unistd.h>

#include <csignal>
#include <mutex>
#include <utility>

#include "host/agent/rotated_log.h"
#include "host/base/log_writer.h"
#include "host/streams/json_log_line.h"

namespace drover {
namespace {

// How long the program waits at its end for a slow reader of the log.
constexpr Duration kLastLines = 1s;

std::unique_ptr<spdlog::formatter> NewFormatter(const std::string& format) {
  if (format == "json") return NewJsonLogFormatter();
  return std::make_unique<spdlog::pattern_formatter>("%Y-%m-%dT%H:%M:%S.%e [%l] %v");
}

// The writers are never destroyed, since a signal handler may use them at any time.
LogWriter* g_writer = nullptr;
LogWriter* g_file_writer = nullptr;  // null if there is no log file

void ForEachWriter(void (*act)(LogWriter*)) {
  for (LogWriter* const writer : {g_writer, g_file_writer}) {
    if (writer != nullptr) act(writer);
  }
}

class WriterSink : public spdlog::sinks::base_sink<std::mutex> {
 public:
  explicit WriterSink(LogWriter* writer) : writer_(writer) {}

 protected:
  void sink_it_(const spdlog::details::log_msg& message) override {
    spdlog::memory_buf_t line;
    formatter_->format(message, line);
    writer_->Write(std::string_view(line.data(), line.size()));
  }
  void flush_() override {}

 private:
  LogWriter* const writer_;
};

LogWriter::GapLine GapLineIn(const std::string& format) {
  return [formatter = std::shared_ptr<spdlog::formatter>(NewFormatter(format))](std::size_t count) {
    const std::string text =
        std::to_string(count) + " lines of the log were dropped: whoever reads it was too slow";
    spdlog::memory_buf_t line;
    formatter->format(spdlog::details::log_msg("", spdlog::level::warn, text), line);
    return std::string(line.data(), line.size());
  };
}

extern "C" void WriteLastWords(int number) {
  ForEachWriter([](LogWriter* writer) { writer->LastWords(); });
  // SA_RESETHAND has reset the handler, so the signal now has its default effect.
  raise(number);
}

}  // namespace

void SetUpLogging(const std::string& level, const std::string& format) {
  g_writer = new LogWriter(STDERR_FILENO, GapLineIn(format));
  auto logger = std::make_shared<spdlog::logger>("drover", std::make_shared<WriterSink>(g_writer));
  logger->set_level(spdlog::level::from_str(level));
  logger->set_formatter(NewFormatter(format));
  spdlog::set_default_logger(std::move(logger));
}

Status AddLogFile(const AgentConfig::LogFile& file, const std::string& format) {
  DROVER_ASSIGN(std::unique_ptr<RotatedLog> opened, RotatedLog::Open(file, WallNow));
  g_file_writer = new LogWriter(std::move(opened), GapLineIn(format));
  auto sink = std::make_shared<WriterSink>(g_file_writer);
  sink->set_formatter(NewFormatter(format));
  spdlog::default_logger()->sinks().push_back(std::move(sink));
  return {};
}

LogThread::LogThread() {
  ForEachWriter([](LogWriter* writer) { writer->Start(); });
  for (const int number : {SIGABRT, SIGSEGV, SIGBUS, SIGILL, SIGFPE}) {
    struct sigaction before{};
    // A handler that somebody else has installed, such as a sanitizer, stays.
    if (sigaction(number, nullptr, &before) != 0 || before.sa_handler != SIG_DFL) continue;
    struct sigaction last{};
    last.sa_handler = WriteLastWords;
    last.sa_flags = static_cast<int>(SA_RESETHAND | SA_NODEFER);
    sigaction(number, &last, nullptr);
  }
}

LogThread::~LogThread() {
  ForEachWriter([](LogWriter* writer) { writer->Finish(kLastLines); });
}

}  // namespace drover
