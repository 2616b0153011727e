// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "tests/model/change_world.h"

#include <algorithm>
#include <utility>

#include "tests/model/seeded_random.h"

namespace drover {
namespace {

constexpr const char* kJobs[] = {"web", "calc", "agent"};  // a service, a batch and a system job

JobKey KeyOfJob(const std::string& name) { return {"default", name}; }

JobType TypeOf(const std::string& name) {
  if (name == "web") return JobType::kService;
  return name == "calc" ? JobType::kBatch : JobType::kSystem;
}

// How the tasks of a version behave: "" works, "fails" ends soon, "sick" is never healthy.
std::string ManneredAs(const Job& job) {
  const StringMap& env = job.groups.front().tasks.front().env;
  const auto found = env.find("MANNER");
  return found == env.end() ? "" : found->second;
}

bool ConcernsModel(const StateEvent& event) {
  switch (event.topic()) {
    case Topic::kJob:
    case Topic::kEvaluation:
    case Topic::kAllocation:
    case Topic::kNode:
    case Topic::kDeployment:
      return true;
    default:
      return false;
  }
}

}  // namespace

ChangeWorld::ChangeWorld(std::uint64_t seed) : random_(SeedTheKernel(seed)) {
  Watch();
  for (const char* const id : {"n1", "n2", "n3"}) cluster_.Add(id);
}

ChangeWorld::~ChangeWorld() { cluster_.store()->SetJournal(nullptr); }

std::string ChangeWorld::story() const {
  std::string all;
  for (const std::string& line : story_) all += line + "\n";
  return all;
}

void ChangeWorld::Note(const std::string& what) {
  const auto now = cluster_.loop.Now().time_since_epoch();
  story_.push_back(std::to_string(std::chrono::duration_cast<std::chrono::seconds>(now).count()) +
                   " s: " + what);
}

void ChangeWorld::Watch() {
  cluster_.store()->SetJournal(
      [this](const std::vector<StateEvent>& changes, const Tables& tables) {
        if (!std::ranges::any_of(changes, ConcernsModel)) return;
        model_.Look(tables, cluster_.loop.Wall());
      });
}

Job ChangeWorld::WorkingJob(const std::string& name) {
  Job job = JobOfGroup(name, name == "agent" ? 1 : 1 + Pick(4), 50);
  job.type = TypeOf(name);
  TaskGroup& group = job.groups.front();
  group.tasks.front().env["REV"] = std::to_string(++revision_);
  group.rollout.max_parallel = 2;
  group.rollout.progress_deadline = std::chrono::minutes(5);
  group.reschedule.delay = 5s;
  group.reschedule.delay_function = ReschedulePolicy::DelayFunction::kConstant;
  group.reschedule.unlimited = name != "agent";
  return job;
}

Job ChangeWorld::MakeJob(const std::string& name) {
  Job job = WorkingJob(name);
  TaskGroup& group = job.groups.front();
  if (Chance(30)) group.tasks.front().env["MANNER"] = Chance(50) ? "fails" : "sick";
  RolloutPolicy& rollout = group.rollout;
  rollout.max_parallel = Chance(10) ? 0 : 1 + Pick(2);
  rollout.canary = Chance(40) && rollout.max_parallel > 0 ? 1 + Pick(2) : 0;
  rollout.auto_promote = rollout.canary > 0 && Chance(30);
  rollout.auto_revert = Chance(40);
  rollout.progress_deadline = std::chrono::minutes(Chance(15) ? 0 : 1 + Pick(3));
  using Function = ReschedulePolicy::DelayFunction;
  if (name != "agent") {
    ReschedulePolicy& policy = group.reschedule;
    const Function functions[] = {Function::kConstant, Function::kExponential,
                                  Function::kFibonacci};
    policy.delay_function = functions[Pick(3)];
    policy.delay = std::chrono::seconds(5 + Pick(6));
    policy.max_delay = std::chrono::seconds(20 + Pick(60));
    policy.unlimited = name == "web" && Chance(60);
    policy.attempts = policy.unlimited ? 0 : Pick(4);
    policy.interval = std::chrono::minutes(1 + Pick(10));
  }
  DisconnectPolicy& disconnect = group.disconnect;
  if (Chance(50)) disconnect.lost_after = std::chrono::seconds(30 + Pick(120));
  disconnect.replace = Chance(70);
  using Reconcile = DisconnectPolicy::Reconcile;
  const Reconcile ways[] = {Reconcile::kBestScore, Reconcile::kKeepOriginal,
                            Reconcile::kKeepReplacement, Reconcile::kLongestRunning};
  disconnect.reconcile = ways[Pick(4)];
  return job;
}

SimulatedNode::Runner* ChangeWorld::AnyRunning(const std::string& job) {
  std::vector<SimulatedNode::Runner*> all;
  for (const auto& record : cluster_.AllocsOf(job)) {
    SimulatedNode& node = cluster_.node(record->alloc->node_id);
    if (node.Running().contains(record->id())) all.push_back(node.runner(record->id()));
  }
  return all.empty() ? nullptr : all[static_cast<std::size_t>(Pick(static_cast<int>(all.size())))];
}

std::shared_ptr<const AllocRecord> ChangeWorld::AnyLive() {
  const AllocRecords all = cluster_.Live(kJobs[Pick(3)]);
  if (all.empty()) return nullptr;
  return all[static_cast<std::size_t>(Pick(static_cast<int>(all.size())))];
}

std::shared_ptr<const Deployment> ChangeWorld::AnyActive() {
  std::vector<std::shared_ptr<const Deployment>> all;
  cluster_.store()->Read([&](const Tables& tables) {
    for (const auto& [id, deployment] : tables.deployments) {
      if (deployment->active()) all.push_back(deployment);
    }
  });
  if (all.empty()) return nullptr;
  return all[static_cast<std::size_t>(Pick(static_cast<int>(all.size())))];
}

void ChangeWorld::Step() {
  switch (Pick(16)) {
    case 0:
    case 1:
    case 2:
      Register();
      break;
    case 3:
      ChangeCount();
      break;
    case 4:
    case 5:
      ChangeDeployment();
      break;
    case 6:
      RevertJob();
      break;
    case 7:
      Chance(40) ? StopJob() : Register();
      break;
    case 8:
      StopAlloc();
      break;
    case 9:
    case 10:
      EndTasks();
      break;
    case 11:
      RestartTasks();
      break;
    case 12:
      ChangeDrain();
      break;
    case 13:
    case 14:
      ChangeLink();
      break;
    default:
      Kill();
  }
  if (Chance(70)) Pass(std::chrono::seconds(Pick(Chance(20) ? 300 : 30)));
}

void ChangeWorld::Register() {
  const Job job = MakeJob(kJobs[Pick(10) < 6 ? 0 : 1 + Pick(2)]);
  const TaskGroup& group = job.groups.front();
  Note("register " + job.id + " rev " + group.tasks.front().env.at("REV") + " " + ManneredAs(job) +
       " count " + std::to_string(group.count) + " parallel " +
       std::to_string(group.rollout.max_parallel) + " canary " +
       std::to_string(group.rollout.canary) + (group.rollout.auto_revert ? " reverts" : ""));
  cluster_.MustRegister(job);
}

void ChangeWorld::ChangeCount() {
  const std::string name = kJobs[Pick(2)];
  std::shared_ptr<const JobRecord> newest;
  cluster_.store()->Read(
      [&](const Tables& tables) { newest = Tables::Find(tables.jobs, KeyOfJob(name)); });
  if (newest == nullptr || newest->stop) return;
  Job job = *newest->job;
  job.groups.front().count = 1 + Pick(4);
  Note("count of " + name + " " + std::to_string(job.groups.front().count));
  cluster_.MustRegister(job);
}

void ChangeWorld::ChangeDeployment() {
  const auto deployment = AnyActive();
  if (deployment == nullptr) return;
  // An error is an answer, too: one that is not ready is not promoted.
  switch (Pick(5)) {
    case 0:
    case 1:
      Note("promote " + deployment->job_id);
      (void)cluster_.scheduler()->PromoteDeployment(deployment->id, {});
      break;
    case 2:
      Note("pause " + deployment->job_id);
      (void)cluster_.scheduler()->PauseDeployment(deployment->id, true);
      break;
    case 3:
      Note("resume " + deployment->job_id);
      (void)cluster_.scheduler()->PauseDeployment(deployment->id, false);
      break;
    default:
      Note("fail " + deployment->job_id);
      (void)cluster_.scheduler()->FailDeployment(deployment->id);
  }
  cluster_.loop.RunReady();
}

void ChangeWorld::RevertJob() {
  const std::string name = kJobs[Pick(3)];
  std::vector<std::uint64_t> versions;
  cluster_.store()->Read([&](const Tables& tables) {
    const auto found = tables.versions.find(KeyOfJob(name));
    if (found == tables.versions.end()) return;
    for (const auto& [number, record] : found->second) versions.push_back(number);
  });
  if (versions.size() < 2) return;
  versions.pop_back();
  const std::uint64_t to =
      versions[static_cast<std::size_t>(Pick(static_cast<int>(versions.size())))];
  Note("revert " + name + " to " + std::to_string(to));
  EXPECT_TRUE(cluster_.scheduler()->Revert(KeyOfJob(name), to, std::nullopt).ok());
  cluster_.loop.RunReady();
}

void ChangeWorld::StopJob() {
  const std::string name = kJobs[Pick(3)];
  const bool purge = Chance(30);
  Note(std::string(purge ? "purge " : "stop ") + name);
  (void)cluster_.scheduler()->Deregister(KeyOfJob(name), purge, false);
  cluster_.loop.RunReady();
}

void ChangeWorld::StopAlloc() {
  const auto record = AnyLive();
  if (record == nullptr) return;
  AllocStop how;
  if (Chance(20)) how.no_reschedule = true;
  if (!how.no_reschedule && Chance(30)) how.reschedule = true;
  Note("stop " + record->alloc->name + (how.no_reschedule ? " for good" : "") +
       (how.reschedule ? " as a reschedule" : ""));
  (void)cluster_.scheduler()->StopAlloc(record->id(), how);
  cluster_.loop.RunReady();
}

void ChangeWorld::EndTasks() {
  const std::string name = kJobs[Pick(3)];
  SimulatedNode::Runner* const runner = AnyRunning(name);
  if (runner == nullptr) return;
  const bool failed = Chance(name == "calc" ? 50 : 70);  // a service must not end at all
  Note((failed ? "fail one of " : "end one of ") + name);
  runner->End(failed);
  cluster_.loop.RunReady();
}

// A restart is nothing that the server sees, but for the events of the tasks.
void ChangeWorld::RestartTasks() {
  SimulatedNode::Runner* const runner = AnyRunning(kJobs[Pick(3)]);
  if (runner == nullptr) return;
  Note("restart " + runner->id().substr(0, 8));
  (void)cluster_.Await<Status>(runner->RestartRunning());
}

void ChangeWorld::ChangeDrain() {
  SimulatedNode& node = AnyNode();
  const auto record = cluster_.Node(node.id());
  if (record->drain || !record->eligible) {
    Note("end the drain of " + node.id());
    (void)cluster_.scheduler()->Drain(node.id(), std::nullopt, true, {});
    (void)cluster_.scheduler()->SetEligible(node.id(), true);
  } else {
    const Duration deadline = Chance(30) ? Duration(-1) : std::chrono::seconds(30 + Pick(300));
    Note("drain " + node.id());
    (void)cluster_.scheduler()->Drain(node.id(), DrainSpec{deadline, Chance(30)}, false, {});
  }
  cluster_.loop.RunReady();
}

void ChangeWorld::ChangeLink() {
  SimulatedNode& node = AnyNode();
  CutLink& link = node.link;
  switch (Pick(6)) {
    case 0:
    case 1:
      Note("cut " + node.id());
      link.Cut();
      break;
    case 2:
      Note(node.id() + " hears no answers");
      link.drops_answers = true;
      break;
    case 3:
      Note(node.id() + " is slow");
      link.delay = std::chrono::seconds(1 + Pick(25));
      break;
    default:
      Note("mend " + node.id());
      link.Mend();
      link.delay = Duration(0);
  }
}

void ChangeWorld::Kill() {
  SimulatedNode& node = AnyNode();
  const bool with_node = Chance(30);
  Note(with_node ? "kill the server and " + node.id() : "kill the server");
  if (with_node) node.Stop();
  KillServer();
  if (!with_node) return;
  node.Start();
  judged_.clear();
  cluster_.loop.RunReady();
}

void ChangeWorld::KillServer() {
  cluster_.RestartServer();
  Watch();
  cluster_.loop.RunReady();
  cluster_.store()->Read(
      [this](const Tables& tables) { model_.Look(tables, cluster_.loop.Wall()); });
}

void ChangeWorld::Pass(Duration time) {
  while (time > Duration(0)) {
    const Duration step = std::min<Duration>(time, 2s);
    cluster_.loop.Advance(step);
    JudgeAll();
    cluster_.store()->Read(
        [this](const Tables& tables) { model_.Look(tables, cluster_.loop.Wall()); });
    time -= step;
  }
}

void ChangeWorld::JudgeAll() {
  for (const char* const name : kJobs) {
    for (const auto& record : cluster_.Live(name)) {
      SimulatedNode::Runner* const runner =
          cluster_.node(record->alloc->node_id).runner(record->id());
      if (runner == nullptr || runner->ended()) continue;
      const auto& task = runner->snapshot()->tasks.at("t");
      if (task->state != RunnerState::kRunning) continue;
      const std::string manner = ManneredAs(*record->job->job);
      const WallTime age = cluster_.loop.Wall() - task->started_at;
      if (manner == "fails" && age >= Duration(2s).count()) {
        runner->End(true);
      } else if (TypeOf(name) != JobType::kBatch && age >= Duration(10s).count() &&
                 manner != "fails" &&
                 judged_.insert({record->id(), record->alloc->deployment_id}).second) {
        runner->Judge(manner.empty());
      }
    }
  }
  cluster_.loop.RunReady();
}

void ChangeWorld::Heal() {
  Note("all is put right");
  for (const char* const id : {"n1", "n2", "n3"}) {
    SimulatedNode& node = cluster_.node(id);
    node.link.Mend();
    node.link.delay = Duration(0);
    (void)cluster_.scheduler()->Drain(id, std::nullopt, true, {});
    (void)cluster_.scheduler()->SetEligible(id, true);
  }
}

std::vector<std::string> ChangeWorld::Missing() {
  std::vector<std::string> missing;
  std::set<std::string> wanted;
  cluster_.store()->Read([&](const Tables& tables) {
    missing = model_.Missing(tables);
    for (const auto& [id, record] : tables.allocs) {
      if (!record->terminal()) wanted.insert(id);
    }
  });
  // What runs is what the server wants.
  for (const char* const id : {"n1", "n2", "n3"}) {
    for (const std::string& running : cluster_.node(id).Running()) {
      if (wanted.erase(running) == 0) missing.push_back(running + " runs on " + id);
    }
  }
  for (const std::string& id : wanted) missing.push_back(id + " does not run");
  return missing;
}

std::vector<std::string> ChangeWorld::EndWell() {
  Heal();
  Pass(std::chrono::minutes(4));
  // Whatever has become of the jobs, also of those that were stopped, a new version replaces it.
  for (const char* const name : kJobs) {
    const Job job = WorkingJob(name);
    Note("register " + job.id + " rev " + job.groups.front().tasks.front().env.at("REV") +
         ", which works, count " + std::to_string(job.groups.front().count));
    cluster_.MustRegister(job);
  }
  std::vector<std::string> missing;
  for (int minutes = 0; minutes < 20; ++minutes) {
    Pass(std::chrono::minutes(1));
    missing = Missing();
    if (missing.empty() || !model_.broken().empty()) break;
  }
  return missing;
}

}  // namespace drover
