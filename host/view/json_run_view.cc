// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <nlohmann/json.hpp>

#include "host/view/run_view.h"

namespace drover {
namespace {

using nlohmann::json;

class JsonRunView : public RunView {
 public:
  void Placed(const Allocation& alloc) override {
    json ports = json::array();
    for (const AllocatedPort& port : alloc.ports) {
      ports.push_back({{"Label", port.label}, {"Value", port.value}, {"HostIP", port.host_ip}});
    }
    json line = Line("Placed", alloc);
    line["Ports"] = std::move(ports);
    Print(line);
  }

  void Event(const Allocation& alloc, const std::string& task, const TaskEvent& event) override {
    json line = Line("TaskEvent", alloc);
    line["Task"] = task;
    line["Event"] = {{"Type", event.type},
                     {"Time", event.time},
                     {"DisplayMessage", event.display_message.empty() ? DisplayMessage(event)
                                                                      : event.display_message},
                     {"Details", event.details}};
    Print(line);
  }

  void State(const Allocation& alloc, const std::string& task,
             const TaskStateRecord& state) override {
    json line = Line("TaskState", alloc);
    line["Task"] = task;
    line["State"] = RunnerStateName(state.state);
    line["Failed"] = state.failed;
    line["Restarts"] = state.restarts;
    line["StartedAt"] = state.started_at;
    line["FinishedAt"] = state.finished_at;
    Print(line);
  }

  void Log(const Allocation& alloc, const std::string& task, const std::string& stream,
           const std::string& text) override {
    json line = Line("Log", alloc);
    line["Task"] = task;
    line["Stream"] = stream;
    line["Line"] = text;
    Print(line);
  }

  void Usage(const std::vector<TaskLine>& tasks) override {
    json list = json::array();
    for (const TaskLine& task : tasks) {
      if (!task.has_usage) continue;
      list.push_back({{"AllocName", task.alloc_name},
                      {"Task", task.task},
                      {"RSS", task.rss},
                      {"Percent", task.cpu_percent}});
    }
    if (!list.empty()) Print({{"Type", "Usage"}, {"Tasks", std::move(list)}});
  }

  void AllocStatus(const Allocation& alloc, ClientStatus status,
                   const std::string& description) override {
    json line = Line("Alloc", alloc);
    line["ClientStatus"] = ClientStatusName(status);
    line["ClientDescription"] = description;
    Print(line);
  }

  void Note(const std::string& text) override { Print({{"Type", "Note"}, {"Message", text}}); }

 private:
  static json Line(const char* type, const Allocation& alloc) {
    return {{"Type", type}, {"AllocID", alloc.id}, {"AllocName", alloc.name}};
  }

  // Prints LINE. Replaces bytes that are not UTF-8, since tasks may write any bytes.
  static void Print(const json& line) {
    const std::string text = line.dump(-1, ' ', false, json::error_handler_t::replace) + "\n";
    std::fwrite(text.data(), 1, text.size(), stdout);
    std::fflush(stdout);
  }
};

}  // namespace

std::unique_ptr<RunView> NewJsonRunView() { return std::make_unique<JsonRunView>(); }

}  // namespace drover
