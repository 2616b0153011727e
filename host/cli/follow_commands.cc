// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// What shows something as it happens, until it is interrupted.
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/json_fields.h"
#include "host/cli/readable.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr int kMaxDepth = 200;
constexpr std::size_t kMaxLine = std::size_t{256} << 20;

// Hands what a GET answers to TAKE line by line, without the line breaks, until the agent ends.
Error FollowLines(ApiClient* client, const std::string& path, Query query,
                  const std::function<void(const std::string& line)>& take) {
  std::string rest;
  const Status ended = client->Stream(path, std::move(query), [&](std::string_view bytes) {
    for (std::size_t end = 0; (end = bytes.find('\n')) != std::string_view::npos;) {
      rest += bytes.substr(0, end);
      take(rest);
      rest.clear();
      bytes.remove_prefix(end + 1);
    }
    if (rest.size() < kMaxLine) rest += bytes;  // what is longer is cut
  });
  return ended.ok() ? Error(Code::kUnavailable, "the agent has ended the answer") : ended.error();
}

Result<int> Monitor(ApiClient* client, Terminal* terminal, const MonitorOptions& options) {
  Query query = {{"log_level", options.level}, {"plain", "true"}};
  if (options.json) query.emplace_back("log_json", "true");
  const auto show = [terminal](const std::string& line) { terminal->Line(Printable(line)); };
  return FollowLines(client, "/v1/agent/monitor", std::move(query), show);
}

// What has become of the record of an event, in a few words.
std::string Outcome(const json& payload) {
  if (payload.contains("Deleted")) return "deleted";
  if (const json& alloc = MapField(payload, "Allocation"); !alloc.empty()) {
    return TextField(alloc, "Name") + " " + TextField(alloc, "ClientStatus");
  }
  if (const json& eval = MapField(payload, "Evaluation"); !eval.empty()) {
    return TextField(eval, "JobID") + " " + TextField(eval, "Status");
  }
  for (const char* of : {"Job", "Node"}) {
    if (const json& record = MapField(payload, of); !record.empty()) {
      return TextField(record, "Status");
    }
  }
  return "";
}

void ShowEvent(Terminal* terminal, const json& event, bool full_ids) {
  const std::string topic = TextField(event, "Topic"), key = TextField(event, "Key");
  const bool named = topic == "Job";  // by whoever wrote it, else by a uuid
  terminal->Line(std::to_string(NumberField(event, "Index")) + "  " + topic + "  " +
                 (named ? key : ShownId(key, full_ids)) + "  " + TextField(event, "Type") + "  " +
                 Outcome(MapField(event, "Payload")));
}

Result<int> Events(ApiClient* client, Terminal* terminal, const EventsOptions& options) {
  Query query = {{"namespace", client->SearchedNamespace()},
                 {"index", std::to_string(options.index)}};
  for (const std::string& topic : options.topics) query.emplace_back("topic", topic);
  std::string wrong;  // what the agent ends the answer with
  const auto show = [&](const std::string& line) {
    const auto keep = [](int depth, json::parse_event_t, const json&) { return depth < kMaxDepth; };
    const json batch = json::parse(line, keep, false);
    if (!batch.is_object() || batch.empty()) return;  // only a sign of life
    if (batch.contains("Error")) {
      wrong = RawField(batch, "Error");
    } else if (options.json) {
      terminal->Line(batch.dump(-1, ' ', false, json::error_handler_t::replace));
    } else {
      for (const json& event : ListField(batch, "Events")) {
        ShowEvent(terminal, event, options.verbose);
      }
    }
  };
  const Error ended = FollowLines(client, "/v1/event/stream", std::move(query), show);
  return wrong.empty() ? ended : Error(Code::kUnavailable, wrong);
}

}  // namespace

int MonitorCommand(const MonitorOptions& options) {
  return RunClientCommand("monitor", options,
                          [&](auto* client, auto* out) { return Monitor(client, out, options); });
}

int EventsCommand(const EventsOptions& options) {
  return RunClientCommand("events", options,
                          [&](auto* client, auto* out) { return Events(client, out, options); });
}

}  // namespace drover
