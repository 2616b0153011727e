// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/state_journal.h"

#include <mutex>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/state/change_record_json.h"
#include "host/state/record_json.h"
#include "host/state/record_size.h"

namespace drover {
namespace {

RecordKey KeyFor(std::string_view kind, const std::string& id) { return {std::string(kind), id}; }

RecordKey VersionKey(const Job& job, std::uint64_t version) {
  const nlohmann::json id = {job.job_namespace, job.id, version};
  return KeyFor(record_kind::kJob, id.dump());
}

// Compares only pointers, since the parts of a record never change.
bool PlacedAlike(const AllocRecord& a, const AllocRecord& b) {
  return a.alloc == b.alloc && a.job == b.job && a.previous == b.previous && a.next == b.next &&
         a.migrate == b.migrate && a.collected == b.collected && a.change == b.change &&
         a.no_reschedule == b.no_reschedule && a.reschedule == b.reschedule &&
         a.force_reschedule == b.force_reschedule;
}

}  // namespace

// The end of the "placed" records of all allocations of a job. The first thread that needs it
// encodes it, and the others get the same text.
class SharedJobEnd {
 public:
  explicit SharedJobEnd(std::shared_ptr<const JobRecord> job) : job_(std::move(job)) {}
  bool IsOf(const std::shared_ptr<const JobRecord>& job) const { return job == job_; }
  const std::string& Get() {
    std::call_once(once_, [this] { text_ = EncodeJobEnd(*job_); });
    return text_;
  }

 private:
  const std::shared_ptr<const JobRecord> job_;
  std::once_flag once_;
  std::string text_;
};

void StateJournal::operator()(const std::vector<StateEvent>& changes, const Tables& tables) {
  if (changes.empty()) return;
  for (const StateEvent& change : changes) {
    std::visit([&](const auto& record) { Add(record, change.erased); }, change.record);
  }
  changes_[KeyFor(record_kind::kIndex, "last")] = [last = tables.last_index] {
    return std::to_string(last);
  };
  store_->Give(std::exchange(changes_, {}));
}

void StateJournal::Add(const std::shared_ptr<const JobRecord>& record, bool erased) {
  const RecordKey key = VersionKey(*record->job, record->version);
  auto& change = changes_[key];
  change = nullptr;
  if (erased) {
    sizes_.erase(key.id);
  } else {
    change = {[record] { return EncodeRecord(*record); }, SizeOfJob(key.id, *record)};
  }
  AddSource(key.id, erased ? nullptr : record->submission);
}

std::size_t StateJournal::SizeOfJob(const std::string& id, const JobRecord& record) {
  JobSize& size = sizes_[id];
  if (!size.json.HasSameParts(record.json)) size = {record.json, SizeOf(record)};
  return size.bytes;
}

// Writes a submission only once, since it may be large and does not change when its job version
// changes.
void StateJournal::AddSource(const std::string& id,
                             std::shared_ptr<const JobSubmission> submission) {
  const auto kept = sources_.find(id);
  if (submission == (kept == sources_.end() ? nullptr : kept->second)) return;
  auto& change = changes_[KeyFor(record_kind::kSource, id)];
  if (submission == nullptr) {
    change = nullptr;
    sources_.erase(kept);
    return;
  }
  change = {[submission] { return EncodeRecord(*submission); }, SizeOf(*submission)};
  sources_[id] = std::move(submission);
}

void StateJournal::Add(const std::shared_ptr<const Evaluation>& eval, bool erased) {
  auto& change = changes_[KeyFor(record_kind::kEval, eval->id)];
  change = nullptr;
  if (!erased) change = {[eval] { return EncodeRecord(*eval); }, SizeOf(*eval)};
}

void StateJournal::Add(const std::shared_ptr<const AllocRecord>& record, bool erased) {
  const RecordKey placed = KeyFor(record_kind::kPlaced, record->id());
  const RecordKey reported = KeyFor(record_kind::kReported, record->id());
  if (erased) {
    changes_[placed] = changes_[reported] = nullptr;
    last_.erase(record->id());
    return;
  }
  auto& last = last_[record->id()];
  const std::size_t held = SizeOf(*record);
  if (last == nullptr || !PlacedAlike(*last, *record)) {
    changes_[placed] = {
        [record, end = EndOf(record->job)] { return EncodePlaced(*record, end->Get()); }, held};
  }
  changes_[reported] = {[record] { return EncodeReported(*record); }, held};
  last = record;
}

std::shared_ptr<SharedJobEnd> StateJournal::EndOf(const std::shared_ptr<const JobRecord>& job) {
  auto end = last_end_.lock();
  if (end == nullptr || !end->IsOf(job)) {
    end = std::make_shared<SharedJobEnd>(job);
    last_end_ = end;
  }
  return end;
}

void StateJournal::Add(const std::shared_ptr<const NodeRecord>& node, bool erased) {
  auto& change = changes_[KeyFor(record_kind::kNode, node->id)];
  change = nullptr;
  if (!erased) change = {[node] { return EncodeRecord(*node); }, SizeOf(*node)};
}

void StateJournal::Add(const std::shared_ptr<const ServiceRegistration>& service, bool erased) {
  auto& change = changes_[KeyFor(record_kind::kService, service->id)];
  change = nullptr;
  if (!erased) change = {[service] { return EncodeRecord(*service); }, SizeOf(*service)};
}

void StateJournal::Add(const std::shared_ptr<const VariableRecord>& variable, bool erased) {
  auto& change =
      changes_[KeyFor(record_kind::kVariable, VariableId(variable->name_space, variable->path))];
  change = nullptr;
  if (!erased) change = {[variable] { return VariableText(*variable); }, SizeOf(*variable)};
}

void StateJournal::Add(const std::shared_ptr<const VolumeRecord>& volume, bool erased) {
  auto& change = changes_[KeyFor(record_kind::kVolume, volume->id)];
  change = nullptr;
  if (!erased) change = {[volume] { return VolumeText(*volume); }, SizeOf(*volume)};
}

void StateJournal::Add(const std::shared_ptr<const Deployment>& deployment, bool erased) {
  auto& change = changes_[KeyFor(record_kind::kDeployment, deployment->id)];
  change = nullptr;
  if (!erased) change = {[deployment] { return EncodeRecord(*deployment); }, SizeOf(*deployment)};
}

void StateJournal::Add(const std::shared_ptr<const PeriodicLaunch>& launch, bool erased) {
  const nlohmann::json id = {launch->job_namespace, launch->job_id};
  auto& change = changes_[KeyFor(record_kind::kLaunch, id.dump())];
  change = nullptr;
  if (!erased) change = {[launch] { return EncodeRecord(*launch); }, SizeOf(*launch)};
}

void StateJournal::Add(const std::shared_ptr<const JobRestart>& restart, bool erased) {
  auto& change = changes_[KeyFor(record_kind::kRestart, restart->id)];
  change = nullptr;
  if (!erased) change = {[restart] { return EncodeRecord(*restart); }, SizeOf(*restart)};
  // Its allocations are written once, since they never change.
  const RecordKey allocs = KeyFor(record_kind::kRestartAllocs, restart->id);
  if (erased) {
    changes_[allocs] = nullptr;
  } else if (restart->modify_index == restart->create_index) {
    changes_[allocs] = [restart] { return EncodeRestartAllocs(*restart); };
  }
}

void StateJournal::Add(const std::shared_ptr<const SchedulerConfig>& config, bool) {
  changes_[KeyFor(record_kind::kSchedulerConfig, "config")] = {
      [config] { return EncodeRecord(*config); }, SizeOf(*config)};
}

}  // namespace drover
