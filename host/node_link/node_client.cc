// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node_link/node_client.h"

#include <spdlog/spdlog.h>

#include <algorithm>
#include <utility>

#include "host/spec/job_limits.h"

namespace drover {
namespace {

constexpr Duration kFirstRetry = 1s;
constexpr Duration kLongestRetry = 30s;
constexpr Duration kFetchWait = std::chrono::minutes(5);
constexpr char kStoppedAlone[] = "alloc was stopped without contact to the server";
// How long an ending agent waits for the removal of allocations.
constexpr Duration kRemovalGrace = 5s;

}  // namespace

// Holds a runner and reports its states to the server.
class NodeClient::Held : public AllocObserver {
 public:
  Held(NodeClient* client, std::unique_ptr<AllocRunner> runner, std::uint64_t modify_index)
      : client_(client), runner_(std::move(runner)), modify_index_(modify_index) {
    runner_->AddObserver(this);
  }
  ~Held() override { runner_->RemoveObserver(this); }

  void OnAllocState(const AllocSnapshot& state) override {
    if (client_->observe_) client_->observe_(last_, *state);
    last_ = state;
    client_->Report(*state);
    if (state->status.status != ClientStatus::kPending) client_->starts_.Done(state->alloc->id);
  }

  void Update(const std::shared_ptr<const Allocation>& alloc) {
    if (alloc->alloc_modify_index <= modify_index_) return;
    modify_index_ = alloc->alloc_modify_index;
    runner_->Update(alloc);
  }

  AllocRunner* runner() const { return runner_.get(); }

 private:
  NodeClient* const client_;
  const std::unique_ptr<AllocRunner> runner_;
  std::uint64_t modify_index_;
  AllocSnapshot last_;  // the last observed state, or null if none was observed yet
};

NodeClient::NodeClient(Loop* loop, ClusterLink* link, NodeRecord node, MakeRunner make_runner)
    : loop_(loop),
      link_(link),
      node_(std::move(node)),
      make_runner_(std::move(make_runner)),
      updates_(loop, link->pace(),
               [this](Context context, std::vector<AllocUpdate> updates, bool all) {
                 return Send(std::move(context), std::move(updates), all);
               }),
      contact_(loop, [this](const std::string& id) { StopWithoutContact(id); }),
      ready_(loop),
      beats_(loop),
      starts_(loop, [this](const Context&, const std::string& id) { return BeginStart(id); }),
      removals_(loop, [this](Context context,
                             const std::string& id) { return BeginRemoval(context, id); }),
      destroying_(loop),
      waiting_(loop) {}

NodeClient::~NodeClient() { DROVER_CHECK(held_.empty()); }

Co<void> NodeClient::Run(Context context) {
  std::vector<Co<void>> parts;
  parts.push_back(KeepAlive(context));
  parts.push_back(Follow(context));
  parts.push_back(removals_.Run(context));
  parts.push_back(contact_.Run(context));
  co_await InParallel(loop_, std::move(parts));
  while (!to_remove_.empty()) BeginRemoval(context, std::string(to_remove_.begin()->first));
  co_await destroying_.Join();
}

void NodeClient::NodeChanged(NodeRecord node) {
  node_ = std::move(node);
  node_changed_ = true;
  beats_.Set();
}

Co<void> NodeClient::Introduce(Context context) {
  Duration pause = kFirstRetry;
  while (!context.cancelled()) {
    node_changed_ = false;
    NodeRecord node = node_;
    const Result<Duration> registered = co_await link_->Register(context, std::move(node));
    if (registered.ok()) co_return;
    spdlog::warn("the node cannot be registered: {}", registered.error().message());
    (void)co_await Sleep(context, pause);
    pause = std::min(pause * 2, kLongestRetry);
  }
}

Co<void> NodeClient::KeepAlive(Context context) {
  co_await Introduce(context);
  Duration pause = kFirstRetry;
  bool forgotten = false;  // by the last heartbeat
  while (!context.cancelled()) {
    beats_.Reset();
    const Result<Duration> alive = co_await link_->Heartbeat(context, node_.id);
    const bool lost = alive.code() == Code::kFailedPrecondition;
    const bool unknown = alive.code() == Code::kNotFound;
    const bool again = unknown && forgotten;  // it was registered, and that did not help
    forgotten = unknown;
    if (alive.ok() || lost) {
      contact_.Heard(alive.ok() ? *alive : kFirstRetry);
      ready_.Set();
    }
    if (alive.ok()) {
      pause = kFirstRetry;
      const Context until_next = context.WithTimeout(*alive);
      if (!node_changed_) (void)co_await beats_.Wait(until_next);
      if (node_changed_) co_await Introduce(context);
    } else if (unknown && !again) {
      co_await Introduce(context);
    } else if (lost) {
      ReportAll();
      pause = kFirstRetry;
      (void)co_await Sleep(context, pause);
    } else {
      (void)co_await Sleep(context, pause);
      pause = std::min(pause * 2, kLongestRetry);
      if (again) co_await Introduce(context);
    }
  }
}

Co<void> NodeClient::Follow(Context context) {
  // Before the node is ready, the server would refuse updates of its allocations.
  const Status ready = co_await ready_.Wait(context);
  if (!ready.ok()) co_return;
  std::vector<Co<void>> parts;
  parts.push_back(updates_.Run(context));
  parts.push_back(Fetch(context));
  parts.push_back(starts_.Run(context));
  co_await InParallel(loop_, std::move(parts));
}

Co<void> NodeClient::Fetch(Context context) {
  std::uint64_t index = 0;
  Duration pause = kFirstRetry;
  while (!context.cancelled()) {
    const Context limited = context.WithTimeout(kFetchWait);
    const Result<NodeAllocs> wanted = co_await link_->FetchAllocs(limited, node_.id, index);
    if (wanted.ok()) {
      Apply(context, *wanted);
      fetched_ = true;
      if (std::exchange(reports_all_, false)) ReportAll();
      index = wanted->index;
      pause = kFirstRetry;
    } else if (wanted.code() != Code::kTimeout && !context.cancelled()) {
      spdlog::warn("the allocations of the node cannot be fetched: {}", wanted.error().message());
      (void)co_await Sleep(context, pause);
      pause = std::min(pause * 2, kLongestRetry);
    }
  }
}

void NodeClient::Apply(Context context, const NodeAllocs& wanted) {
  std::vector<std::string> gone = wanted.gone;
  if (wanted.complete) {
    std::set<std::string> ids;
    for (const auto& alloc : wanted.allocs) ids.insert(alloc->id);
    const auto find_gone = [&](const std::string& id) {
      if (ids.count(id) == 0) gone.push_back(id);
    };
    for (const auto& [id, held] : held_) find_gone(id);
    for (const auto& [id, alloc] : to_start_) find_gone(id);
    for (const std::string& id : refused_) find_gone(id);
  }
  std::vector<std::string> added;  // to to_start_
  for (const auto& alloc : wanted.allocs) {
    const std::string& id = alloc->id;
    if (const auto held = held_.find(id); held != held_.end()) {
      if (alloc->server_terminal()) stopped_alone_.erase(id);
      held->second->Update(alloc);
      WatchContact(*alloc);
    } else if (refused_.count(id) > 0) {
      // An allocation in refused_ gets no runner. Its status is already queued or sent.
    } else if (restored_.count(id) > 0) {
      StartOne(alloc);
    } else if (alloc->server_terminal()) {
      to_start_.erase(id);
      Refuse(id, {ClientStatus::kComplete, "stopped before it was started"});
    } else if (to_start_.insert_or_assign(id, alloc).second) {
      added.push_back(id);
    }
  }
  // By now those that an earlier agent has begun have their runners.
  for (const std::string& id : added) {
    const auto after = wanted.after.find(id);
    QueueStart(context, id,
               after == wanted.after.end() ? std::vector<std::string>() : after->second);
  }
  for (const std::string& id : gone) Remove(context, id);
  if (!wanted.complete) return;
  if (const auto done = std::exchange(restore_done_, nullptr)) {
    done(static_cast<int>(restored_.size()));
  }
  restored_.clear();
}

void NodeClient::QueueStart(Context context, const std::string& id,
                            const std::vector<std::string>& after) {
  std::vector<std::shared_ptr<Held>> others;
  for (const std::string& other : after) {
    const auto held = held_.find(other);
    if (held != held_.end() && !held->second->runner()->ended()) others.push_back(held->second);
  }
  if (others.empty()) {
    starts_.Put(id);
  } else {
    waiting_.Spawn(QueueAfter(std::move(context), id, std::move(others)));
  }
}

Co<void> NodeClient::QueueAfter(Context context, std::string id,
                                std::vector<std::shared_ptr<Held>> others) {
  for (const auto& other : others) co_await other->runner()->WaitEnded();
  if (!context.cancelled() && to_start_.contains(id)) starts_.Put(id);
}

bool NodeClient::BeginStart(const std::string& id) {
  const auto waiting = to_start_.extract(id);
  if (waiting.empty()) return false;
  StartOne(waiting.mapped());
  return held_.count(id) > 0;
}

// Removes the allocation ID. If its runner has ended, the removal is queued. Otherwise the removal
// begins at once and stops the tasks.
void NodeClient::Remove(Context context, const std::string& id) {
  if (refused_.erase(id) > 0) updates_.Forget(id);
  to_start_.erase(id);
  const auto held = held_.extract(id);
  if (held.empty()) return;
  starts_.Done(id);
  contact_.Forget(id);
  stopped_alone_.erase(id);
  const bool ended = held.mapped()->runner()->ended();
  to_remove_.emplace(id, std::move(held.mapped()));
  if (ended) {
    removals_.Put(id);
  } else {
    BeginRemoval(context, id);
  }
}

bool NodeClient::BeginRemoval(Context context, const std::string& id) {
  const auto leaving = to_remove_.extract(id);
  if (leaving.empty()) return false;
  destroying_.Spawn(DestroyGone(context, leaving.mapped()));
  return true;
}

void NodeClient::StartOne(const std::shared_ptr<const Allocation>& alloc) {
  Result<std::unique_ptr<AllocRunner>> runner = make_runner_(alloc);
  if (!runner.ok()) {
    return Refuse(alloc->id, {ClientStatus::kFailed, runner.error().message()});
  }
  auto held = std::make_shared<Held>(this, std::move(*runner), alloc->alloc_modify_index);
  held_[alloc->id] = held;
  WatchContact(*alloc);
  held->runner()->Start();
}

void NodeClient::WatchContact(const Allocation& alloc) {
  const TaskGroup* const group = alloc.group();
  if (group != nullptr && group->disconnect.stop_on_client_after && !alloc.server_terminal()) {
    contact_.Watch(alloc.id, Bounded(*group->disconnect.stop_on_client_after));
  } else if (contact_.watched() > 0) {
    contact_.Forget(alloc.id);
  }
}

// The server does not know of this. It has given up the allocation by now, or will see that it is
// lost.
void NodeClient::StopWithoutContact(const std::string& id) {
  AllocRunner* const runner = Find(id);
  if (runner == nullptr || runner->ended()) return;
  spdlog::warn("allocation {} is stopped: there was no contact to the server for too long", id);
  auto stopped = std::make_shared<Allocation>(*runner->snapshot()->alloc);
  stopped->desired_status = DesiredStatus::kStop;
  stopped->desired_description = kStoppedAlone;
  stopped_alone_.insert(id);
  runner->Update(std::move(stopped));
}

void NodeClient::Refuse(const std::string& alloc_id, AllocStatus status) {
  refused_.insert(alloc_id);
  AllocUpdate update;
  update.id = alloc_id;
  update.status = std::move(status);
  update.modify_time = loop_->Wall();
  updates_.Put(std::move(update));
}

AllocUpdate NodeClient::UpdateOf(const AllocState& state) const {
  AllocUpdate update;
  update.id = state.alloc->id;
  update.status = state.status;
  if (state.status.status == ClientStatus::kComplete && stopped_alone_.contains(update.id)) {
    update.status = {ClientStatus::kLost, kStoppedAlone};
  }
  update.tasks = state.tasks;
  update.health = state.health;
  update.deployment_id = state.alloc->deployment_id;
  update.network = state.alloc->network;
  update.modify_time = loop_->Wall();
  return update;
}

void NodeClient::Report(const AllocState& state) { updates_.Put(UpdateOf(state)); }

void NodeClient::ReportAll() {
  reports_all_ = !fetched_;
  if (!fetched_) return;
  std::vector<AllocUpdate> states;
  for (const auto& [id, held] : held_) {
    states.push_back(UpdateOf(*held->runner()->snapshot()));
  }
  updates_.Resend(std::move(states));
}

Co<Status> NodeClient::Send(Context context, std::vector<AllocUpdate> updates, bool all) {
  Status sent;
  if (all) {
    sent = co_await link_->ReportAllocs(context, node_.id, std::move(updates));
  } else {
    sent = co_await link_->UpdateAllocs(context, node_.id, std::move(updates));
  }
  if (sent.code() == Code::kFailedPrecondition) beats_.Set();  // the server wants a heartbeat first
  co_return sent;
}

// Destroys the allocation of HELD. Repeats this until it succeeds or CONTEXT ends. While this agent
// runs, no other code destroys the allocation.
Co<void> NodeClient::DestroyGone(Context context, std::shared_ptr<Held> held) {
  Context over(loop_);
  Gate interrupting(loop_);
  interrupting.Spawn(InterruptDestroy(context, over, held));
  Duration pause = kFirstRetry;
  while (true) {
    Status destroyed;
    co_await DestroyOne(held, &destroyed);
    if (destroyed.ok()) break;
    const Status slept = co_await Sleep(context, pause);
    if (!slept.ok()) break;
    pause = std::min(pause * 2, kLongestRetry);
  }
  over.Cancel("the allocation is gone");
  co_await interrupting.Close();
  removals_.Done(held->runner()->id());
}

// Interrupts DestroyGone if it takes too long. STOP ends when the agent shuts down, and OVER ends
// when DestroyGone has finished. If OVER does not end within kRemovalGrace after the end of STOP,
// shuts down the runner of HELD, which interrupts DestroyGone. The next agent continues the
// removal.
Co<void> NodeClient::InterruptDestroy(Context stop, Context over, std::shared_ptr<Held> held) {
  const JoinContext either(stop, over);
  co_await either.context().Cancelled();
  const Status late = co_await Sleep(over, kRemovalGrace);
  if (!late.ok()) co_return;
  co_await held->runner()->WaitEnded();
  if (!over.cancelled()) co_await held->runner()->Shutdown();
}

Co<void> NodeClient::DestroyOne(std::shared_ptr<Held> held, Status* first) {
  const Status destroyed = co_await held->runner()->Destroy();
  updates_.Forget(held->runner()->id());
  if (destroyed.ok()) co_return;
  spdlog::warn("allocation {}: {}", held->runner()->id(), destroyed.error().message());
  if (first->ok()) *first = destroyed;
}

Co<Status> NodeClient::DestroyAll(Gate* callers) {
  Status first;
  const auto leaving = std::exchange(held_, {});
  std::vector<Co<void>> all;
  for (const auto& [id, held] : leaving) all.push_back(DestroyOne(held, &first));
  co_await InParallel(loop_, std::move(all));
  co_await waiting_.Close();
  co_await callers->Close();
  co_return first;
}

Co<void> NodeClient::ShutdownAll(Gate* callers) {
  const auto leaving = std::exchange(held_, {});
  std::vector<Co<void>> all;
  for (const auto& [id, held] : leaving) all.push_back(held->runner()->Shutdown());
  co_await InParallel(loop_, std::move(all));
  co_await waiting_.Close();
  co_await callers->Close();
}

std::vector<std::string> NodeClient::alloc_ids() const {
  std::vector<std::string> ids;
  for (const auto& [id, held] : held_) ids.push_back(id);
  return ids;
}

AllocRunner* NodeClient::Find(const std::string& alloc_id) const {
  const auto held = held_.find(alloc_id);
  return held == held_.end() ? nullptr : held->second->runner();
}

}  // namespace drover
