// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/view/log_printer.h"

#include <utility>

#include "host/view/line_cutter.h"

namespace drover {

struct LogPrinter::Stream {
  Stream(LogPrinter* printer, std::string of_task, std::string stream_name)
      : task(std::move(of_task)),
        name(std::move(stream_name)),
        follower(
            printer->loop_, printer->directory_, task, name,
            [printer, this](LogChunk chunk) { printer->Show(this, chunk); }, printer->options_) {}

  const std::string task;
  const std::string name;
  LineCutter cutter;
  LogFollower follower;
};

LogPrinter::LogPrinter(Loop* loop, RunView* view, std::shared_ptr<const Allocation> alloc,
                       std::string directory, LogFollowOptions options)
    : loop_(loop),
      view_(view),
      alloc_(std::move(alloc)),
      directory_(std::move(directory)),
      options_(options),
      context_(loop),
      running_(loop) {}

LogPrinter::~LogPrinter() = default;

void LogPrinter::Begin(const std::string& task) {
  auto& streams = streams_[task];
  if (!streams.empty()) return;
  for (const char* name : {"stdout", "stderr"}) {
    streams.push_back(std::make_unique<Stream>(this, task, name));
    running_.Spawn(RunStream(this, streams.back().get()));
  }
}

Co<void> LogPrinter::RunStream(LogPrinter* self, Stream* stream) {
  co_await stream->follower.Run(self->context_);
  const std::string rest = stream->cutter.TakeRest();
  if (!rest.empty()) self->view_->Log(*self->alloc_, stream->task, stream->name, rest);
}

void LogPrinter::Show(Stream* stream, const LogChunk& chunk) {
  for (const std::string& line : stream->cutter.Add(chunk.data)) {
    view_->Log(*alloc_, stream->task, stream->name, line);
  }
}

Co<void> LogPrinter::Finish() {
  for (auto& [task, streams] : streams_) {
    for (auto& stream : streams) stream->follower.Finish();
  }
  co_await running_.Close();
}

}  // namespace drover
