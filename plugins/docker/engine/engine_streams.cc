// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <utility>

#include "engine/engine.h"
#include "engine/engine_request.h"
#include "engine/frames.h"
#include "engine/json_read.h"

namespace drover_docker {
namespace {

// Returns a time as the parameters since and until take it.
std::string TimeText(std::int64_t nanos) {
  char out[48];
  std::snprintf(out, sizeof out, "%lld.%09lld", static_cast<long long>(nanos / 1'000'000'000),
                static_cast<long long>(nanos % 1'000'000'000));
  return out;
}

std::string LogsTarget(const std::string& id, const LogsRequest& request) {
  const auto flag = [](bool on) { return std::string(on ? "1" : "0"); };
  std::vector<std::pair<std::string, std::string>> query = {
      {"stdout", flag(request.output)},
      {"stderr", flag(request.error)},
      {"follow", flag(request.follow)},
      {"timestamps", flag(request.timestamps)},
      {"tail", request.tail < 0 ? "all" : std::to_string(request.tail)}};
  if (request.since > 0) query.emplace_back("since", TimeText(request.since));
  return Target(ContainerPath(id, "logs"), query);
}

// Splits an answer of JSON objects for a handler of a stream.
StreamLoop::Next SplitFor(JsonSplitter* splitter, std::string_view piece,
                          const std::function<void(std::string_view)>& take) {
  if (splitter->Put(piece, take)) return StreamLoop::Next::kMore;
  throw drover::Error(drover::Code::kUnavailable,
                      "the container engine answers with something that is no JSON", true);
}

}  // namespace

Engine::Subscription::Subscription(std::function<void()> cancel) : cancel_(std::move(cancel)) {}
Engine::Subscription::Subscription(Subscription&& other) noexcept
    : cancel_(std::exchange(other.cancel_, nullptr)) {}
Engine::Subscription& Engine::Subscription::operator=(Subscription&& other) noexcept {
  if (this == &other) return *this;
  Cancel();
  cancel_ = std::exchange(other.cancel_, nullptr);
  return *this;
}
void Engine::Subscription::Cancel() {
  if (const auto cancel = std::exchange(cancel_, nullptr)) cancel();
}

Engine::Subscription Engine::FollowStats(const std::string& id,
                                         std::function<void(const nlohmann::json&)> sample,
                                         OnEnd end) {
  const auto splitter = std::make_shared<JsonSplitter>();
  StreamLoop::Handlers handlers;
  handlers.take = [splitter, sample = std::move(sample)](std::string_view piece) {
    return SplitFor(splitter.get(), piece,
                    [&](std::string_view text) { sample(ParseJson(text, "statistics")); });
  };
  handlers.end = Heeding(std::move(end));
  // An engine sends a sample each second. One that takes none for long hangs.
  HttpLimits limits = options_.limits;
  const std::string target =
      KnownVersioned(Target(ContainerPath(id, "stats"), {{"stream", "true"}}));
  const std::uint64_t number = streams_->Open(Request("GET", target), limits, std::move(handlers));
  return Subscription([loop = streams_.get(), number] { loop->Cancel(number); });
}

nlohmann::json Engine::StatsOnce(const std::string& id, const CancelToken& cancel) {
  const std::string target =
      Target(ContainerPath(id, "stats"), {{"stream", "false"}, {"one-shot", "true"}});
  return AskJson(Request("GET", target), "statistics of container " + id, options_.limits, cancel);
}

Engine::Subscription Engine::FollowEvents(const nlohmann::json& filters, std::int64_t since,
                                          std::function<void()> begun,
                                          std::function<void(const EngineEvent&)> heard,
                                          OnEnd end) {
  std::vector<std::pair<std::string, std::string>> query;
  if (!filters.empty()) {
    query.emplace_back("filters",
                       filters.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace));
  }
  if (since > 0) query.emplace_back("since", TimeText(since));
  const auto splitter = std::make_shared<JsonSplitter>();
  StreamLoop::Handlers handlers;
  handlers.begin = [begun = std::move(begun)](const HttpHead&) {
    if (begun) begun();
  };
  handlers.take = [splitter, heard = std::move(heard)](std::string_view piece) {
    return SplitFor(splitter.get(), piece, [&](std::string_view text) {
      if (const auto event = ReadEvent(text)) heard(*event);
    });
  };
  handlers.end = Heeding(std::move(end));
  HttpLimits limits = options_.limits;
  limits.first_byte = limits.silence = drover::Duration(0);  // a quiet engine has no events
  const std::uint64_t number = streams_->Open(
      Request("GET", KnownVersioned(Target("/events", query))), limits, std::move(handlers));
  return Subscription([loop = streams_.get(), number] { loop->Cancel(number); });
}

std::uint64_t Engine::OpenLogs(const std::string& id, const LogsRequest& request,
                               StreamLoop::Handlers handlers) {
  HttpLimits limits = options_.limits;
  handlers.end = Heeding(std::move(handlers.end));
  if (request.follow) limits.first_byte = limits.silence = drover::Duration(0);
  return streams_->Open(Request("GET", KnownVersioned(LogsTarget(id, request))), limits,
                        std::move(handlers));
}

std::pair<std::string, std::string> Engine::ReadLogs(const std::string& id,
                                                     const LogsRequest& request, bool tty,
                                                     std::size_t most, const CancelToken& cancel) {
  LogsRequest once = request;
  once.follow = false;
  std::pair<std::string, std::string> out;
  FrameSplitter frames;
  std::size_t size = 0;
  const auto take = [&](OutputKind kind, std::string_view piece, bool, bool) {
    piece = piece.substr(0, most - size);
    size += piece.size();
    (kind == OutputKind::kError ? out.second : out.first) += piece;
  };
  const HttpRequest get = Request("GET", Versioned(LogsTarget(id, once), cancel));
  const HttpResponse response =
      client_.Stream(get, LongLimits(), cancel, [&](std::string_view piece) {
        if (tty) {
          take(OutputKind::kOutput, piece, true, true);
        } else if (!frames.Put(piece, take)) {
          throw drover::Error(drover::Code::kUnavailable,
                              "logs of container " + id + ": " + frames.mistake(), true);
        }
        return size < most;
      });
  if (response.head.status / 100 != 2) {
    const EngineError error = ErrorOf(response, "logs of container " + id);
    Heed(error);
    throw error;
  }
  return out;
}

}  // namespace drover_docker
