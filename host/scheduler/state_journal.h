// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/scheduler/tables.h"
#include "host/store/store.h"

namespace drover {

// The kinds of records that the scheduler keeps.
namespace record_kind {
inline constexpr std::string_view kJob = "job";        // a version of a job
inline constexpr std::string_view kSource = "source";  // the submission of a version
inline constexpr std::string_view kEval = "eval";      // an evaluation
inline constexpr std::string_view kPlaced = "placed";  // an allocation, as the scheduler decided
inline constexpr std::string_view kReported = "told";  // by its node
inline constexpr std::string_view kNode = "node";
inline constexpr std::string_view kIndex = "index";  // of the last write
}  // namespace record_kind

// The submissions that are in the store, by the record ids of their versions.
using KeptSources = std::map<std::string, std::shared_ptr<const JobSubmission>>;

// A StateStore::Journal: passes the changes of each write of the scheduler's state to the store. A
// write is restored as a whole or not at all. The store outlives this. [control]
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

  Store* const store_;
  KeptSources sources_;
  std::map<std::string, std::shared_ptr<const AllocRecord>> last_;  // allocations as last passed on
  // The sizes of the versions' jobs, by record id. A record may be written often while its job,
  // which is large, stays the same.
  struct JobSize {
    std::shared_ptr<const nlohmann::json> json;
    std::size_t bytes = 0;
  };
  std::map<std::string, JobSize> sizes_;
  Store::Changes changes_;  // of the write that is under way
};

// The tables that an agent builds from the records of a store when it starts. Indexes continue
// after a gap: clients may have seen last writes that were not stored.
struct LoadedState {
  Tables tables;
  KeptSources sources;               // all of them, also those whose version is lost
  std::vector<std::string> refused;  // a sentence for each record that cannot be used
};
LoadedState LoadState(const std::vector<Record>& records);

}  // namespace drover
