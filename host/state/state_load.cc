// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <charconv>
#include <tuple>

#include "host/state/change_record_json.h"
#include "host/state/record_json.h"
#include "host/state/shared_documents.h"
#include "host/state/state_journal.h"

namespace drover {
namespace {

constexpr std::uint64_t kGap = 1000;

class StateLoader {
 public:
  LoadedState Load(const std::vector<Record>& records) {
    for (const Record& record : records) Read(record);
    for (const Record& record : records) {
      if (record.key.kind == record_kind::kReported) ReadReported(record);
    }
    FindSources();
    PutJobs();
    PutEvals();
    PutAllocs();
    for (const Record& record : records) {
      if (record.key.kind == record_kind::kService) PutService(record);
    }
    for (const auto& node : nodes_) loaded_.tables.Put(node);
    PutVariables();
    PutVolumes();
    FindRestartAllocs();
    PutChanges();
    std::vector<JobKey> keys;
    for (const auto& [key, job] : loaded_.tables.jobs) keys.push_back(key);
    loaded_.tables.last_index = last_index_ + kGap;
    loaded_.tables.index.fill(loaded_.tables.last_index);
    for (const JobKey& key : keys) {
      loaded_.tables.UpdateJobStatus(key, loaded_.tables.last_index);
    }
    loaded_.tables.changes.clear();
    return std::move(loaded_);
  }

 private:
  void Refuse(const Record& record, const Error& error) {
    loaded_.refused.push_back("the record " + record.key.kind + " " + record.key.id +
                              " cannot be used: " + error.message());
  }

  template <typename T>
  void Take(const Record& record, Result<T> decoded, std::vector<T>* to) {
    if (decoded.ok()) {
      to->push_back(std::move(*decoded));
    } else {
      Refuse(record, decoded.error());
    }
  }

  void Read(const Record& record) {
    const std::string& kind = record.key.kind;
    if (kind == record_kind::kJob) {
      auto job = DecodeJobRecord(record.value);
      if (!job.ok()) return Refuse(record, job.error());
      jobs_.push_back(documents_.Share(std::move(*job)));
      id_of_job_[jobs_.back().get()] = record.key.id;
    } else if (kind == record_kind::kSource) {
      auto submission = DecodeSubmission(record.value);
      if (!submission.ok()) return Refuse(record, submission.error());
      loaded_.sources.emplace(record.key.id, std::move(*submission));
    } else if (kind == record_kind::kEval) {
      Take(record, DecodeEvaluation(record.value), &evals_);
    } else if (kind == record_kind::kNode) {
      Take(record, DecodeNode(record.value), &nodes_);
    } else if (kind == record_kind::kVariable) {
      Take(record, ReadVariable(record.value), &variables_);
    } else if (kind == record_kind::kVolume) {
      Take(record, ReadVolumeRecord(record.value), &volumes_);
    } else if (kind == record_kind::kDeployment) {
      Take(record, DecodeDeployment(record.value), &deployments_);
    } else if (kind == record_kind::kLaunch) {
      Take(record, DecodeLaunch(record.value), &launches_);
    } else if (kind == record_kind::kRestart) {
      Take(record, DecodeJobRestart(record.value), &restarts_);
    } else if (kind == record_kind::kRestartAllocs) {
      auto allocs = DecodeRestartAllocs(record.value);
      if (!allocs.ok()) return Refuse(record, allocs.error());
      restart_allocs_.emplace(record.key.id, std::move(*allocs));
    } else if (kind == record_kind::kSchedulerConfig) {
      Take(record, DecodeSchedulerConfig(record.value), &configs_);
    } else if (kind == record_kind::kPlaced) {
      Result<AllocRecord> placed = DecodePlaced(record.value, &seen_jobs_);
      if (!placed.ok()) return Refuse(record, placed.error());
      auto shared = documents_.Share(placed->job);
      // The other allocations of the job get the same record, and not each a copy of it.
      for (auto& [end, job] : seen_jobs_) {
        if (job == placed->job) job = shared;
      }
      placed->job = std::move(shared);
      const std::string id = placed->id();
      allocs_.emplace(id, std::move(*placed));
    } else if (kind == record_kind::kIndex) {
      std::uint64_t last = 0;
      std::from_chars(record.value.data(), record.value.data() + record.value.size(), last);
      Saw(last);
    }
  }

  // If an allocation has no record of the kind kReported, the allocation is restored as if its
  // node had not reported yet.
  void ReadReported(const Record& record) {
    const auto alloc = allocs_.find(record.key.id);
    if (alloc == allocs_.end()) return;
    const Status read = DecodeReported(record.value, &alloc->second);
    if (!read.ok()) Refuse(record, read.error());
  }

  // Gives each version its submission. An earlier agent stored the submission in the job's own
  // record. Such a submission gets its own record when the job is written again.
  void FindSources() {
    for (auto& job : jobs_) {
      const auto source = loaded_.sources.find(id_of_job_.at(job.get()));
      if (source == loaded_.sources.end() || job->submission) continue;
      auto whole = std::make_shared<JobRecord>(*job);
      whole->submission = source->second;
      job = std::move(whole);
    }
  }

  void Saw(std::uint64_t index) { last_index_ = std::max(last_index_, index); }

  void PutJobs() {
    std::sort(jobs_.begin(), jobs_.end(),
              [](const auto& a, const auto& b) { return a->version < b->version; });
    for (const auto& job : jobs_) {
      Saw(job->modify_index);
      loaded_.tables.Put(KeyOf(*job->job), job);
    }
  }

  void PutEvals() {
    std::sort(evals_.begin(), evals_.end(), [](const auto& a, const auto& b) {
      return std::tie(a->create_index, a->id) < std::tie(b->create_index, b->id);
    });
    for (const auto& eval : evals_) {
      Saw(eval->modify_index);
      loaded_.tables.Put(eval);
    }
  }

  void PutAllocs() {
    std::vector<AllocRecord*> ordered;
    for (auto& [id, alloc] : allocs_) ordered.push_back(&alloc);
    std::sort(ordered.begin(), ordered.end(), [](const auto* a, const auto* b) {
      return std::tie(a->alloc->create_index, a->alloc->group_name, a->alloc->index, a->alloc->id) <
             std::tie(b->alloc->create_index, b->alloc->group_name, b->alloc->index, b->alloc->id);
    });
    for (AllocRecord* alloc : ordered) {
      Saw(alloc->modify_index);
      ShareJob(alloc);
      loaded_.tables.Put(std::make_shared<const AllocRecord>(*alloc));
    }
  }

  void PutService(const Record& record) {
    auto service = DecodeService(record.value);
    if (!service.ok()) return Refuse(record, service.error());
    Saw((*service)->modify_index);
    const auto alloc = Tables::Find(loaded_.tables.allocs, (*service)->alloc_id);
    if (alloc == nullptr || alloc->client_terminal()) {
      loaded_.stale.push_back(record.key);
    } else {
      loaded_.tables.Put(std::move(*service));
    }
  }

  void PutVariables() {
    for (VariableRecord& variable : variables_) {
      Saw(variable.modify_index);
      loaded_.tables.Put(std::make_shared<const VariableRecord>(std::move(variable)));
    }
  }

  void PutVolumes() {
    for (VolumeRecord& volume : volumes_) {
      Saw(volume.modify_index);
      loaded_.tables.Put(std::make_shared<const VolumeRecord>(std::move(volume)));
    }
  }

  // Gives each restart its allocations. Without them nobody knows what it was about.
  void FindRestartAllocs() {
    for (auto& restart : restarts_) {
      auto whole = std::make_shared<JobRestart>(*restart);
      const auto allocs = restart_allocs_.find(restart->id);
      if (allocs != restart_allocs_.end()) {
        whole->allocs = *allocs->second;
      } else if (whole->status == "running") {
        whole->status = "failed";
        whole->status_description = "the record of its allocations was damaged";
      }
      restart = std::move(whole);
    }
  }

  void PutChanges() {
    const auto put = [this](const auto& records) {
      for (const auto& record : records) {
        Saw(record->modify_index);
        loaded_.tables.Put(record);
      }
    };
    put(deployments_);
    put(launches_);
    put(restarts_);
    put(configs_);
  }

  // Makes the allocations of a version share one job. A job whose own record is damaged is
  // restored from an allocation that must still run. An ended allocation does not show that its
  // job is damaged, because the job may have been purged.
  void ShareJob(AllocRecord* alloc) {
    const JobKey key = KeyOf(*alloc->job->job);
    if (!alloc->terminal() && loaded_.tables.jobs.count(key) == 0) {
      loaded_.tables.Put(key, alloc->job);
    }
    auto& shared = shared_[{key, alloc->job->version, alloc->job->modify_index}];
    if (shared == nullptr) shared = WithJobOf(key, *alloc->job);
    alloc->job = shared;
    auto changed = std::make_shared<Allocation>(*alloc->alloc);
    changed->job = shared->job;
    alloc->alloc = std::move(changed);
  }

  // Returns a copy of RECORD. If the tables contain the same version of the job, the copy shares
  // the job of that version.
  std::shared_ptr<const JobRecord> WithJobOf(const JobKey& key, const JobRecord& record) const {
    auto shared = std::make_shared<JobRecord>(record);
    const auto versions = loaded_.tables.versions.find(key);
    if (versions == loaded_.tables.versions.end()) return shared;
    const auto same = Tables::Find(versions->second, record.version);
    if (same && same->job_modify_index == record.job_modify_index) {
      shared->job = same->job;
      shared->json = same->json;
    }
    return shared;
  }

  LoadedState loaded_;
  SeenJobs seen_jobs_;
  SharedDocuments documents_;
  std::vector<std::shared_ptr<const JobRecord>> jobs_;
  std::map<const JobRecord*, std::string> id_of_job_;  // the id of the record of each job
  std::vector<std::shared_ptr<const Evaluation>> evals_;
  std::vector<std::shared_ptr<const NodeRecord>> nodes_;
  std::vector<VariableRecord> variables_;
  std::vector<VolumeRecord> volumes_;
  std::vector<std::shared_ptr<const Deployment>> deployments_;
  std::vector<std::shared_ptr<const PeriodicLaunch>> launches_;
  std::vector<std::shared_ptr<const SchedulerConfig>> configs_;
  std::vector<std::shared_ptr<const JobRestart>> restarts_;
  std::map<std::string, std::shared_ptr<const std::vector<std::string>>> restart_allocs_;  // by id
  std::map<std::string, AllocRecord> allocs_;
  std::map<std::tuple<JobKey, std::uint64_t, std::uint64_t>, std::shared_ptr<const JobRecord>>
      shared_;
  std::uint64_t last_index_ = 0;
};

}  // namespace

LoadedState LoadState(const std::vector<Record>& records) { return StateLoader().Load(records); }

}  // namespace drover
