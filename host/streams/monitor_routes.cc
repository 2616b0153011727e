// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/encode/encode_file.h"
#include "host/request/admission_watch.h"
#include "host/streams/live_stream.h"
#include "host/streams/log_monitor.h"
#include "host/streams/stream_routes.h"

namespace drover {
namespace {

constexpr Duration kMonitorHeartbeat = 10s;

// Returns a JSON object that contains LINES. Clients join the lines of all objects.
std::string Frame(std::string lines) {
  StreamFrame frame;
  frame.data = std::move(lines);
  return EncodeFrame(frame);
}

Co<Status> Follow(LiveStream* stream, LogWatch* watch, bool plain) {
  const Context context = stream->context();
  while (true) {
    DROVER_CO_ASSIGN(std::string lines, co_await watch->Next(context));
    DROVER_CO_TRY(co_await stream->Write(plain ? std::move(lines) : Frame(std::move(lines))));
  }
}

// Returns an error answer if the request names another node or server. There is one node, and this
// node is also the only server.
std::optional<Answer> WrongTarget(const ApiRequest& request) {
  const std::string node = request.Text("node_id"), server = request.Text("server_id");
  const ApiAgent& agent = request.agent();
  if (!node.empty() && !server.empty()) {
    return ErrorAnswer(400, "node_id and server_id are both given: name only one of them");
  }
  if (!node.empty() && (node.size() < 2 || !agent.node_id.starts_with(node))) {
    return ErrorAnswer(404, "No such node: " + node);
  }
  if (!server.empty() && server != "leader" && server != agent.name &&
      server != agent.name + "." + agent.region) {
    return ErrorAnswer(404, "No such server: " + server);
  }
  return std::nullopt;
}

Co<Answer> StreamLog(ApiRequest* request) {
  const std::string level = request->Text("log_level");
  const auto parsed = ParseLogLevel(level.empty() ? "info" : level);
  if (!parsed) co_return ErrorAnswer(400, "Unknown log level: " + level);
  if (std::optional<Answer> wrong = WrongTarget(*request)) co_return std::move(*wrong);
  const bool plain = request->Flag("plain");
  LogWatchOptions options;
  options.level = *parsed;
  options.json = request->Flag("log_json");
  LogWatch watch(request->agent().log_monitor, request->exchange()->loop(), options);
  LiveStream stream(request->exchange(), WatchAdmission(request));
  HttpReply head;
  if (plain) head.content_type = "text/plain";
  const Status started =
      co_await stream.Start(std::move(head), plain ? "" : kEmptyFrame, kMonitorHeartbeat);
  // The result is ignored, because Follow returns only when the client has disconnected.
  if (started.ok()) (void)co_await Follow(&stream, &watch, plain);
  co_await stream.End();
  co_return StreamedAnswer();
}

}  // namespace

std::vector<Route> MonitorRoutes() { return {{"GET", "/v1/agent/monitor", StreamLog}}; }

}  // namespace drover
