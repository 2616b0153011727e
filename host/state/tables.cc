// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/tables.h"

#include <algorithm>
#include <tuple>

#include "host/state/node_capacity.h"

namespace drover {
namespace {

std::string JobStatus(const Tables& tables, const JobKey& key, const JobRecord& job) {
  if (job.job->starts_children()) return job.stop ? "dead" : "running";
  if (tables.open_allocs_of_job.count(key) > 0) return "running";
  if (!tables.OpenEvalsOf(key).empty()) return "pending";
  const bool any =
      job.stop || tables.allocs_of_job.count(key) > 0 || tables.evals_of_job.count(key) > 0;
  return any ? "dead" : "pending";
}

template <typename Map>
const typename Map::mapped_type& FindOrNone(const Map& map, const typename Map::key_type& key) {
  static const auto& none = *new typename Map::mapped_type();
  const auto found = map.find(key);
  return found == map.end() ? none : found->second;
}

// Removes ELEMENT from the set of KEY.
template <typename Map, typename Element>
void EraseFrom(Map* map, const typename Map::key_type& key, const Element& element) {
  const auto found = map->find(key);
  if (found == map->end()) return;
  found->second.erase(element);
  if (found->second.empty()) map->erase(found);
}

void Add(std::size_t* count, int sign) { *count += static_cast<std::size_t>(sign); }

DrainGroup DrainGroupOf(const AllocRecord& record) {
  const Job& job = *record.alloc->job;
  return {record.alloc->node_id, job.type == JobType::kBatch, KeyOf(job), record.alloc->group_name};
}

}  // namespace

bool PlacedBefore::operator()(const std::shared_ptr<const AllocRecord>& a,
                              const std::shared_ptr<const AllocRecord>& b) const {
  const Allocation &x = *a->alloc, &y = *b->alloc;
  return std::tie(x.create_index, x.group_name, x.index, x.id) <
         std::tie(y.create_index, y.group_name, y.index, y.id);
}

bool EndedBefore::operator()(const std::shared_ptr<const AllocRecord>& a,
                             const std::shared_ptr<const AllocRecord>& b) const {
  return std::tie(a->modify_time, a->alloc->create_index, a->alloc->id) <
         std::tie(b->modify_time, b->alloc->create_index, b->alloc->id);
}

std::uint64_t Tables::IndexOf(TableMask mask) const {
  std::uint64_t highest = 1;
  for (int i = 0; i < kTables; ++i) {
    if ((mask & (1u << i)) != 0) highest = std::max(highest, index[static_cast<std::size_t>(i)]);
  }
  return highest;
}

const JobAllocs& Tables::AllocsOf(const JobKey& key) const {
  return FindOrNone(allocs_of_job, key);
}

const GroupCounts& Tables::OpenAllocsOf(const JobKey& key) const {
  return FindOrNone(open_allocs_of_job, key);
}

const std::set<std::string_view>& Tables::OpenEvalsOf(const JobKey& key) const {
  return FindOrNone(evals_of_job, key).open;
}

const ServiceSet& Tables::ServicesOf(const std::string& alloc_id) const {
  return FindOrNone(services_of_alloc, alloc_id);
}

std::shared_ptr<const ServiceRegistration> Tables::FindService(std::string_view id) const {
  const auto found = services.find(id);
  return found == services.end() ? nullptr : *found;
}

void Tables::Put(const JobKey& key, std::shared_ptr<const JobRecord> record) {
  changes.push_back({record});
  const auto before = Find(jobs, key);
  ReplaceScaling(before == nullptr ? nullptr : before->scaling, record->scaling);
  if (before != nullptr) CountChild(*before, false);
  CountChild(*record, true);
  versions[key].insert_or_assign(record->version, record);
  jobs.insert_or_assign(key, std::move(record));
  ForgetVersions(key);
}

void Tables::PutVersion(const JobKey& key, std::shared_ptr<const JobRecord> record) {
  changes.push_back({record, false, true});
  versions.at(key).at(record->version) = record;
  auto& newest = jobs.at(key);
  if (newest->version == record->version) newest = std::move(record);
  ForgetVersions(key);
}

void Tables::ReplaceScaling(const JobScaling& before, const JobScaling& after) {
  if (before == after) return;
  if (before != nullptr) {
    for (const auto& record : *before) scaling_policies.erase(record->id);
  }
  if (after == nullptr) return;
  for (const auto& record : *after) scaling_policies[record->id] = record;
}

void Tables::ForgetVersions(const JobKey& key) {
  auto& of_job = versions.at(key);
  const auto has_no_tag = [](const auto& version) { return !version.second->tag; };
  auto many = static_cast<std::size_t>(std::count_if(of_job.begin(), of_job.end(), has_no_tag));
  if (many <= kMaxJobVersions) return;
  // A deployment that fails goes back to the newest stable version, however old that is.
  const auto stable = std::find_if(of_job.rbegin(), of_job.rend(),
                                   [](const auto& version) { return version.second->stable; });
  const std::uint64_t kept = stable == of_job.rend() ? of_job.rbegin()->first : stable->first;
  for (; many > kMaxJobVersions; --many) {
    const auto oldest = std::find_if(of_job.begin(), of_job.end(), [&](const auto& version) {
      return has_no_tag(version) && version.first != kept;
    });
    changes.push_back({oldest->second, true, true});
    of_job.erase(oldest);
  }
}

void Tables::Put(std::shared_ptr<const Evaluation> eval) {
  changes.push_back({eval});
  if (const auto before = Find(evals, eval->id)) Forget(*before);
  if (eval->status == "blocked") ++blocked_evals;
  JobEvals& of_job = evals_of_job[KeyOf(*eval)];
  of_job.all.emplace(eval->create_index, eval->id);
  if (eval->open()) of_job.open.insert(eval->id);
  const std::string_view id = eval->id;
  evals.emplace(id, std::move(eval));
}

// Takes EVAL out of the tables of evaluations. It must live on until this returns.
void Tables::Forget(const Evaluation& eval) {
  if (eval.status == "blocked") --blocked_evals;
  const auto of_job = evals_of_job.find(KeyOf(eval));
  of_job->second.open.erase(eval.id);
  of_job->second.all.erase({eval.create_index, eval.id});
  if (of_job->second.all.empty()) evals_of_job.erase(of_job);
  evals.erase(eval.id);
}

void Tables::Put(std::shared_ptr<const AllocRecord> record) {
  changes.push_back({record});
  if (record->client_terminal()) EraseServicesOf(record->id());
  auto& place = allocs[record->id()];
  Count(place, record);
  place = std::move(record);
}

void Tables::Put(std::shared_ptr<const NodeRecord> node) {
  changes.push_back({node});
  const std::string id = node->id;
  nodes.insert_or_assign(id, std::move(node));
}

void Tables::Put(std::shared_ptr<const ServiceRegistration> service) {
  if (const auto before = FindService(service->id)) Erase(*before);
  changes.push_back({service});
  services_of_name[KeyOf(*service)].insert(service);
  services_of_alloc[service->alloc_id].insert(service);
  services.insert(std::move(service));
}

void Tables::Put(std::shared_ptr<const VariableRecord> variable) {
  changes.push_back({variable});
  variable_bytes += variable->sealed_items.size();
  auto& place = variables[KeyOf(*variable)];
  if (place != nullptr) variable_bytes -= place->sealed_items.size();
  place = std::move(variable);
}

void Tables::Erase(const VariableRecord& variable) {
  const auto place = variables.find(KeyOf(variable));
  changes.push_back({place->second, true});
  variable_bytes -= place->second->sealed_items.size();
  variables.erase(place);
}

void Tables::Put(std::shared_ptr<const VolumeRecord> volume) {
  changes.push_back({volume});
  volume_ids[KeyOf(*volume)] = volume->id;
  const std::string id = volume->id;
  volumes.insert_or_assign(id, std::move(volume));
}

void Tables::Erase(const NodeRecord& node) {
  const auto place = nodes.find(node.id);
  changes.push_back({place->second, true});
  nodes.erase(place);
}

void Tables::Erase(const VolumeRecord& volume) {
  const auto place = volumes.find(volume.id);
  const std::shared_ptr<const VolumeRecord> own = place->second;  // VOLUME may refer to this object
  changes.push_back({own, true});
  volume_ids.erase(KeyOf(*own));
  volumes.erase(place);
}

void Tables::Put(std::shared_ptr<const Deployment> deployment) {
  changes.push_back({deployment});
  deployments_of_job[KeyOf(*deployment)].emplace(deployment->create_index, deployment->id);
  const std::string id = deployment->id;
  deployments.insert_or_assign(id, std::move(deployment));
}

void Tables::Erase(const Deployment& deployment) {
  const auto place = deployments.find(deployment.id);
  const std::shared_ptr<const Deployment> own = place->second;  // DEPLOYMENT may be this object
  changes.push_back({own, true, true});
  EraseFrom(&deployments_of_job, KeyOf(*own), std::pair(own->create_index, own->id));
  deployments.erase(place);
}

void Tables::Put(std::shared_ptr<const PeriodicLaunch> launch) {
  changes.push_back({launch, false, true});
  const JobKeyView key(launch->job_namespace, launch->job_id);
  launches.erase(key);
  launches.emplace(key, std::move(launch));
}

void Tables::Erase(const PeriodicLaunch& launch) {
  const auto place = launches.find(KeyOf(launch));
  changes.push_back({place->second, true, true});
  launches.erase(place);
}

void Tables::Put(std::shared_ptr<const SchedulerConfig> config) {
  changes.push_back({config, false, true});
  scheduler_config = std::move(config);
}

void Tables::Put(std::shared_ptr<const JobRestart> restart) {
  changes.push_back({restart});
  restarts_of_job[KeyOf(*restart)].emplace(restart->create_index, restart->id);
  const std::string id = restart->id;
  restarts.insert_or_assign(id, std::move(restart));
}

void Tables::Erase(const JobRestart& restart) {
  const auto place = restarts.find(restart.id);
  const std::shared_ptr<const JobRestart> own = place->second;  // RESTART may be this object
  changes.push_back({own, true, true});
  EraseFrom(&restarts_of_job, KeyOf(*own), std::pair(own->create_index, own->id));
  restarts.erase(place);
}

std::shared_ptr<const Deployment> Tables::DeploymentOf(const JobRecord& job) const {
  const auto of_job = deployments_of_job.find(KeyOf(*job.job));
  if (of_job == deployments_of_job.end()) return nullptr;
  auto newest = Find(deployments, of_job->second.rbegin()->second);
  return newest->job_create_index == job.create_index ? newest : nullptr;
}

void Tables::CountChild(const JobRecord& job, bool is_there) {
  if (job.job->parent_id.empty()) return;
  const JobKey parent(job.job->job_namespace, job.job->parent_id);
  JobChildren& of = children[parent];
  std::set<std::string>& ids = job.status == "dead"      ? of.dead
                               : job.status == "running" ? of.running
                                                         : of.pending;
  const std::string& token = job.job->dispatch_token;
  if (is_there) {
    ids.insert(job.job->id);
    if (!token.empty()) of.by_token.insert_or_assign(token, job.job->id);
  } else {
    ids.erase(job.job->id);
    if (!token.empty()) of.by_token.erase(token);
  }
  if (of.empty()) children.erase(parent);
}

std::shared_ptr<const VolumeRecord> Tables::FindVolume(const VolumeName& name) const {
  const auto id = volume_ids.find(name);
  return id == volume_ids.end() ? nullptr : Find(volumes, id->second);
}

TableMask Tables::DropClaimsOf(const JobKey& key, std::uint64_t at_index) {
  const auto is_of_job = [&key](const VolumeClaim& claim) {
    return claim.job_namespace == key.first && claim.job_id == key.second;
  };
  std::vector<std::shared_ptr<const VolumeRecord>> changed;
  for (const auto& [id, volume] : volumes) {
    if (std::ranges::none_of(volume->claims, is_of_job)) continue;
    auto without = std::make_shared<VolumeRecord>(*volume);
    std::erase_if(without->claims, is_of_job);
    without->modify_index = at_index;
    changed.push_back(std::move(without));
  }
  for (const auto& volume : changed) Put(volume);
  return changed.empty() ? 0 : MaskOf(Table::kVolumes);
}

TableMask Tables::EraseJob(const JobKey& key, std::uint64_t at_index) {
  const TableMask of_claims = DropClaimsOf(key, at_index);
  const auto newest = jobs.find(key);
  CountChild(*newest->second, false);
  for (const auto& [number, version] : versions.at(key)) {
    changes.push_back({version, true, number != newest->second->version});
  }
  const TableMask of_scaling = newest->second->scaling == nullptr ? 0 : MaskOf(Table::kScaling);
  ReplaceScaling(newest->second->scaling, nullptr);
  jobs.erase(newest);
  versions.erase(key);
  const JobRestarts gone = FindOrNone(restarts_of_job, key);  // a copy, since Erase changes the set
  for (const auto& [created, id] : gone) Erase(*restarts.at(id));
  const TableMask of_restarts = gone.empty() ? 0 : MaskOf(Table::kRestarts);
  return MaskOf(Table::kJobs) | of_claims | of_scaling | of_restarts;
}

void Tables::Erase(const Evaluation& eval) {
  const auto place = evals.find(eval.id);
  const std::shared_ptr<const Evaluation> own = place->second;  // EVAL may refer to this object
  changes.push_back({own, true, true});
  Forget(*own);
}

void Tables::Erase(const AllocRecord& record) {
  const auto place = allocs.find(record.id());
  const std::shared_ptr<const AllocRecord> own = place->second;  // RECORD may refer to this object
  Count(own, nullptr);
  EraseServicesOf(own->id());
  changes.push_back({own, true, true});
  allocs.erase(place);
}

void Tables::Erase(const ServiceRegistration& service) {
  const auto place = services.find(std::string_view(service.id));
  const std::shared_ptr<const ServiceRegistration> own =
      *place;  // SERVICE may refer to this object
  changes.push_back({own, true});
  services.erase(place);
  EraseFrom(&services_of_name, KeyOf(*own), own);
  EraseFrom(&services_of_alloc, own->alloc_id, own);
}

void Tables::EraseServicesOf(const std::string& alloc_id) {
  const ServiceSet gone = ServicesOf(alloc_id);  // a copy, since Erase changes the set
  for (const auto& service : gone) Erase(*service);
}

void Tables::Count(const std::shared_ptr<const AllocRecord>& before,
                   const std::shared_ptr<const AllocRecord>& after) {
  const AllocRecord& any = before != nullptr ? *before : *after;
  const JobKey key = KeyOf(*any.alloc->job);
  const auto is_open = [](const auto& record) { return record != nullptr && !record->terminal(); };
  if (is_open(before) != is_open(after)) {
    const auto open = open_allocs_of_job.try_emplace(key).first;
    const auto of_group = open->second.try_emplace(any.alloc->group_name).first;
    of_group->second += is_open(after) ? 1 : -1;
    if (of_group->second == 0) open->second.erase(of_group);
    if (open->second.empty()) open_allocs_of_job.erase(open);
  }
  const auto is_live = [](const auto& record) {
    return record != nullptr && !record->client_terminal();
  };
  const auto holds = [](const auto& record) { return record != nullptr && !record->over(); };
  if (holds(before) != holds(after) || (holds(after) && before->alloc->job != after->alloc->job)) {
    if (holds(before)) Use(*before, -1);
    if (holds(after)) Use(*after, 1);
  }
  if (is_live(after)) {
    live_allocs[any.id()] = after;
  } else {
    live_allocs.erase(any.id());
  }
  if (before != nullptr) {
    CountStatus(*before, -1);
    CountForDrain(*before, -1);
  }
  if (after != nullptr) {
    CountStatus(*after, 1);
    CountForDrain(*after, 1);
  }
  const auto is_held = [&holds](const auto& record) {
    return record != nullptr && !holds(record) && !record->collected;
  };
  if (is_held(before)) ended_allocs.erase(before);
  if (is_held(after)) ended_allocs.insert(after);
  if (before != nullptr) EraseFrom(&allocs_of_job, key, before);
  if (after != nullptr) allocs_of_job[key].insert(after);
  // An update in place gives the allocation to another evaluation.
  const bool same_eval =
      before != nullptr && after != nullptr && before->alloc->eval_id == after->alloc->eval_id;
  if (after != nullptr && !same_eval) ++allocs_of_eval[after->alloc->eval_id];
  if (before != nullptr && !same_eval) {
    const auto of_eval = allocs_of_eval.find(before->alloc->eval_id);
    if (--of_eval->second == 0) allocs_of_eval.erase(of_eval);
  }
  const bool wanted_before = before != nullptr && !before->collected;
  const bool wanted_after = after != nullptr && !after->collected;
  if (wanted_before != wanted_after || (wanted_after && before->alloc != after->alloc))
    wanted.Add(last_index, any.id());
}

void Tables::CountStatus(const AllocRecord& record, int sign) {
  const JobKey key = KeyOf(*record.alloc->job);
  if (!record.collected) {
    std::size_t& of_job = uncollected[key];
    Add(&of_job, sign);
    if (of_job == 0) uncollected.erase(key);
  }
  const auto status = static_cast<std::size_t>(record.reported.status.status);
  const auto add = [status, sign](auto* map, const auto& of) {
    StatusCounts& counts = (*map)[of];
    Add(&counts[status], sign);
    if (counts == StatusCounts()) map->erase(of);
  };
  add(&statuses_of_node, record.alloc->node_id);
  GroupStatuses& of_job = statuses_of_job[key];
  add(&of_job, std::pair(record.job->create_index, record.alloc->group_name));
  if (of_job.empty()) statuses_of_job.erase(key);
}

void Tables::CountForDrain(const AllocRecord& record, int sign) {
  if (record.client_terminal()) return;
  const DrainGroup group = DrainGroupOf(record);
  if (record.migrate) {
    std::size_t& count = leaving[group];
    Add(&count, sign);
    if (count == 0) leaving.erase(group);
  } else if (!record.terminal()) {
    std::set<std::string>& ids = staying[group];
    if (sign > 0) {
      ids.insert(record.id());
    } else {
      ids.erase(record.id());
    }
    if (ids.empty()) staying.erase(group);
  }
}

void Tables::Use(const AllocRecord& record, int sign) {
  const Allocation& alloc = *record.alloc;
  const TaskGroup* const group = alloc.group();
  const GroupNeeds needs = group == nullptr ? GroupNeeds() : NeedsOf(*group);
  NodeUsage& of_node = usage[alloc.node_id];
  of_node.cpu_mhz += sign * needs.cpu_mhz;
  of_node.cores += sign * needs.cores;
  of_node.memory_mb += sign * needs.memory_mb;
  of_node.disk_mb += sign * needs.disk_mb;
  for (const auto& [task, cores] : alloc.cores) {
    for (const int core : cores) {
      if (sign > 0) {
        of_node.core_ids.insert(core);
      } else {
        of_node.core_ids.erase(core);
      }
    }
  }
  UseDevices(alloc, sign, &of_node.devices);
  if (of_node == NodeUsage()) usage.erase(alloc.node_id);
  UseVolumes(alloc, sign);
}

void Tables::UseDevices(const Allocation& alloc, int sign, DevicesInUse* in_use) {
  for (const auto& [task, devices] : alloc.devices) {
    for (const AllocatedDevice& device : devices) {
      std::set<std::string>& ids = (*in_use)[device.group];
      for (const std::string& id : device.ids) {
        if (sign > 0) {
          ids.insert(id);
        } else {
          ids.erase(id);
        }
      }
      if (ids.empty()) in_use->erase(device.group);
    }
  }
}

void Tables::UseVolumes(const Allocation& alloc, int sign) {
  const TaskGroup* const group = alloc.group();
  if (group == nullptr) return;
  for (const auto& [name, request] : group->volumes) {
    const VolumeName key(alloc.job->job_namespace, SourceOf(request, alloc.index));
    VolumeUsers& users = volume_users[key];
    if (Writes(request)) {
      users.writers += sign;
      if (request.access_mode == access_mode::kSingleWriter) users.exclusive += sign;
    }
    if (sign > 0) {
      users.allocs.insert(alloc.id);
    } else {
      users.allocs.erase(alloc.id);
    }
    // A group may have several names for one volume.
    if (users.allocs.empty() && users.writers == 0) volume_users.erase(key);
  }
}

TableMask Tables::UpdateJobStatus(const JobKey& key, std::uint64_t at_index) {
  const auto found = jobs.find(key);
  if (found == jobs.end()) return 0;
  std::string status = JobStatus(*this, key, *found->second);
  if (status == found->second->status) return 0;
  auto changed = std::make_shared<JobRecord>(*found->second);
  changed->status = std::move(status);
  changed->modify_index = at_index;
  Put(key, std::move(changed));
  return MaskOf(Table::kJobs);
}

}  // namespace drover
