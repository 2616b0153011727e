// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/routes/router.h"
#include "host/stats/host_stats.h"

namespace drover {
namespace {

using nlohmann::json;

// Whether ?node_id names another machine than this one.
bool IsOtherNode(const ApiRequest& request) {
  const std::string wanted = request.Text("node_id");
  return !wanted.empty() && wanted != request.agent().node_id;
}

Answer UnknownNode(const ApiRequest& request) {
  return ErrorAnswer(404, "Unknown node \"" + request.Text("node_id") + "\"");
}

json EncodeDisk(const HostStats::Disk& disk) {
  return {{"Device", disk.device},
          {"Mountpoint", disk.mountpoint},
          {"Size", disk.size},
          {"Used", disk.used},
          {"Available", disk.available},
          {"UsedPercent", disk.used_percent},
          {"InodesUsedPercent", disk.inodes_used_percent}};
}

json EncodeHostStats(const HostStats& stats) {
  json cores = json::array(), disks = json::array();
  for (const HostStats::Core& core : stats.cores) {
    cores.push_back({{"CPU", core.name},
                     {"User", core.user},
                     {"System", core.system},
                     {"Idle", core.idle},
                     {"TotalPercent", core.total},
                     {"TotalTicks", core.ticks}});
  }
  for (const HostStats::Disk& disk : stats.disks) disks.push_back(EncodeDisk(disk));
  return {{"Memory",
           {{"Total", stats.memory.total},
            {"Available", stats.memory.available},
            {"Used", stats.memory.used},
            {"Free", stats.memory.free}}},
          {"CPU", std::move(cores)},
          {"DiskStats", std::move(disks)},
          {"AllocDirStats", EncodeDisk(stats.alloc_dir)},
          {"DeviceStats", json::array()},
          {"Uptime", stats.uptime},
          {"CPUTicksConsumed", stats.ticks},
          {"Timestamp", stats.timestamp}};
}

Co<Answer> ReadHostStats(ApiRequest* request) {
  if (IsOtherNode(*request)) co_return UnknownNode(*request);
  co_return JsonAnswer(EncodeHostStats(request->agent().host_stats->Look()));
}

Co<Answer> CollectAllocs(ApiRequest* request) {
  if (IsOtherNode(*request)) co_return UnknownNode(*request);
  Scheduler* const scheduler = request->agent().scheduler;
  std::function<Result<bool>()> work = [scheduler]() -> Result<bool> {
    scheduler->CollectGarbage({.jobs = false});
    return true;
  };
  const Result<bool> done = co_await request->ControlNow<bool>(std::move(work));
  if (!done.ok()) co_return ErrorAnswer(done.error());
  co_return EmptyAnswer();
}

// All of it is from the configuration: nothing can be set while the agent runs.
Co<Answer> ReadMetadata(ApiRequest* request) {
  if (IsOtherNode(*request)) co_return UnknownNode(*request);
  json meta = json::object();
  request->agent().store->Read([&](const Tables& tables) {
    if (const auto node = Tables::Find(tables.nodes, request->agent().node_id)) meta = node->meta;
  });
  co_return JsonAnswer({{"Meta", meta}, {"Dynamic", json::object()}, {"Static", meta}});
}

}  // namespace

std::vector<Route> ClientRoutes() {
  return {
      {"GET", "/v1/client/stats", ReadHostStats},
      {"GET", "/v1/client/metadata", ReadMetadata},
      {"GET PUT POST", "/v1/client/gc", CollectAllocs},
  };
}

}  // namespace drover
