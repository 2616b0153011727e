// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/api/collect_garbage.h"
#include "host/api/router.h"
#include "host/encode/encode_device.h"
#include "host/stats/host_stats.h"
#include "host/taskenv/node_meta_json.h"

namespace drover {
namespace {

using nlohmann::json;

// Returns an error answer if WANTED is the id of another node. Returns nothing if WANTED is empty
// or is the id of this node.
std::optional<Answer> OtherNode(const ApiRequest& request, const std::string& wanted) {
  if (wanted.empty() || wanted == request.agent().node_id) return std::nullopt;
  return ErrorAnswer(404, "Unknown node \"" + wanted + "\"");
}

std::optional<Answer> OtherNode(const ApiRequest& request) {
  return OtherNode(request, request.Text("node_id"));
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

bool HasDevices(const ApiAgent& agent) {
  bool has = false;
  agent.store->Read([&](const Tables& tables) {
    const auto node = Tables::Find(tables.nodes, agent.node_id);
    has = node != nullptr && !node->devices.empty();
  });
  return has;
}

Co<Result<DeviceStats>> MeasureDevices(const ApiAgent* agent, Context context) {
  co_return co_await agent->measure_devices(context);
}

Co<Answer> ReadHostStats(ApiRequest* request) {
  if (const auto other = OtherNode(*request)) co_return *other;
  const ApiAgent* const agent = &request->agent();
  json stats = EncodeHostStats(agent->host_stats->Look());
  if (agent->measure_devices && HasDevices(*agent)) {
    const Result<DeviceStats> devices = co_await request->Control(
        [agent](Context context) { return MeasureDevices(agent, context); });
    if (!devices.ok()) co_return devices.error();
    stats["DeviceStats"] = EncodeDeviceStats(*devices);
  }
  co_return JsonAnswer(std::move(stats));
}

Co<Answer> CollectAllocs(ApiRequest* request) {
  if (const auto other = OtherNode(*request)) co_return *other;
  const GarbageRule rule{.jobs = false};
  const Status done = co_await CollectGarbage(request, rule);
  if (!done.ok()) co_return done.error();
  co_return EmptyAnswer();
}

Answer MetaAnswer(const NodeMeta& meta) {
  return JsonAnswer({{"Meta", meta.merged()},
                     {"Dynamic", EncodeMetaChanges(meta.dynamic())},
                     {"Static", meta.configured()}});
}

Co<Result<NodeMeta>> MetaOf(const ApiAgent* agent) { co_return agent->node_meta(); }

Co<Answer> ReadMetadata(ApiRequest* request) {
  if (const auto other = OtherNode(*request)) co_return *other;
  const Result<NodeMeta> meta =
      co_await request->Control([agent = &request->agent()](Context) { return MetaOf(agent); });
  if (!meta.ok()) co_return meta.error();
  co_return MetaAnswer(*meta);
}

Result<NodeMeta::Changes> ReadChanges(const json& body) {
  const json meta = Field<json>(body, "Meta");
  if (!meta.is_object() || meta.empty()) {
    return Error(Code::kInvalidArgument, "Meta must be an object with the keys to be changed");
  }
  Result<NodeMeta::Changes> changes = DecodeMetaChanges(meta);
  if (!changes.ok()) return changes.error().WithContext("Meta");
  return changes;
}

Co<Answer> ChangeMetadata(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  if (const auto other = OtherNode(*request)) co_return *other;
  const std::string named = Field<std::string>(body, "NodeID");
  if (const auto other = OtherNode(*request, named)) co_return *other;
  DROVER_CO_ASSIGN(const NodeMeta::Changes changes, ReadChanges(body));
  const ApiAgent* const agent = &request->agent();
  const Result<NodeMeta> meta =
      co_await request->ControlNow([agent, &changes]() -> Result<NodeMeta> {
        DROVER_TRY(agent->change_node_meta(changes));
        return agent->node_meta();
      });
  if (!meta.ok()) co_return meta.error();
  co_return MetaAnswer(*meta);
}

}  // namespace

std::vector<Route> ClientRoutes() {
  return {
      {"GET", "/v1/client/stats", ReadHostStats},
      {"GET", "/v1/client/metadata", ReadMetadata},
      {"PUT POST", "/v1/client/metadata", ChangeMetadata},
      {"GET PUT POST", "/v1/client/gc", CollectAllocs, Access::kToken, Fit::kFirst,
       Effect::kChanges},
  };
}

}  // namespace drover
