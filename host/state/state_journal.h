// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/state/tables.h"
#include "host/store/store.h"

namespace drover {

// The kinds of records that the scheduler stores.
namespace record_kind {
inline constexpr std::string_view kJob = "job";        // a version of a job
inline constexpr std::string_view kSource = "source";  // the submission of a version
inline constexpr std::string_view kEval = "eval";      // an evaluation
inline constexpr std::string_view kPlaced = "placed";  // an allocation, as the scheduler decided
inline constexpr std::string_view kReported = "told";  // an allocation, as its node reported
inline constexpr std::string_view kNode = "node";
inline constexpr std::string_view kService = "service";    // the registration of a service
inline constexpr std::string_view kVariable = "variable";  // with sealed items
inline constexpr std::string_view kVolume = "volume";      // of clients, with its claims
inline constexpr std::string_view kDeployment = "deployment";
inline constexpr std::string_view kLaunch = "launch";    // the newest launch of a periodic job
inline constexpr std::string_view kRestart = "restart";  // of the allocations of a job
inline constexpr std::string_view kRestartAllocs = "restart_allocs";  // the allocations of one
inline constexpr std::string_view kSchedulerConfig = "scheduler";     // there is one
inline constexpr std::string_view kIndex = "index";                   // the index of the last write
}  // namespace record_kind

// The submissions that are in the store, by the record ids of their job versions.
using KeptSources = std::map<std::string, std::shared_ptr<const JobSubmission>>;

class SharedJobEnd;

// A StateStore::Journal. It passes the changes of each write of the scheduler's state to the
// Store. A later agent restores a write as a whole or not at all. The Store must outlive this
// object. [control]
class StateJournal {
 public:
  explicit StateJournal(Store* store, KeptSources sources = {})
      : store_(store), sources_(std::move(sources)) {}

  void operator()(const std::vector<StateEvent>& changes, const Tables& tables);

 private:
  void Add(const std::shared_ptr<const JobRecord>& record, bool erased);
  std::size_t SizeOfJob(const std::string& id, const JobRecord& record);
  void AddSource(const std::string& id, std::shared_ptr<const JobSubmission> submission);
  void Add(const std::shared_ptr<const Evaluation>& eval, bool erased);
  void Add(const std::shared_ptr<const AllocRecord>& record, bool erased);
  void Add(const std::shared_ptr<const NodeRecord>& node, bool erased);
  void Add(const std::shared_ptr<const ServiceRegistration>& service, bool erased);
  void Add(const std::shared_ptr<const VariableRecord>& variable, bool erased);
  void Add(const std::shared_ptr<const VolumeRecord>& volume, bool erased);
  void Add(const std::shared_ptr<const Deployment>& deployment, bool erased);
  void Add(const std::shared_ptr<const PeriodicLaunch>& launch, bool erased);
  void Add(const std::shared_ptr<const JobRestart>& restart, bool erased);
  void Add(const std::shared_ptr<const SchedulerConfig>& config, bool erased);

  // Returns the end of the records of all allocations of JOB, which is encoded at its first use.
  std::shared_ptr<SharedJobEnd> EndOf(const std::shared_ptr<const JobRecord>& job);

  Store* const store_;
  KeptSources sources_;
  // The allocations as they were last passed to the Store, by id.
  std::map<std::string, std::shared_ptr<const AllocRecord>> last_;
  // The size of the job of each job version, by record id. It is stored so that it is not computed
  // again each time a record is written whose job has not changed.
  struct JobSize {
    JobDocument json;
    std::size_t bytes = 0;
  };
  std::map<std::string, JobSize> sizes_;
  // The end of the allocation that was added last, while records that need it are not yet written.
  std::weak_ptr<SharedJobEnd> last_end_;
  Store::Changes changes_;  // of the current write
};

// The tables that an agent builds from the records of a store when it starts. There is a
// gap between the last stored index and the first new index, because clients may have seen writes
// that were not stored.
struct LoadedState {
  Tables tables;
  KeptSources sources;               // all submissions, also those whose version is lost
  std::vector<std::string> refused;  // a sentence for each record that cannot be used
  // The records of registrations whose allocation has ended or is lost. The caller must erase them
  // from the store. An older agent, which does not know registrations, may have left them.
  std::vector<RecordKey> stale;
};
LoadedState LoadState(const std::vector<Record>& records);

}  // namespace drover
