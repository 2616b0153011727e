// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "host/base/callback_list.h"
#include "host/base/event.h"
#include "host/services/service_registrar.h"

namespace drover {

// The server that stores the registrations.
struct ServiceLink {
  // Stores PUT and removes the registrations with the ids GONE, in one write.
  std::function<Co<Status>(Context context, std::vector<ServiceRegistration> put,
                           std::vector<std::string> gone)>
      update;
  // Returns all registrations of this node.
  std::function<Co<Result<std::vector<ServiceRegistration>>>(Context context)> fetch;
};

// A hash of what those see who find a registration.
using RegistrationHash = std::array<unsigned char, 16>;

// Brings the server's registrations into agreement with what the hooks of this node want. It sends
// all changes that wait in one batch, and has one batch in flight. After an error it sends the
// batch again, unless the changes have been overtaken.
//
// An earlier agent may have left registrations. Nothing is sent before all its allocations have
// their runners again. Then the registrations on the server are compared with those that are
// wanted: nobody's registration disappears because its runner is late, and none stays whose
// allocation has left this node.
//
// If two owners of one allocation want the same id, the last one has it. Control thread only.
class ServiceSync : public ServiceRegistrar {
 public:
  using Report = std::function<void(const Error&)>;

  // The pause after a failed batch. It doubles up to kLongestPause.
  static constexpr Duration kFirstPause = 1s;
  static constexpr Duration kLongestPause = 30s;
  // The maximum number of changes in one batch.
  static constexpr std::size_t kMostInBatch = 512;

  // REPORT receives the errors of batches, the first of each series only. It may be empty.
  explicit ServiceSync(Loop* loop, Report report = nullptr);

  void Set(const std::string& alloc_id, const std::string& owner,
           std::vector<ServiceRegistration> all) override;
  // Also returns an error after the end of Run.
  Co<Status> Clear(Context context, std::string alloc_id, std::string owner) override;

  // An owner whose registrations may be on the server, since an earlier agent has made them.
  struct EarlierOwner {
    std::string owner;
    std::string id_prefix;  // how the ids of its registrations begin, before the name
    bool may_run = true;    // false: its registrations are removed unless it calls Set
  };
  // The allocation, which an earlier agent has begun, has a runner again. OWNERS are its group and
  // all its tasks. The registrations of those that may run stay until their hooks call Set or
  // Clear. Must be called before RestoreDone.
  void Restored(const std::string& alloc_id, std::vector<EarlierOwner> owners);
  // All allocations that earlier agents have begun have runners again, or never will.
  void RestoreDone();

  // Sends changes until CONTEXT ends. Call it once.
  Co<void> Run(Context context, ServiceLink link);

  // For tests: the number of registrations that are wanted, or that the server may have.
  std::size_t known() const;

 private:
  using Shared = std::shared_ptr<const ServiceRegistration>;
  struct Entry {
    std::string owner;
    std::optional<RegistrationHash> wanted;  // absent: it must be gone
    // What the server has. Absent if it has none, or if that is not certain.
    std::optional<RegistrationHash> stored;
    bool there = false;  // whether the server may have it
    // What is wanted, if it differs from what is stored; else null. The server has it then, and a
    // node may have thousands.
    Shared unsent;

    bool Differs() const { return wanted ? wanted != stored : there; }
  };
  using Entries = std::map<std::string, Entry>;  // by id
  struct Batch;

  void Replace(const std::string& alloc_id, const std::string& owner,
               std::vector<ServiceRegistration> all);
  // Drops entries of which nothing is left, and what the server has of the others. Notes whether
  // anything must be sent.
  void Settle(const std::string& alloc_id);
  bool IsClear(const std::string& alloc_id, const std::string& owner) const;
  Co<bool> Compare(Context context, const ServiceLink* link);
  void Take(const ServiceRegistration& found);
  Co<Status> SendBatch(Context context, const ServiceLink* link);
  Batch MakeBatch() const;

  Loop* const loop_;
  const Report report_;
  std::map<std::string, Entries> allocs_;  // by allocation
  std::set<std::string> dirty_;            // the allocations with changes to send
  Event restored_;                         // set by RestoreDone
  bool compared_ = false;
  bool ended_ = false;
  // Until the comparison: what earlier agents may have left, and which owners have called Set or
  // Clear since.
  std::map<std::string, std::vector<EarlierOwner>> earlier_;
  std::set<std::pair<std::string, std::string>> heard_;
  Event wake_;
  CallbackList progress_;  // called after each batch, after the comparison and at the end
};

}  // namespace drover
