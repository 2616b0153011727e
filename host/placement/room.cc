// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/room.h"

#include <algorithm>
#include <string_view>
#include <tuple>

#include "host/placement/datacenters.h"

namespace drover {
namespace {

NoPlace Exhausted(const std::string& dimension) {
  NoPlace none;
  none.failure.nodes_evaluated = none.failure.nodes_exhausted = 1;
  none.failure.dimension_exhausted[dimension] = 1;
  return none;
}

NoPlace Filtered(const std::string& constraint) {
  NoPlace none;
  none.failure.nodes_evaluated = none.failure.nodes_filtered = 1;
  none.failure.constraint_filtered[constraint] = 1;
  none.awaited.what = Awaited::What::kNode;
  return none;
}

NoPlace NoVolume(VolumeFit fit) {
  NoPlace none = Filtered(kNoVolumes);
  none.awaited.what = fit == VolumeFit::kBusy ? Awaited::What::kVolume : Awaited::What::kNode;
  return none;
}

NoPlace NoDevice(DeviceFit fit) {
  if (fit == DeviceFit::kMissing) return Filtered(kNoDevices);
  NoPlace none = Exhausted(kDevicesInUse);
  none.awaited.what = Awaited::What::kDevice;
  return none;
}

NoPlace NoNode() { return {{}, {Awaited::What::kNode}}; }

// Adds the reason why one more node does not fit to SUM. What is waited for is what all nodes lack,
// or room if they lack different things: then each walk over the BlockedQueue looks whether some
// node has room.
void AddReason(const NoPlace& none, NoPlace* sum) {
  const PlacementFailure& of = none.failure;
  PlacementFailure& failure = sum->failure;
  failure.nodes_evaluated += of.nodes_evaluated;
  failure.nodes_filtered += of.nodes_filtered;
  failure.nodes_exhausted += of.nodes_exhausted;
  for (const auto& [name, count] : of.constraint_filtered)
    failure.constraint_filtered[name] += count;
  for (const auto& [name, count] : of.dimension_exhausted)
    failure.dimension_exhausted[name] += count;
  using What = Awaited::What;
  // Each change of a node is looked at in any case.
  if (none.awaited.what == What::kNode || none.awaited == sum->awaited) return;
  if (sum->awaited.what == What::kNode) {
    sum->awaited = none.awaited;
  } else if (sum->awaited.what == What::kPort && none.awaited.what == What::kPort) {
    sum->awaited = {What::kPort};
  } else {
    sum->awaited = {};
  }
}

}  // namespace

NoPlace NoPort(const Error& error, const TakenPort* taken) {
  NoPlace none;
  none.failure.nodes_evaluated = none.failure.nodes_exhausted = 1;
  none.failure.dimension_exhausted["network: " + error.message()] = 1;
  none.awaited.what = Awaited::What::kPort;
  if (taken == nullptr) return none;
  none.awaited.port = taken->port;
  none.awaited.address = taken->address;
  return none;
}

Room::Room(const Tables& tables, RoomOptions options)
    : tables_(&tables), options_(std::move(options)), several_(tables.nodes.size() > 1) {
  for (const auto& [id, node] : tables.nodes) {
    if (node->status != node_status::kReady || !node->eligible) continue;
    const Free free{NodeCapacity(*node, tables), {}, {}};
    sites_.push_back({node, free, free});
  }
}

void Room::Begin() {
  for (Site& site : sites_) site.later = site.free;
}

bool Room::HasSome(const Awaited& awaited) {
  return std::ranges::any_of(sites_, [&](const Site& site) {
    if (!site.free.capacity.Has(awaited.least) && !HasWithOthers(site, awaited)) return false;
    if (awaited.address.empty() || !options_.ports_of) return true;
    return options_.ports_of(site.node->id)->CheckStatic(awaited.address, awaited.port).ok();
  });
}

int Room::Displaces(const Job& job) const {
  return options_.preemption && options_.preemption->Allows(job.type) ? job.priority : 0;
}

bool Room::HasWithOthers(const Site& site, const Awaited& awaited) {
  if (awaited.displaces == 0) return false;
  const auto [of, is_new] = displaceable_.try_emplace(site.node->id);
  if (is_new) of->second = Displaceable(*site.node, *tables_, preempted_);
  GroupNeeds rest = awaited.least;
  for (const auto& [priority, has] : of->second) {
    if (priority + kPreemptionGap > awaited.displaces) break;
    rest.cpu_mhz -= has.cpu_mhz;
    rest.memory_mb -= has.memory_mb;
    rest.disk_mb -= has.disk_mb;
  }
  return site.free.capacity.Has(rest);
}

const NodeUsage* Room::Usage(const NodeRecord& node) const {
  const auto used = tables_->usage.find(node.id);
  return used == tables_->usage.end() ? nullptr : &used->second;
}

PlacementFailure Room::Described(const Job& job, PlacementFailure failure) const {
  failure.node_pool = job.node_pool;
  for (const Site& site : sites_) {
    if (!IsInNodePool(job, *site.node)) continue;
    ++failure.nodes_in_pool;
    for (const auto& [name, count] : NodesAvailable(job.datacenters, site.node->datacenter)) {
      failure.nodes_available[name] += count;
    }
  }
  return failure;
}

Room::NodeCounts& Room::CountsOf(const Job& job) {
  const auto [counts, is_new] = counts_.try_emplace(KeyOf(job));
  if (is_new) {
    for (const auto& record : tables_->AllocsOf(KeyOf(job))) {
      if (!record->terminal()) ++counts->second[record->alloc->node_id][record->alloc->group_name];
    }
  }
  return counts->second;
}

std::vector<Room::Site*> Room::Choose(const Job& job, const TaskGroup& group,
                                      const std::string& node_id) {
  std::vector<Site*> chosen;
  for (Site& site : sites_) {
    if (node_id.empty() || site.node->id == node_id) chosen.push_back(&site);
  }
  if (chosen.size() < 2) return chosen;
  NodeCounts& counts = CountsOf(job);
  const auto rank = [&](const Site* site) {
    return std::tuple(counts[site->node->id][group.name], -site->free.capacity.memory_mb(),
                      std::string_view(site->node->id));
  };
  std::ranges::sort(chosen, {}, rank);
  return chosen;
}

std::optional<TakenPort> Room::FindTaken(const TaskGroup& group, const Site& site,
                                         const Allocation* leaving) const {
  if (!options_.ports_of || !WantsPorts(group)) return std::nullopt;
  const bool leaves_here = leaving != nullptr && leaving->node_id == site.node->id;
  return FindTakenPort(group, leaves_here ? leaving : nullptr, options_.ports_of(site.node->id));
}

GroupCounts Room::Alike(const Job& job, const NodeRecord& node, const GroupCounts& here,
                        const Allocation* ends, const std::string& property) {
  GroupCounts sum = here;
  for (const auto& [id, counts] : CountsOf(job)) {
    if (id == node.id) continue;
    const auto other = Tables::Find(tables_->nodes, id);
    if (other == nullptr || !HaveSame(node, *other, property)) continue;
    for (const auto& [group, count] : counts) sum[group] += count;
    if (ends != nullptr && ends->node_id == id) --sum[ends->group_name];
  }
  return sum;
}

std::optional<NoPlace> Room::TakeOf(const Site& site, Free* from, const Job& job,
                                    const TaskGroup& group, int index, const GroupCounts& here,
                                    const Allocation* ends, TakenParts* parts) {
  const NodeRecord& node = *site.node;
  *parts = {};
  if (!IsInNodePool(job, node) || !IsInDatacenters(job.datacenters, node.datacenter)) {
    return NoNode();
  }
  if (!IsInRegion(job, node)) return Filtered("${node.region} = " + job.region);
  CountsOfProperty alike;
  if (several_) {
    alike = [&](const std::string& property) { return Alike(job, node, here, ends, property); };
  }
  const std::string unmet = UnmetConstraint(job, group, node, here, alike);
  if (!unmet.empty()) {
    NoPlace none = Filtered(unmet);
    if (!UnmetConstraint(job, group, node, {}).empty()) return none;
    none.awaited = {Awaited::What::kEnd, 0, KeyOf(job)};
    return none;
  }
  VolumeUse volumes = from->volumes;
  const VolumeFit fit = volumes.Take(*tables_, node, job, group, index);
  if (fit != VolumeFit::kFits) return NoVolume(fit);
  DeviceUse devices = from->devices;
  const DeviceFit device_fit = devices.Take(node, Usage(node), group, &parts->devices);
  if (device_fit != DeviceFit::kFits) return NoDevice(device_fit);
  const std::string missing = from->capacity.Take(group, &parts->cores);
  if (!missing.empty()) return Exhausted(missing);
  from->volumes = std::move(volumes);
  from->devices = std::move(devices);
  parts->node = site.node;
  return std::nullopt;
}

void Room::CountTaken(const Job& job, const TaskGroup& group, const std::string& node_id,
                      GroupCounts* here) {
  ++(*here)[group.name];
  if (several_) ++CountsOf(job)[node_id][group.name];
}

std::optional<NoPlace> Room::Take(const Job& job, const TaskGroup& group, int index,
                                  GroupCounts* here, TakenParts* parts, bool counted,
                                  const std::string& node_id) {
  const std::vector<Site*> sites = Choose(job, group, counted ? after_ : node_id);
  std::optional<NoPlace> none;
  for (Site* const site : sites) {
    std::optional<NoPlace> reason;
    // With one node, its ports are looked at when they are taken.
    if (several_) {
      if (const auto taken = FindTaken(group, *site, nullptr)) reason = NoPort(taken->why, &*taken);
    }
    GroupCounts on_node = several_ ? CountsOf(job)[site->node->id] : *here;
    if (several_ && counted) --on_node[group.name];  // TakeAfter has counted this one
    if (!reason) reason = TakeOf(*site, &site->free, job, group, index, on_node, nullptr, parts);
    if (reason) {
      if (none) {
        AddReason(*reason, &*none);
      } else {
        none = std::move(reason);
      }
      continue;
    }
    if (counted) {
      ++(*here)[group.name];  // TakeAfter has counted it on its node
      return std::nullopt;
    }
    CountTaken(job, group, site->node->id, here);
    TakeLater(site, job, group, index);
    return std::nullopt;
  }
  if (!none) return NoNode();
  if (!counted && TakeOfOthers(sites, job, group, index, *here, parts)) {
    CountTaken(job, group, parts->node->id, here);
    return std::nullopt;
  }
  return none;
}

void Room::TakeLater(Site* site, const Job& job, const TaskGroup& group, int index) const {
  TakenParts same;
  (void)site->later.capacity.Take(group, &same.cores);
  (void)site->later.volumes.Take(*tables_, *site->node, job, group, index);
  (void)site->later.devices.Take(*site->node, Usage(*site->node), group, &same.devices);
}

bool Room::TakeOfOthers(const std::vector<Site*>& sites, const Job& job, const TaskGroup& group,
                        int index, const GroupCounts& here, TakenParts* parts) {
  if (Displaces(job) == 0) return false;
  for (Site* const site : sites) {
    AllocRecords victims =
        ToPreempt(job, group, *site->node, *tables_, site->free.capacity, preempted_);
    if (victims.empty() || FindTaken(group, *site, nullptr)) continue;
    Free after = site->free;
    for (const auto& victim : victims) after.capacity.Give(*victim->alloc);
    const GroupCounts& on_node = several_ ? CountsOf(job)[site->node->id] : here;
    if (TakeOf(*site, &after, job, group, index, on_node, nullptr, parts)) continue;
    site->free = std::move(after);
    displaceable_.clear();
    for (const auto& victim : victims) {
      site->later.capacity.Give(*victim->alloc);
      preempted_.insert(victim->id());
    }
    TakeLater(site, job, group, index);
    parts->preempted = std::move(victims);
    return true;
  }
  return false;
}

std::optional<NoPlace> Room::TakeAfter(const Allocation& leaving, const Job& job,
                                       const TaskGroup& group, int index, GroupCounts* here,
                                       const std::string& node_id) {
  GroupCounts others = *here;
  --others[leaving.group_name];
  std::optional<NoPlace> none;
  for (Site* const site : Choose(job, group, node_id)) {
    const bool leaves_here = site->node->id == leaving.node_id;
    std::optional<NoPlace> reason;
    if (const auto taken = FindTaken(group, *site, &leaving)) reason = NoPort(taken->why, &*taken);
    Free then = site->later;
    if (leaves_here) {
      then.capacity.Give(leaving);
      then.volumes.Give(leaving);
      then.devices.Give(leaving);
    }
    GroupCounts on_node = others;
    if (several_) {
      on_node = CountsOf(job)[site->node->id];
      if (leaves_here) --on_node[leaving.group_name];
    }
    TakenParts parts;
    const Allocation* const ends = leaves_here ? nullptr : &leaving;
    if (!reason) reason = TakeOf(*site, &then, job, group, index, on_node, ends, &parts);
    if (reason) {
      if (none) {
        AddReason(*reason, &*none);
      } else {
        none = std::move(reason);
      }
      continue;
    }
    if (!leaves_here) WillLeave(leaving);
    site->later = std::move(then);
    after_ = site->node->id;
    ++others[group.name];
    *here = std::move(others);
    if (several_) {
      if (leaves_here) --CountsOf(job)[leaving.node_id][leaving.group_name];
      ++CountsOf(job)[after_][group.name];
    }
    return std::nullopt;
  }
  return none ? std::move(none) : NoNode();
}

void Room::WillLeave(const Allocation& leaving) {
  for (Site& site : sites_) {
    if (site.node->id != leaving.node_id) continue;
    site.later.capacity.Give(leaving);
    site.later.volumes.Give(leaving);
    site.later.devices.Give(leaving);
  }
  if (several_) --CountsOf(*leaving.job)[leaving.node_id][leaving.group_name];
}

}  // namespace drover
