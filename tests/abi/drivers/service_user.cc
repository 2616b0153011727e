// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// A driver whose tasks are helper programs: start runs one to its end. The attributes of inspect
// are what the host has told of the node and of the last program.
#include <mutex>

#include "drover/command.hpp"
#include "drover/entry.hpp"
#include "drover/node.hpp"
#include "drover/task_env.hpp"

namespace {

class Services : public drover::Driver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.task_config_schema =
        R"({"type": "object", "properties": {"script": {"type": "string"}, "text": {"type": "string"}},
                                  "additionalProperties": false})";
    return info;
  }
  Services(drover::Host host, const drover::Json&)
      : Driver(std::move(host)), node_(drover::GetNode(this->host())) {}

  drover::Started Start(const drover::TaskConfig& task, const drover::CallView& call) override {
    const std::string text = task.driver_config.String("text");
    if (!text.empty()) {
      const std::string made =
          drover::Interpolate(host(), task.run_id, text, drover::UnknownReferences::kError);
      std::lock_guard<std::mutex> lock(mutex_);
      text_ = made;
      return {};
    }
    drover::CommandSpec spec;
    spec.argv = {"sh", "-c", task.driver_config.String("script")};
    spec.env = {{"PATH", "/usr/bin:/bin"}};
    spec.input = "input";
    const drover::CommandResult result = drover::RunCommand(host(), spec, &call);
    std::lock_guard<std::mutex> lock(mutex_);
    last_ = result;
    return {};
  }
  void Wait(drover::Call<drover::ExitResult> call) override { call.Complete({}); }
  void Stop(const drover::RunId&, const drover::StopRequest&, const drover::CallView&) override {}
  void Destroy(const drover::RunId&, bool, const drover::CallView&) override {}
  drover::TaskStatus Inspect(const drover::RunId&) override {
    std::lock_guard<std::mutex> lock(mutex_);
    drover::TaskStatus status;
    status.attributes = {{"exit_code", std::to_string(last_.exit.exit_code)},
                         {"output", last_.output},
                         {"error", last_.error},
                         {"text", text_}};
    if (node_) {
      status.attributes["node_id"] = node_->node_id;
      status.attributes["state_dir"] = node_->state_dir;
      status.attributes["cgroup_parent"] = node_->cgroup_parent;
    }
    return status;
  }

 private:
  const std::optional<drover::NodeInfo> node_;
  std::mutex mutex_;
  drover::CommandResult last_;
  std::string text_;
};

}  // namespace

DROVER_DRIVER_MINOR(Services, "services", "0.1.0", "Apache-2.0", 1)
