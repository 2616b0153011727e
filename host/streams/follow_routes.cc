// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes that follow the files and logs of allocations as they grow.
#include "host/encode/encode_file.h"
#include "host/logs/log_follower.h"
#include "host/request/admission_watch.h"
#include "host/streams/file_request.h"
#include "host/streams/file_tail.h"
#include "host/streams/live_stream.h"
#include "host/streams/stream_routes.h"

namespace drover {
namespace {

constexpr Duration kFollowHeartbeat = 1s;
constexpr char kLogPath[] = "alloc/logs";

// Returns the query parameter NAME as a boolean, or MISSING if the parameter is missing. Returns
// nothing if the value is not a boolean.
std::optional<bool> BooleanOf(const ApiRequest& request, const char* name, bool missing) {
  const bool value = request.Flag(name, true);
  if (!request.Text(name).empty() && value != request.Flag(name, false)) return std::nullopt;
  return request.Flag(name, missing);
}

Answer NoBoolean(const char* name) {
  return ErrorAnswer(400, std::string(name) + " must be true or false");
}

Co<Status> SendFrame(LiveStream* stream, StreamFrame frame) {
  return stream->Write(EncodeFrame(frame));
}

// Sends the bytes in the file. If FOLLOW is true, also sends the bytes that are added to the file
// later.
Co<Status> SendTail(ApiRequest* request, LiveStream* stream, std::shared_ptr<FileTail> tail,
                    bool follow) {
  const ApiAgent& agent = request->agent();
  const std::string path = request->Text("path");
  std::unique_ptr<LogWatcher::Watch> watch;
  // This event is never set. If the file is not watched, the loop below waits for this event until
  // its timeout.
  Event unwatched(request->exchange()->loop());
  if (follow) watch = agent.file_watcher->Add(request->exchange()->loop(), tail->fd());
  while (true) {
    if (watch) watch->changed().Reset();  // a change after this line ends the wait below
    FileTail::Step step = co_await OnFileWorker(request, [tail] { return tail->Read(); });
    StreamFrame frame{std::move(step.data), path, "", tail->offset()};
    if (step.state == FileTail::State::kTruncated) frame.event = kFileTruncated;
    if (step.state == FileTail::State::kDeleted) frame.event = kFileDeleted;
    const bool end = step.state == FileTail::State::kEnd;
    const bool gone = step.state == FileTail::State::kDeleted;
    if (!follow && (end || gone)) co_return Status();
    if (!end) DROVER_CO_TRY(co_await SendFrame(stream, std::move(frame)));
    if (gone) co_return Status();
    if (!end) continue;
    const Context pause =
        stream->context().WithTimeout(watch ? LogFollower::kWatchedPoll : LogFollower::kPoll);
    Event* const changed = watch ? &watch->changed() : &unwatched;
    (void)co_await changed->Wait(pause);
    DROVER_CO_TRY(stream->context().status());
  }
}

Co<Answer> StreamFile(ApiRequest* request) {
  const std::string path = request->Text("path");
  if (path.empty()) co_return ErrorAnswer(400, "must provide a file name");
  const std::optional<bool> follow = BooleanOf(*request, "follow", true);
  if (!follow) co_return NoBoolean("follow");
  DROVER_CO_ASSIGN(const ReadStart start, StartOf(*request));
  FileTarget target = co_await FindFiles(request);
  if (target.refusal) co_return std::move(*target.refusal);
  Result<FileTail> tail = co_await OnFileWorker(
      request, [files = target.files, path, start] { return FileTail::Open(files, path, start); });
  if (!tail.ok()) co_return ReadError(tail.error());
  LiveStream stream(request->exchange(), WatchAdmission(request));
  const Status started = co_await stream.Start(HttpReply(), kEmptyFrame, kFollowHeartbeat);
  if (started.ok()) {
    (void)co_await SendTail(request, &stream, std::make_shared<FileTail>(std::move(*tail)),
                            *follow);
  }
  co_await stream.End();
  co_return StreamedAnswer();
}

// Returns an error answer if the task in the request has no logs. Returns nothing if the task has
// logs.
std::optional<Answer> RefusedLogs(const ApiRequest& request, const AllocRecord& record) {
  const std::string task = request.Text("task");
  const TaskGroup* const group = record.alloc->group();
  const Task* const spec = group == nullptr ? nullptr : FindTask(*group, task);
  if (spec == nullptr) return ErrorAnswer(400, "unknown task name \"" + task + "\"");
  if (spec->log_config.disabled) {
    return ErrorAnswer(404, "task \"" + task + "\" keeps no logs: its LogConfig is Disabled");
  }
  const auto state = record.reported.tasks.find(task);
  const bool started =
      state != record.reported.tasks.end() && state->second && state->second->started_at != 0;
  if (started) return std::nullopt;
  return ErrorAnswer(404, "task \"" + task + "\" not started yet. No logs available");
}

// Returns the directory of the logs. Returns Code::kNotFound if there are no logs of TYPE and
// FOLLOW is false. With FOLLOW, the client waits for the first log file, which exists only after
// the task has written.
Result<UniqueFd> OpenLogs(const AllocFiles& files, const std::string& task, const std::string& type,
                          bool follow) {
  const std::string none =
      "log entry for task \"" + task + "\" and log type \"" + type + "\" not found";
  Result<UniqueFd> directory = OpenLogDirectory(files.root(), kLogPath);
  if (!directory.ok()) return Error(Code::kNotFound, none);
  DROVER_ASSIGN(const std::vector<LogFile> list, ListLogFiles(directory->get(), task, type));
  if (list.empty() && !follow) return Error(Code::kNotFound, none);
  return directory;
}

Co<Status> SendChunk(LiveStream* stream, bool plain, LogChunk chunk) {
  if (plain) return stream->Write(std::move(chunk.data));
  StreamFrame frame{std::move(chunk.data), std::string(kLogPath) + "/" + chunk.file, "",
                    chunk.offset};
  if (chunk.event == LogEvent::kTruncated) frame.event = kFileTruncated;
  return SendFrame(stream, std::move(frame));
}

Co<void> SendLogs(ApiRequest* request, LiveStream* stream, UniqueFd directory,
                  LogFollowOptions options, bool plain) {
  LogFollower follower(
      request->exchange()->loop(), std::move(directory), request->Text("task"),
      request->Text("type"),
      [stream, plain](LogChunk chunk) { return SendChunk(stream, plain, std::move(chunk)); },
      options);
  (void)co_await follower.Follow(stream->context());
}

Co<Answer> StreamLogs(ApiRequest* request) {
  const std::string task = request->Text("task");
  if (task.empty()) co_return ErrorAnswer(400, "must provide task name");
  const std::optional<bool> follow = BooleanOf(*request, "follow", false);
  if (!follow) co_return NoBoolean("follow");
  const std::optional<bool> plain = BooleanOf(*request, "plain", false);
  if (!plain) co_return NoBoolean("plain");
  const std::string type = request->Text("type");
  if (type != "stdout" && type != "stderr") {
    co_return ErrorAnswer(400, "must provide log type (stdout/stderr)");
  }
  DROVER_CO_ASSIGN(const ReadStart start, StartOf(*request));
  FileTarget target = co_await FindFiles(request);
  if (target.refusal) co_return std::move(*target.refusal);
  std::optional<Answer> refused = RefusedLogs(*request, *target.record);
  if (refused) co_return std::move(*refused);
  Result<UniqueFd> directory =
      co_await OnFileWorker(request, [files = target.files, task, type, follows = *follow] {
        return OpenLogs(*files, task, type, follows);
      });
  if (!directory.ok()) co_return directory.error();

  LogFollowOptions options;
  options.start = {start.from_end, start.offset};
  options.follow = *follow;
  options.pool = request->agent().file_workers;
  options.watcher = request->agent().file_watcher;
  HttpReply head;
  if (*plain) head.content_type = "text/plain";
  LiveStream stream(request->exchange(), WatchAdmission(request));
  const Status started =
      co_await stream.Start(std::move(head), *plain ? "" : kEmptyFrame, kFollowHeartbeat);
  if (started.ok()) {
    co_await SendLogs(request, &stream, std::move(*directory), options, *plain);
  }
  co_await stream.End();
  co_return StreamedAnswer();
}

}  // namespace

std::vector<Route> FollowRoutes() {
  return {
      {"GET", "/v1/client/fs/stream/*", StreamFile},
      {"GET", "/v1/client/fs/logs/*", StreamLogs},
  };
}

}  // namespace drover
