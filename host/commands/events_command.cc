// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/client/followed_lines.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"
#include "host/view/readable.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr int kMaxEventDepth = 200;

// Returns a few words about the new state of the record in PAYLOAD, which an event contains.
std::string NewState(const json& payload) {
  if (payload.contains("Deleted")) return "deleted";
  if (const json& alloc = MapField(payload, "Allocation"); !alloc.empty()) {
    return TextField(alloc, "Name") + " " + TextField(alloc, "ClientStatus");
  }
  if (const json& eval = MapField(payload, "Evaluation"); !eval.empty()) {
    return TextField(eval, "JobID") + " " + TextField(eval, "Status");
  }
  if (const json& deployment = MapField(payload, "Deployment"); !deployment.empty()) {
    return TextField(deployment, "JobID") + " " + TextField(deployment, "Status") + ": " +
           TextField(deployment, "StatusDescription");
  }
  if (const json& restart = MapField(payload, "JobRestart"); !restart.empty()) {
    return TextField(restart, "JobID") + " " + TextField(restart, "Status") + ", " +
           NumberText(restart, "Done") + " of " +
           std::to_string(ListField(restart, "Allocations").size()) + " done";
  }
  if (const json& service = MapField(payload, "Service"); !service.empty()) {
    return TextField(service, "ServiceName") + " " + TextField(service, "Address") + " " +
           NumberText(service, "Port");
  }
  const json& job = MapField(payload, "Job");
  return TextField(job.empty() ? MapField(payload, "Node") : job, "Status");
}

struct EventsCommand {
  std::vector<std::string> topics;  // each is TOPIC or TOPIC:KEY; empty for all topics
  std::uint64_t index = 0;  // first index to print; 0 for all events that the agent still has
  AnswerForm form;
  bool verbose = false;
  ClientOptions client;

  void Declare(CLI::App* command) {
    command->add_option("--topic", topics,
                        "TOPIC or TOPIC:KEY, may be repeated: Job, Evaluation, Allocation, "
                        "Deployment, JobRestart, Node, Service, Variable or *; the key is an id in "
                        "full, or that of the job");
    command->add_option("--index", index,
                        "From this index on, and not all that the agent still has");
    command->add_flag("--json", form.json, "Prints what the agent sends, an object per line");
    AddVerbose(command, &verbose);
    AddClientOptions(command, &client);
  }

  Result<int> Run(ApiClient* agent, Output* out) const {
    Query query = {{"namespace", agent->SearchedNamespace()}, {"index", std::to_string(index)}};
    for (const std::string& topic : topics) query.emplace_back("topic", topic);
    std::string wrong;  // the error that the agent sent last; empty if it sent none
    const auto show = [&](const std::string& line) {
      const auto keep = [](int depth, json::parse_event_t, const json&) {
        return depth < kMaxEventDepth;
      };
      const json batch = json::parse(line, keep, false);
      if (!batch.is_object() || batch.empty()) return;  // an empty object is a heartbeat
      if (batch.contains("Error")) {
        wrong = RawField(batch, "Error");
      } else if (out->json_lines()) {
        // In ASCII, because some characters beyond it control a terminal.
        out->Line(batch.dump(-1, ' ', true, json::error_handler_t::replace));
      } else {
        for (const json& event : ListField(batch, "Events")) Show(out, event);
      }
    };
    Error ended = FollowLines(agent, "/v1/event/stream", std::move(query), show);
    return wrong.empty() ? ended : Error(Code::kUnavailable, wrong);
  }

  void Show(Terminal* terminal, const json& event) const {
    const std::string topic = TextField(event, "Topic"), key = TextField(event, "Key");
    // The key of a job is a name that its author chose. All other keys are uuids, which may be
    // shortened.
    const bool named = topic == "Job";
    terminal->Line(NumberText(event, "Index") + "  " + topic + "  " +
                   (named ? key : ShownId(key, verbose)) + "  " + TextField(event, "Type") + "  " +
                   NewState(MapField(event, "Payload")));
  }
};

}  // namespace

void AddEvents(const CommandGroup& drover) {
  AddClientCommand<EventsCommand>(
      drover, "events", "Shows what changes: jobs, evaluations, allocations, nodes, services");
}

}  // namespace drover
