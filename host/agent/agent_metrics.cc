// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/agent/agent_metrics.h"

#include <filesystem>
#include <fstream>
#include <map>
#include <string_view>

#include "host/alloc/local_alloc_runner.h"
#include "host/plugin/stream_table.h"
#include "host/task/task_runner.h"

namespace drover {
namespace {

void Gauge(std::vector<Metric>* out, std::string name, double value,
           std::map<std::string, std::string> labels = {}) {
  out->push_back({std::move(name), value, Metric::Kind::kGauge, std::move(labels)});
}

long CountDescriptors() {
  std::error_code error;
  const std::filesystem::directory_iterator all("/proc/self/fd", error);
  if (error) return 0;
  // The file descriptor of the directory iterator itself does not count.
  return std::distance(begin(all), end(all)) - 1;
}

}  // namespace

void AppendProcessMetrics(std::vector<Metric>* out) {
  Gauge(out, "drover.live.contexts", static_cast<double>(Context::live()));
  Gauge(out, "drover.live.alloc_runners", static_cast<double>(LocalAllocRunner::live()));
  Gauge(out, "drover.live.task_runners", static_cast<double>(TaskRunner::live()));
  Gauge(out, "drover.live.plugin_streams", static_cast<double>(StreamTable::live()));
  Gauge(out, "drover.process.descriptors", static_cast<double>(CountDescriptors()));
  std::ifstream status("/proc/self/status");
  for (std::string word; status >> word;) {
    double value = 0;
    if (word == "Threads:" && status >> value) Gauge(out, "drover.process.threads", value);
    if (word == "VmRSS:" && status >> value) Gauge(out, "drover.process.rss", value * 1024);
  }
}

void AppendHostMetrics(const HostStats& stats, std::vector<Metric>* out) {
  const std::string host = "nomad.client.host.";
  Gauge(out, host + "memory.total", static_cast<double>(stats.memory.total));
  Gauge(out, host + "memory.available", static_cast<double>(stats.memory.available));
  Gauge(out, host + "memory.used", static_cast<double>(stats.memory.used));
  Gauge(out, host + "memory.free", static_cast<double>(stats.memory.free));
  for (const HostStats::Core& core : stats.cores) {
    Gauge(out, host + "cpu.total_percent", core.total, {{"cpu", core.name}});
    Gauge(out, host + "cpu.user", core.user, {{"cpu", core.name}});
    Gauge(out, host + "cpu.system", core.system, {{"cpu", core.name}});
    Gauge(out, host + "cpu.idle", core.idle, {{"cpu", core.name}});
  }
  for (const HostStats::Disk& disk : stats.disks) {
    Gauge(out, host + "disk.size", static_cast<double>(disk.size), {{"disk", disk.device}});
    Gauge(out, host + "disk.used", static_cast<double>(disk.used), {{"disk", disk.device}});
    Gauge(out, host + "disk.available", static_cast<double>(disk.available),
          {{"disk", disk.device}});
    Gauge(out, host + "disk.used_percent", disk.used_percent, {{"disk", disk.device}});
    Gauge(out, host + "disk.inodes_percent", disk.inodes_used_percent, {{"disk", disk.device}});
  }
  Gauge(out, "nomad.client.uptime", static_cast<double>(stats.uptime));
}

void AppendStateMetrics(const StateStore& store, const std::string& node_id,
                        std::vector<Metric>* out) {
  std::map<ClientStatus, double> by_status;
  for (const ClientStatus status :
       {ClientStatus::kPending, ClientStatus::kRunning, ClientStatus::kComplete,
        ClientStatus::kFailed, ClientStatus::kLost, ClientStatus::kUnknown}) {
    by_status[status] = 0;
  }
  std::map<std::string_view, double> nodes;
  for (const std::string_view status : {node_status::kInitializing, node_status::kReady,
                                        node_status::kDown, node_status::kDisconnected}) {
    nodes[status] = 0;
  }
  double jobs = 0, evals = 0, blocked = 0, allocs = 0, draining = 0;
  store.Read([&](const Tables& tables) {
    jobs = static_cast<double>(tables.jobs.size());
    evals = static_cast<double>(tables.evals.size());
    allocs = static_cast<double>(tables.allocs.size());
    blocked = static_cast<double>(tables.blocked_evals);
    for (const auto& [id, node] : tables.nodes) {
      const auto of_status = nodes.find(node->status);
      if (of_status != nodes.end()) ++of_status->second;
      if (node->drain) ++draining;
    }
    const auto counts = tables.statuses_of_node.find(node_id);
    if (counts == tables.statuses_of_node.end()) return;
    for (auto& [status, count] : by_status) {
      count = static_cast<double>(counts->second[static_cast<std::size_t>(status)]);
    }
  });
  for (const auto& [status, count] : by_status) {
    Gauge(out, "nomad.client.allocations." + std::string(ClientStatusName(status)), count);
  }
  Gauge(out, "drover.state.jobs", jobs);
  Gauge(out, "drover.state.allocations", allocs);
  Gauge(out, "drover.state.evaluations", evals);
  for (const auto& [status, count] : nodes) {
    Gauge(out, "drover.state.nodes", count, {{"status", std::string(status)}});
  }
  Gauge(out, "drover.state.draining_nodes", draining);
  Gauge(out, "nomad.blocked_evals.total_blocked", blocked);
  Gauge(out, "drover.http.blocking_queries", static_cast<double>(store.waiting()));
}

}  // namespace drover
