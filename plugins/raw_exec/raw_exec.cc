// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "drover/entry.hpp"
#include "drover/process_driver.hpp"
namespace {
class RawExec : public drover::ProcessDriver {
 public:
  static drover::Info Describe() {
    drover::Info info;
    info.offers = kOffers;
    info.needs = kNeeds;
    info.config_schema = R"({"type":"object","additionalProperties":false,"properties":{
      "enabled":{"type":"boolean","default":false},
      "denied_host_uids":{"type":"string"},
      "denied_host_gids":{"type":"string"},
      "denied_envvars":{"type":"array","items":{"type":"string"}}}})";
    info.task_config_schema = R"({"type":"object","additionalProperties":false,
      "required":["command"],"properties":{
      "command":{"type":"string"},
      "args":{"type":"array","items":{"type":"string"}},
      "cgroup_v2_override":{"type":"string"},
      "cgroup_v1_override":{"type":"object","additionalProperties":{"type":"string"}},
      "oom_score_adj":{"type":"integer","default":0},
      "work_dir":{"type":"string"},
      "denied_envvars":{"type":"array","items":{"type":"string"}}}})";
    return info;
  }
  RawExec(drover::Host host, const drover::Json&) : ProcessDriver(std::move(host)) {}
  drover::ProcessSpec Plan(const drover::TaskConfig& task) override {
    drover::ProcessSpec spec;
    spec.argv.push_back(task.driver_config.String("command"));
    for (auto& arg : task.driver_config.Strings("args")) spec.argv.push_back(arg);
    spec.env = task.env;
    spec.work_dir = task.task_dir;
    return spec;
  }
};
}  // namespace
DROVER_DRIVER(RawExec, "raw_exec", "0.1.0", "Apache-2.0")
