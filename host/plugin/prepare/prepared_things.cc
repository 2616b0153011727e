// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/prepare/prepared_things.h"

#include <algorithm>
#include <utility>

namespace drover {
namespace {

// The shortest pause before another collection, so that an odd age does not keep the driver busy.
constexpr Duration kLeastPause = 100ms;
// If a collection has failed, for example since the driver is away, the next one waits for this.
constexpr Duration kPauseAfterError = 1min;

}  // namespace

PreparedThings::PreparedThings(Loop* loop, PrepareSource* source)
    : loop_(loop), source_(source), life_(loop), gate_(loop) {}

PreparedThings::~PreparedThings() { loop_->Cancel(timer_); }

Co<void> PreparedThings::Close() {
  life_.Cancel("the driver is being shut down");
  loop_->Cancel(std::exchange(timer_, 0));
  co_await gate_.Close();
}

// ------------------------------------------------------------------------------- preparation

Co<Status> PreparedThings::Prepare(Context context, std::shared_ptr<const TaskConfig> config,
                                   HearProgress hear) {
  DROVER_CO_ASSIGN(const std::string key, co_await source_->Key(context, config));
  if (key.empty()) co_return Status();
  // A thing that is being removed must be gone before it is prepared anew.
  for (auto removing = removing_.find(key); removing != removing_.end();
       removing = removing_.find(key)) {
    const std::shared_ptr<Event> gone = removing->second;
    DROVER_CO_TRY(co_await gone->Wait(context));
  }
  DROVER_CO_TRY(life_.status());
  DROVER_CO_TRY(context.status());
  const auto running = active_.find(key);
  std::shared_ptr<Shared> shared = running == active_.end() ? nullptr : running->second;
  if (!shared) {
    shared = std::make_shared<Shared>(loop_, life_);
    active_[key] = shared;
    gate_.Spawn(Run(shared, std::move(config), key));
  }
  ++shared->waiting;
  if (hear && shared->latest) hear(*shared->latest);
  Subscription hearing;
  if (hear) hearing = shared->hear.Add(std::move(hear));
  const Status waited = co_await shared->done.Wait(context);
  --shared->waiting;
  if (shared->done.is_set()) co_return shared->status;
  if (shared->waiting == 0) {
    // A task that comes later begins anew.
    const auto known = active_.find(key);
    if (known != active_.end() && known->second == shared) active_.erase(known);
    shared->context.Cancel("no task waits for it any more");
  }
  co_return waited;
}

Co<void> PreparedThings::Run(std::shared_ptr<Shared> shared,
                             std::shared_ptr<const TaskConfig> config, std::string key) {
  HearProgress hear = [weak = std::weak_ptr<Shared>(shared)](const TaskProgress& progress) {
    const auto alive = weak.lock();
    if (!alive) return;
    alive->latest = progress;
    alive->hear.Call(progress);
  };
  const Result<std::uint64_t> made =
      co_await source_->Prepare(shared->context, std::move(config), key, std::move(hear));
  if (!made.ok()) shared->status = made.error();
  const auto known = active_.find(key);
  if (known != active_.end() && known->second == shared) active_.erase(known);
  shared->done.Set();
  if (source_->Age() <= Duration(0)) co_return;
  used_[key] = loop_->Now();
  SetTimer(source_->Age());  // the task may never start
}

// -------------------------------------------------------------------------------- collection

void PreparedThings::Begin() {
  if (source_->Age() > Duration(0)) SetTimer(source_->Age());
}

void PreparedThings::RunEnded(std::shared_ptr<const TaskConfig> config) {
  if (life_.cancelled() || source_->Age() <= Duration(0)) return;
  gate_.Spawn(NoteUse(std::move(config)));
}

Co<void> PreparedThings::NoteUse(std::shared_ptr<const TaskConfig> config) {
  const Result<std::string> key = co_await source_->Key(life_, std::move(config));
  if (life_.cancelled() || (key.ok() && key->empty())) co_return;
  if (key.ok()) used_[*key] = loop_->Now();
  SetTimer(source_->Age());
}

// Sets the timer, unless it is due earlier.
void PreparedThings::SetTimer(Duration delay) {
  if (life_.cancelled()) return;
  const TimePoint due = loop_->Now() + std::max(delay, kLeastPause);
  if (timer_ != 0 && due_ <= due) return;
  loop_->Cancel(timer_);
  due_ = due;
  timer_ = loop_->At(due, [this] {
    timer_ = 0;
    CollectSoon();
  });
}

void PreparedThings::CollectSoon() {
  again_ = true;
  if (collecting_ || life_.cancelled()) return;
  collecting_ = true;
  if (!gate_.Spawn(CollectLoop())) collecting_ = false;
}

Co<void> PreparedThings::CollectLoop() {
  while (std::exchange(again_, false) && !life_.cancelled() && source_->Age() > Duration(0)) {
    const Status collected = co_await Collect();
    if (collected.ok() || life_.cancelled()) continue;
    source_->Report("its prepared things cannot be collected: " + collected.error().message());
    SetTimer(kPauseAfterError);
  }
  collecting_ = false;
}

Co<Status> PreparedThings::AddUsedKeys(std::set<std::shared_ptr<const TaskConfig>>* seen,
                                       std::set<std::string>* keys) {
  // A run may begin while the driver answers.
  for (bool more = true; more;) {
    more = false;
    for (const std::shared_ptr<const TaskConfig>& config : source_->Runs()) {
      if (!seen->insert(config).second) continue;
      more = true;
      DROVER_CO_ASSIGN(std::string key, co_await source_->Key(life_, config));
      if (!key.empty()) keys->insert(std::move(key));
    }
  }
  co_return Status();
}

Co<Status> PreparedThings::Collect() {
  const TimePoint began = loop_->Now();
  DROVER_CO_ASSIGN(const std::vector<PreparedItem> items, co_await source_->List(life_));
  std::set<std::shared_ptr<const TaskConfig>> seen;
  std::set<std::string> needed;
  const Duration age = source_->Age();
  std::map<std::string, TimePoint> used;
  std::optional<TimePoint> next;  // when the next thing is old enough
  for (const PreparedItem& item : items) {
    // The removal of the last thing may have lasted, and runs may have begun meanwhile.
    DROVER_CO_TRY(co_await AddUsedKeys(&seen, &needed));
    const TimePoint now = loop_->Now();
    if (needed.contains(item.key) || active_.contains(item.key)) {
      used[item.key] = now;
      continue;
    }
    const auto known = used_.find(item.key);
    TimePoint last = known == used_.end() ? now : known->second;
    // Only the driver knows when things of an earlier agent were used.
    if (known == used_.end() && item.last_used > 0) {
      last = now - Duration(std::clamp<WallTime>(loop_->Wall() - item.last_used, 0, age.count()));
    }
    if (now - last < age) {
      used[item.key] = last;
      next = std::min(next.value_or(last + age), last + age);
      continue;
    }
    const auto gone = std::make_shared<Event>(loop_);
    removing_[item.key] = gone;
    const Status removed = co_await source_->Remove(life_, item.key);
    removing_.erase(item.key);
    gone->Set();
    if (life_.cancelled()) co_return life_.status();
    if (removed.ok() || removed.code() == Code::kNotFound) continue;
    source_->Report("it does not remove \"" + item.key + "\": " + removed.error().message());
    // Somebody else may use it. It is tried again when it is old enough again.
    used[item.key] = loop_->Now();
    next = std::min(next.value_or(loop_->Now() + age), loop_->Now() + age);
  }
  // What was used meanwhile is newer than what this collection has seen.
  for (const auto& [key, at] : used_) {
    const auto counted = used.find(key);
    if (counted != used.end()) {
      counted->second = std::max(counted->second, at);
    } else if (at >= began) {
      used[key] = at;  // prepared after the driver had listed its things
    }
  }
  used_ = std::move(used);
  if (next) SetTimer(*next - loop_->Now());
  co_return Status();
}

}  // namespace drover
