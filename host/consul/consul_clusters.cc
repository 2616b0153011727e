// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/consul/consul_clusters.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "host/base/gate.h"

namespace drover {

Result<std::unique_ptr<ConsulClusters>> ConsulClusters::Create(
    Loop* loop, WorkerPool* pool, const std::map<std::string, ConsulOptions>& options,
    const std::string& node_id, const Log& log) {
  std::unique_ptr<ConsulClusters> clusters(new ConsulClusters(loop));
  for (const auto& [name, of_cluster] : options) {
    Result<std::unique_ptr<ConsulAgent>> agent = ConsulAgent::Create(of_cluster, pool);
    if (!agent.ok()) return agent.error().WithContext("cluster " + name + " of Consul");
    Cluster& cluster = clusters->clusters_[name];
    cluster.agent = *std::move(agent);
    ConsulSync::Options of_sync;
    of_sync.cluster = name;
    of_sync.node_id = node_id;
    of_sync.log = log;
    cluster.sync = std::make_unique<ConsulSync>(loop, cluster.agent.get(), std::move(of_sync));
    cluster.checks = std::make_unique<ConsulChecks>(loop, cluster.agent.get(), cluster.sync.get());
  }
  return Result<std::unique_ptr<ConsulClusters>>(std::move(clusters));
}

void ConsulClusters::Start() {
  for (auto& [name, cluster] : clusters_) cluster.sync->Start();
}

Co<void> ConsulClusters::StopOne(Cluster* cluster) {
  co_await cluster->checks->Stop();
  co_await cluster->sync->Stop();
}

Co<void> ConsulClusters::Stop() {
  std::vector<Co<void>> stops;
  for (auto& [name, cluster] : clusters_) stops.push_back(StopOne(&cluster));
  co_await InParallel(loop_, std::move(stops));
}

void ConsulClusters::Restored(const std::set<ConsulSync::Owner>& live) {
  for (auto& [name, cluster] : clusters_) cluster.sync->Restored(live);
}

void ConsulClusters::Report(const std::string& service_id, const std::string& check_name,
                            ConsulStatus status, const std::string& output) {
  // The clusters that do not have the service ignore it.
  for (auto& [name, cluster] : clusters_) {
    cluster.sync->Report(service_id, check_name, status, output);
  }
}

std::map<std::string, ConsulSync*> ConsulClusters::syncs() const {
  std::map<std::string, ConsulSync*> syncs;
  for (const auto& [name, cluster] : clusters_) syncs.emplace(name, cluster.sync.get());
  return syncs;
}

bool ConsulClusters::Passing(const std::string& alloc_id) const {
  return std::all_of(clusters_.begin(), clusters_.end(),
                     [&](const auto& at) { return at.second.checks->Passing(alloc_id); });
}

Subscription ConsulClusters::OnChange(const std::string& alloc_id,
                                      const std::function<void()>& changed) {
  const auto all = std::make_shared<std::vector<Subscription>>();
  for (auto& [name, cluster] : clusters_) {
    all->push_back(cluster.checks->OnChange(alloc_id, changed));
  }
  return held_.Add([all] {});
}

}  // namespace drover
