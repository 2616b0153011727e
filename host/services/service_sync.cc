// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/services/service_sync.h"

#include <openssl/sha.h>

#include <algorithm>
#include <string_view>

namespace drover {
namespace {

// The indexes are the server's, so they do not count. The length of each text is hashed, too, so
// that no two lists look the same.
RegistrationHash HashOfRegistration(const ServiceRegistration& of) {
  std::string whole;
  const auto add = [&whole](std::string_view text) {
    whole += std::to_string(text.size()) + ':';
    whole += text;
  };
  for (const std::string* text : {&of.id, &of.name, &of.service_namespace, &of.node_id,
                                  &of.datacenter, &of.job_id, &of.alloc_id, &of.address}) {
    add(*text);
  }
  for (const std::string& tag : of.tags) add(tag);
  add(std::to_string(of.port));
  unsigned char digest[SHA256_DIGEST_LENGTH];
  SHA256(reinterpret_cast<const unsigned char*>(whole.data()), whole.size(), digest);
  RegistrationHash hash{};
  std::copy_n(digest, hash.size(), hash.begin());
  return hash;
}

}  // namespace

struct ServiceSync::Batch {
  struct Change {
    std::string alloc_id;
    std::string id;
    Shared put;                                 // null: it is removed
    std::optional<RegistrationHash> hash = {};  // of PUT
  };
  std::vector<Change> changes;
};

ServiceSync::ServiceSync(Loop* loop, Report report)
    : loop_(loop), report_(std::move(report)), restored_(loop), wake_(loop) {}

void ServiceSync::Set(const std::string& alloc_id, const std::string& owner,
                      std::vector<ServiceRegistration> all) {
  Replace(alloc_id, owner, std::move(all));
}

Co<Status> ServiceSync::Clear(Context context, std::string alloc_id, std::string owner) {
  Replace(alloc_id, owner, {});
  while (!IsClear(alloc_id, owner)) {
    if (ended_) co_return Error(Code::kCancelled, "the agent is shutting down");
    DROVER_CO_TRY(context.status());
    Event moved(loop_);
    const Subscription on_progress = progress_.Add([&moved] { moved.Set(); });
    DROVER_CO_TRY(co_await moved.Wait(context));
  }
  co_return Status();
}

void ServiceSync::Replace(const std::string& alloc_id, const std::string& owner,
                          std::vector<ServiceRegistration> all) {
  if (!compared_) heard_.emplace(alloc_id, owner);
  if (all.empty() && !allocs_.contains(alloc_id)) return;
  Entries& entries = allocs_[alloc_id];
  for (const ServiceRegistration& registration : all) entries[registration.id].owner = owner;
  std::vector<std::string_view> ids;
  ids.reserve(all.size());
  for (const ServiceRegistration& registration : all) ids.push_back(registration.id);
  std::ranges::sort(ids);
  for (auto& [id, entry] : entries) {
    if (entry.owner != owner || std::ranges::binary_search(ids, std::string_view(id))) continue;
    entry.wanted.reset();
    entry.unsent = nullptr;
  }
  // Only now, so that what is unsent, and goes soon, has no memory between entries, which stay:
  // such gaps cannot be given back.
  for (ServiceRegistration& registration : all) {
    Entry& entry = entries[registration.id];
    const RegistrationHash hash = HashOfRegistration(registration);
    if (entry.wanted == hash) continue;
    entry.wanted = hash;
    entry.unsent = std::make_shared<const ServiceRegistration>(std::move(registration));
  }
  Settle(alloc_id);
}

void ServiceSync::Settle(const std::string& alloc_id) {
  const auto of_alloc = allocs_.find(alloc_id);
  if (of_alloc == allocs_.end()) return;
  Entries& entries = of_alloc->second;
  std::erase_if(entries,
                [](const auto& entry) { return !entry.second.wanted && !entry.second.there; });
  for (auto& [id, entry] : entries) {
    if (!entry.Differs()) entry.unsent = nullptr;
  }
  const bool differs =
      std::ranges::any_of(entries, [](const auto& entry) { return entry.second.Differs(); });
  if (differs) {
    dirty_.insert(alloc_id);
    wake_.Set();
  } else {
    dirty_.erase(alloc_id);
  }
  if (entries.empty()) allocs_.erase(of_alloc);
}

bool ServiceSync::IsClear(const std::string& alloc_id, const std::string& owner) const {
  if (!compared_) return false;
  const auto entries = allocs_.find(alloc_id);
  if (entries == allocs_.end()) return true;
  // A registration that its owner wants again is no longer waited for.
  return std::ranges::none_of(entries->second, [&owner](const auto& entry) {
    return entry.second.owner == owner && !entry.second.wanted && entry.second.there;
  });
}

void ServiceSync::Restored(const std::string& alloc_id, std::vector<EarlierOwner> owners) {
  if (!compared_) earlier_.insert_or_assign(alloc_id, std::move(owners));
}

void ServiceSync::RestoreDone() { restored_.Set(); }

Co<void> ServiceSync::Run(Context context, ServiceLink link) {
  const Status restored = co_await restored_.Wait(context);
  bool goes_on = restored.ok();
  if (goes_on) goes_on = co_await Compare(context, &link);
  Duration pause = kFirstPause;
  while (goes_on && !context.cancelled()) {
    if (dirty_.empty()) {
      wake_.Reset();
      (void)co_await wake_.Wait(context);
      continue;
    }
    const Status sent = co_await SendBatch(context, &link);
    if (sent.ok()) {
      pause = kFirstPause;
    } else if (!context.cancelled()) {
      if (report_ && pause == kFirstPause) report_(sent.error());
      (void)co_await Sleep(context, pause);
      pause = std::min(2 * pause, kLongestPause);
    }
  }
  ended_ = true;
  progress_.Fire();
}

// Returns whether the registrations on the server are known now. Otherwise CONTEXT has ended.
Co<bool> ServiceSync::Compare(Context context, const ServiceLink* link) {
  Duration pause = kFirstPause;
  while (!context.cancelled()) {
    Result<std::vector<ServiceRegistration>> found = co_await link->fetch(context);
    if (found.ok()) {
      std::set<std::string> changed;
      for (const ServiceRegistration& one : *found) {
        changed.insert(one.alloc_id);
        Take(one);
      }
      compared_ = true;
      earlier_.clear();
      heard_.clear();
      for (const std::string& alloc_id : changed) Settle(alloc_id);
      progress_.Fire();
      co_return true;
    }
    if (context.cancelled()) break;
    if (report_ && pause == kFirstPause) report_(found.error());
    (void)co_await Sleep(context, pause);
    pause = std::min(2 * pause, kLongestPause);
  }
  co_return false;
}

// Takes FOUND, a registration on the server, into account.
void ServiceSync::Take(const ServiceRegistration& found) {
  const std::string& alloc_id = found.alloc_id;
  const std::string& id = found.id;
  Entry& entry = allocs_[alloc_id][id];
  entry.there = true;
  const RegistrationHash hash = HashOfRegistration(found);
  if (entry.wanted) {
    if (entry.wanted == hash) entry.stored = hash;
    return;
  }
  // Nobody wants it yet. It stays if its owner has not said so and may still say more.
  const auto earlier = earlier_.find(alloc_id);
  if (earlier == earlier_.end()) return;
  const EarlierOwner* owner = nullptr;
  for (const EarlierOwner& one : earlier->second) {
    // The service "api" of the task "web" is none of the task "web-api".
    if (!id.starts_with(one.id_prefix + found.name + "-")) continue;
    if (owner == nullptr || one.id_prefix.size() > owner->id_prefix.size()) owner = &one;
  }
  if (owner == nullptr) return;
  entry.owner = owner->owner;
  if (owner->may_run && !heard_.contains({alloc_id, owner->owner})) {
    entry.wanted = entry.stored = hash;
  }
}

ServiceSync::Batch ServiceSync::MakeBatch() const {
  Batch batch;
  for (const std::string& alloc_id : dirty_) {
    for (const auto& [id, entry] : allocs_.find(alloc_id)->second) {
      if (!entry.Differs()) continue;
      if (batch.changes.size() == kMostInBatch) return batch;
      DROVER_CHECK(entry.wanted.has_value() == (entry.unsent != nullptr));
      batch.changes.push_back({alloc_id, id, entry.unsent, entry.wanted});
    }
  }
  return batch;
}

Co<Status> ServiceSync::SendBatch(Context context, const ServiceLink* link) {
  const Batch batch = MakeBatch();
  std::vector<ServiceRegistration> put;
  std::vector<std::string> gone;
  put.reserve(batch.changes.size());
  for (const Batch::Change& change : batch.changes) {
    // Until the answer comes, nobody knows what the server has.
    Entry& entry = allocs_[change.alloc_id][change.id];
    entry.there = true;
    entry.stored.reset();
    if (change.put) {
      put.push_back(*change.put);
    } else {
      gone.push_back(change.id);
    }
  }
  const Status sent = co_await link->update(context, std::move(put), std::move(gone));
  if (!sent.ok()) co_return sent;
  std::set<std::string> changed;
  for (const Batch::Change& change : batch.changes) {
    // The entry is still there, since the server may have had its registration.
    Entry& entry = allocs_[change.alloc_id][change.id];
    entry.stored = change.hash;
    entry.there = change.put != nullptr;
    changed.insert(change.alloc_id);
  }
  for (const std::string& alloc_id : changed) Settle(alloc_id);
  progress_.Fire();
  co_return Status();
}

std::size_t ServiceSync::known() const {
  std::size_t count = 0;
  for (const auto& [alloc_id, entries] : allocs_) count += entries.size();
  return count;
}

}  // namespace drover
