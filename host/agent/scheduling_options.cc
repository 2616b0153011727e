// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/scheduling_options.h"

#include <spdlog/spdlog.h>

#include "host/spec/blocks/update_checks.h"

namespace drover {
namespace {

std::vector<std::string> WarningsOf(const Node& node, const Job& job) {
  std::vector<std::string> warnings = node.JobWarnings(job, "/Job");
  for (std::size_t g = 0; g < job.groups.size(); ++g) {
    const std::string why = WhyNoCanaryBeside(job.type, job.groups[g]);
    if (why.empty()) continue;
    warnings.push_back("/Job/TaskGroups/" + std::to_string(g) + "/Update/Canary: " + why);
  }
  return warnings;
}

}  // namespace

SchedulerOptions SchedulingOptions(Node* node, KeptState* kept, const AgentConfig::Server& server) {
  SchedulerOptions options;
  options.check_job = [node](const Job& job) { return node->CheckJob(job, "/Job"); };
  options.warn_of_job = [node](const Job& job) { return WarningsOf(*node, job); };
  options.report = [](const Error& error) { spdlog::warn("{}", error.message()); };
  const AgentConfig::Server::Preemption& preemption = server.preemption;
  options.preemption = {preemption.system, preemption.sysbatch, preemption.batch,
                        preemption.service};
  if (kept == nullptr) return options;
  options.check_room = [store = kept->store()]() -> Status {
    const std::size_t waiting = store->waiting_bytes();
    if (waiting <= Store::kMostWaiting) return {};
    return Error(Code::kUnavailable,
                 std::to_string(waiting >> 20) +
                     " MiB of the agent's state wait to be written, so it takes no more jobs: look "
                     "at the disk of its data directory, then submit the job again",
                 true);
  };
  return options;
}

}  // namespace drover
