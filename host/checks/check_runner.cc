// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_runner.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "host/base/event.h"
#include "host/checks/check_tally.h"

namespace drover {
namespace {

// A script has its timeout where it runs, and what it has written is a part of the answer. So a run
// of a script is given up only this long after its timeout.
constexpr Duration kScriptGrace = 2s;

}  // namespace

struct CheckRunner::Check {
  explicit Check(std::shared_ptr<CheckSlot> of) : slot(std::move(of)), tally(slot->plan->check) {}

  const CheckPlan& plan() const { return *slot->plan; }

  const std::shared_ptr<CheckSlot> slot;
  CheckTally tally;
  TimePoint due;                   // of the next run, or of the one under way
  TickTimers::Id timer;            // for the next run
  std::optional<Context> context;  // exists while a run is under way
  bool removed = false;
};

CheckRunner::CheckRunner(CheckRunnerOptions options)
    : options_(std::move(options)), timers_(options_.loop, options_.tick), runs_(options_.loop) {}

CheckRunner::~CheckRunner() = default;

Duration CheckRunner::FirstDelay(const CheckPlan& plan) {
  // A part of the interval, which follows from the id, so that it is the same after each start.
  constexpr Duration::rep kParts = 1000;
  const Duration spread = std::min(Duration(1s), plan.check.interval / 4);
  const auto part = static_cast<Duration::rep>(std::hash<std::string>()(plan.id) % kParts);
  return plan.check.interval / 2 + spread * part / kParts;
}

void CheckRunner::Add(std::shared_ptr<CheckSlot> slot) {
  if (runs_.closed()) return;
  const auto check = std::make_shared<Check>(std::move(slot));
  check->due = options_.loop->Now() + FirstDelay(check->plan());
  checks_[check->slot.get()] = check;
  Schedule(check);
}

void CheckRunner::Remove(const CheckSlot* slot) {
  const auto found = checks_.find(slot);
  if (found == checks_.end()) return;
  const std::shared_ptr<Check> check = std::move(found->second);
  checks_.erase(found);
  check->removed = true;
  timers_.Cancel(std::exchange(check->timer, TickTimers::Id()));
  // The callbacks of the context may end the run, which resets check->context.
  if (check->context) {
    Context context = *check->context;
    context.Cancel("the check is not wanted any more");
  }
}

Co<void> CheckRunner::Close() {
  while (!checks_.empty()) Remove(checks_.begin()->first);
  co_await runs_.Close();
}

void CheckRunner::Schedule(const std::shared_ptr<Check>& check) {
  check->timer = timers_.At(check->due, [this, check] {
    check->timer = TickTimers::Id();
    Due(check);
  });
}

void CheckRunner::Due(const std::shared_ptr<Check>& check) {
  const std::string& alloc_id = check->plan().alloc_id;
  Share& share = shares_[alloc_id];
  if (MayStart(share)) return Start(check);
  if (share.waiting.empty()) turns_.push_back(alloc_id);
  share.waiting.push_back(check);
}

void CheckRunner::Start(const std::shared_ptr<Check>& check) {
  ++running_;
  ++shares_[check->plan().alloc_id].running;
  check->context.emplace(options_.loop);
  if (!runs_.Spawn(Run(this, check))) Ended(check, CheckAnswer());
}

Co<void> CheckRunner::Run(CheckRunner* self, std::shared_ptr<Check> check) {
  const Context context = *check->context;
  const Duration timeout = check->plan().check.timeout;
  const bool is_script = check->plan().check.type == CheckType::kScript;
  const TimePoint end = self->options_.loop->Now() + timeout + (is_script ? kScriptGrace : 0s);
  const TickTimers::Id timer = self->timers_.At(end, [context, timeout] {
    Context(context).CancelWith(
        Error(Code::kTimeout, "no answer within " + FormatDuration(timeout)));
  });
  CheckAsker* const asker = is_script ? self->options_.scripts : self->options_.network;
  // A run that ended inside Start would start the next waiting one, and so on, without an end.
  co_await NextTurn(self->options_.loop);
  CheckAnswer answer;
  if (check->plan().fault.empty()) {
    answer = co_await asker->Ask(context, check->slot->plan);
  } else {
    answer.output = check->plan().fault;
  }
  self->timers_.Cancel(timer);
  self->Ended(check, std::move(answer));
}

void CheckRunner::Ended(const std::shared_ptr<Check>& check, CheckAnswer answer) {
  check->context.reset();
  --running_;
  const auto share = shares_.find(check->plan().alloc_id);
  --share->second.running;
  if (share->second.running == 0 && share->second.waiting.empty()) shares_.erase(share);
  const TimePoint now = options_.loop->Now();
  if (!check->removed) {
    CheckResult result;
    result.status = check->tally.Count(answer.status);
    result.status_code = answer.status_code;
    result.output = std::move(answer.output);
    result.timestamp = options_.loop->Wall();
    result.has_run = true;
    result.ran = now;
    const Duration interval = check->plan().check.interval;
    const auto missed = std::max<Duration::rep>(0, (now - check->due) / interval);
    check->due += interval * (missed + 1);
    Schedule(check);
    options_.put(check->slot, std::move(result));
  }
  StartWaiting();
}

// Returns whether one more check of the allocation with SHARE may run.
bool CheckRunner::MayStart(const Share& share) const {
  if (share.running < options_.least_of_alloc) return true;
  return running_ < options_.most_at_once && share.running < options_.most_of_alloc;
}

void CheckRunner::StartWaiting() {
  std::size_t left = turns_.size();
  while (left > 0) {
    --left;
    const std::string alloc_id = std::move(turns_.front());
    turns_.pop_front();
    const bool started = StartOneOf(alloc_id);
    const auto share = shares_.find(alloc_id);
    if (share == shares_.end()) continue;
    if (!share->second.waiting.empty()) turns_.push_back(alloc_id);
    // After a start, each allocation may have a turn again.
    if (started) left = turns_.size();
  }
}

// Starts the first waiting check of an allocation. Returns false if none may start.
bool CheckRunner::StartOneOf(const std::string& alloc_id) {
  const auto found = shares_.find(alloc_id);
  if (found == shares_.end()) return false;
  Share& share = found->second;
  while (!share.waiting.empty() && share.waiting.front()->removed) share.waiting.pop_front();
  if (share.waiting.empty()) {
    if (share.running == 0) shares_.erase(found);
    return false;
  }
  if (!MayStart(share)) return false;
  const std::shared_ptr<Check> check = std::move(share.waiting.front());
  share.waiting.pop_front();
  Start(check);
  return true;
}

}  // namespace drover
