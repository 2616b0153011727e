// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/watched_values.h"

#include <algorithm>
#include <utility>

#include "host/base/listener_list.h"

namespace drover {

// One watched value. Those who want it share it. When the last of them drops it, its watch ends.
struct WatchedValues::Entry {
  Entry(const Context& parent, std::string of_name, std::weak_ptr<WatchedValues> of)
      : name(std::move(of_name)), context(parent.Child()), owner(std::move(of)) {}
  ~Entry() {
    context.Cancel("nobody wants the value any more");
    // Another entry may have the name by now.
    const auto all = owner.lock();
    if (!all) return;
    const auto found = all->entries_.find(name);
    if (found != all->entries_.end() && found->second.expired()) all->entries_.erase(found);
  }
  Entry(const Entry&) = delete;
  Entry& operator=(const Entry&) = delete;

  const std::string name;
  Context context;
  const std::weak_ptr<WatchedValues> owner;
  std::shared_ptr<const nlohmann::json> value;  // null until it is known
  std::string trouble;                          // the last error; empty after a value
  ListenerList<> changed;
};

struct ValueWatch::Hold {
  std::shared_ptr<WatchedValues::Entry> entry;
  Subscription on_change;
};

ValueWatch::ValueWatch(std::shared_ptr<WatchedValues> all, ValueScope scope)
    : all_(std::move(all)), scope_(std::move(scope)), changed_(all_->options_.loop) {
  all_->open_.insert(this);
}

ValueWatch::~ValueWatch() { all_->open_.erase(this); }

void ValueWatch::Changed() {
  ++generation_;
  changed_.Set();
}

Status ValueWatch::Want(const std::set<ValueRequest>& requests, ValueRequest* refused) {
  std::map<ValueRequest, std::shared_ptr<Hold>> wanted;
  bool more_known = false;
  Status status;
  const auto refuse = [&status, refused](const ValueRequest& request, const Error& why) {
    if (!status.ok()) return;
    status = why;
    if (refused != nullptr) *refused = request;
  };
  for (const ValueRequest& request : requests) {
    if (wanted.size() == kMostWantedValues) {
      refuse(request,
             Error(Code::kResourceExhausted, "the templates of a task ask for more than " +
                                                 std::to_string(kMostWantedValues) + " values"));
      break;
    }
    const auto earlier = wanted_.find(request);
    if (earlier != wanted_.end()) {
      wanted.insert(*earlier);
      continue;
    }
    const auto hold = std::make_shared<Hold>();
    Result<std::shared_ptr<WatchedValues::Entry>> entry = all_->EntryOf(scope_, request);
    if (!entry.ok()) {  // one wrong request must not hold up those of other templates
      refuse(request, entry.error());
      continue;
    }
    hold->entry = *std::move(entry);
    hold->on_change = hold->entry->changed.Add([this] { Changed(); });
    more_known = more_known || hold->entry->value != nullptr;
    wanted.emplace(request, hold);
  }
  wanted_.swap(wanted);
  if (more_known) Changed();
  return status;
}

std::shared_ptr<const ValueMap> ValueWatch::Known() const {
  const auto known = std::make_shared<ValueMap>();
  for (const auto& [request, hold] : wanted_) {
    if (hold->entry->value) known->emplace(request, hold->entry->value);
  }
  return known;
}

Co<Status> ValueWatch::WaitNewer(Context context, std::uint64_t newer_than) {
  while (generation_ <= newer_than) {
    changed_.Reset();
    DROVER_CO_TRY(co_await changed_.Wait(context));
  }
  co_return Status();
}

std::shared_ptr<WatchedValues> WatchedValues::Create(Options options) {
  return std::shared_ptr<WatchedValues>(new WatchedValues(std::move(options)));
}

WatchedValues::WatchedValues(Options options)
    : options_(std::move(options)), context_(options_.loop), gate_(options_.loop) {}

WatchedValues::~WatchedValues() = default;

std::unique_ptr<ValueWatch> WatchedValues::Open(ValueScope scope) {
  return std::unique_ptr<ValueWatch>(new ValueWatch(shared_from_this(), std::move(scope)));
}

void ValueWatch::CheckAgain() {
  const std::size_t refused = std::erase_if(wanted_, [this](const auto& of) {
    ValueSource* const source = all_->SourceOf(of.first);
    return source != nullptr && !source->NameOf(scope_, of.first).ok();
  });
  if (refused > 0) Changed();
}

void WatchedValues::CheckAgain() { gate_.Spawn(CheckEach(shared_from_this())); }

// A node may have thousands of watches, so other work goes on in between.
Co<void> WatchedValues::CheckEach(std::shared_ptr<WatchedValues> self) {
  constexpr std::size_t kAtOnce = 32;
  const std::vector<ValueWatch*> watches(self->open_.begin(), self->open_.end());
  for (std::size_t i = 0; i < watches.size(); ++i) {
    if (i % kAtOnce == 0) co_await NextTurn(self->options_.loop);
    if (self->context_.cancelled()) co_return;
    // A watch may have ended meanwhile.
    if (self->open_.contains(watches[i])) watches[i]->CheckAgain();
  }
}

Co<void> WatchedValues::Stop() {
  context_.Cancel("the agent is shutting down");
  co_await gate_.Close();
}

ValueSource* WatchedValues::SourceOf(const ValueRequest& request) const {
  const auto source = std::ranges::find_if(
      options_.sources, [&](const ValueSource* of) { return of->Has(request.function); });
  return source == options_.sources.end() ? nullptr : *source;
}

Result<std::shared_ptr<WatchedValues::Entry>> WatchedValues::EntryOf(const ValueScope& scope,
                                                                     const ValueRequest& request) {
  ValueSource* const source = SourceOf(request);
  if (source == nullptr) {
    return Error(Code::kUnimplemented, "the function " + request.function +
                                           " has no values here: see docs/templates.md for what "
                                           "it needs");
  }
  DROVER_ASSIGN(const std::string name, source->NameOf(scope, request));
  const auto known = entries_.find(name);
  if (known != entries_.end()) {
    if (auto entry = known->second.lock()) return entry;
  }
  const auto entry = std::make_shared<Entry>(context_, name, weak_from_this());
  entries_[name] = entry;
  ValueSource::Publish publish = [weak = weak_from_this(), name](Result<nlohmann::json> value) {
    if (const auto self = weak.lock()) self->Publish(name, std::move(value));
  };
  gate_.Spawn(Watch(entry->context, source, scope, request, std::move(publish)));
  return entry;
}

Co<void> WatchedValues::Watch(Context context, ValueSource* source, ValueScope scope,
                              ValueRequest request, ValueSource::Publish publish) {
  // The first value is published later, never inside Want.
  co_await NextTurn(context.loop());
  if (!context.cancelled()) {
    co_await source->Watch(context, std::move(scope), std::move(request), std::move(publish));
  }
}

void WatchedValues::Publish(const std::string& name, Result<nlohmann::json> value) {
  const auto found = entries_.find(name);
  const auto entry = found == entries_.end() ? nullptr : found->second.lock();
  if (!entry) return;
  if (!value.ok()) {
    const std::string earlier = std::exchange(entry->trouble, value.error().message());
    if (earlier != entry->trouble && options_.report) options_.report(name, value.error());
    return;
  }
  entry->trouble.clear();
  if (entry->value && *entry->value == *value) return;
  entry->value = std::make_shared<const nlohmann::json>(std::move(*value));
  entry->changed.Call();
}

}  // namespace drover
