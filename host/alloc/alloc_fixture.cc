// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/alloc_fixture.h"

#include <gtest/gtest.h>

namespace drover {

Co<Status> FakeAllocDir::Build() {
  if (disk_->build_error) co_return *disk_->build_error;
  disk_->built = true;
  co_return Status();
}

Co<Status> FakeAllocDir::BuildTask(TaskDirRequest request) {
  disk_->tasks.push_back(std::move(request.task));
  co_return Status();
}

Co<Status> FakeAllocDir::CheckBuilt() {
  if (disk_->built) co_return Status();
  co_return Error(Code::kNotFound, "/nowhere: No such file or directory");
}

Co<Status> FakeAllocDir::DropSecrets() {
  ++disk_->drops;
  co_return Status();
}

Co<Status> FakeAllocDir::Destroy() {
  ++disk_->destroys;
  if (disk_->destroy_error) co_return *disk_->destroy_error;
  disk_->built = false;
  co_return Status();
}

Co<Status> FakeAllocStore::SaveLocalState(Context, std::string task_name,
                                          std::shared_ptr<const LocalState> state) {
  records_->tasks[task_name].local = *state;
  co_return Status();
}

void FakeAllocStore::SaveTaskState(const std::string& task_name, TaskSnapshot state) {
  records_->tasks[task_name].state = *state;
}

Co<Status> FakeAllocStore::Delete(Context) {
  if (records_->delete_error) co_return *records_->delete_error;
  records_->tasks.clear();
  records_->deleted = true;
  co_return Status();
}

Result<TaskConfig> PlainPreparer::Prepare(const PrepareRequest& request) {
  TaskConfig config;
  config.alloc_id = request.alloc->id;
  config.task_name = request.task->name;
  config.job_name = request.alloc->job->name;
  config.log_config = request.task->log_config;
  config.alloc_dir = request.location.alloc_dir;
  config.task_dir = request.location.task_dir;
  config.log_dir = request.location.log_dir;
  config.network_namespace_path = request.location.network_namespace;
  config.driver_config_json = request.task->config_json;
  config.kill_timeout = request.task->kill_timeout;
  return config;
}

Task MakeTask(const std::string& name, const std::string& kind) {
  Task task;
  task.name = name;
  task.driver = "fake";
  if (kind == "init") task.lifecycle = Lifecycle{Lifecycle::Hook::kPrestart, false};
  if (kind == "side") task.lifecycle = Lifecycle{Lifecycle::Hook::kPrestart, true};
  if (kind == "post") task.lifecycle = Lifecycle{Lifecycle::Hook::kPoststart, false};
  if (kind == "postside") task.lifecycle = Lifecycle{Lifecycle::Hook::kPoststart, true};
  if (kind == "stop") task.lifecycle = Lifecycle{Lifecycle::Hook::kPoststop, false};
  return task;
}

AllocFixture::AllocFixture()
    : driver(&loop),
      job_(std::make_shared<Job>()),
      contexts_before_(Context::live()),
      tasks_before_(TaskRunner::live()),
      allocs_before_(LocalAllocRunner::live()) {
  registry.Add(&driver);
  job_->id = job_->name = "job";
  job_->groups.resize(1);
  group().name = "group";
  group().restart_policy.attempts = 0;
  env.loop = &loop;
  env.make_dir = [this](const std::string&) { return std::make_unique<FakeAllocDir>(&disk); };
  env.services.drivers = &registry;
  env.services.preparer = &preparer;
  env.services.random = [](std::uint64_t) { return 0; };
}

AllocFixture::~AllocFixture() {
  // The runner is null if the test has already destroyed it.
  if (runner_) Destroy();
  CheckNothingLeft();
}

void AllocFixture::CheckNothingLeft() {
  runner_.reset();
  loop.RunReady();
  EXPECT_EQ(loop.live_timers(), 0u);
  EXPECT_EQ(driver.open_calls(), 0);
  EXPECT_EQ(Context::live(), contexts_before_);
  EXPECT_EQ(TaskRunner::live(), tasks_before_);
  EXPECT_EQ(LocalAllocRunner::live(), allocs_before_);
}

Task& AllocFixture::AddTask(const std::string& name, const std::string& kind) {
  group().tasks.push_back(MakeTask(name, kind));
  return group().tasks.back();
}

LocalAllocRunner& AllocFixture::Make() {
  if (keep_records) {
    env.open_store = [this](const std::string&) {
      return std::make_unique<FakeAllocStore>(&records);
    };
  }
  auto alloc = std::make_shared<Allocation>();
  alloc->id = "5a1b8c2e-0000-4000-8000-000000000001";
  alloc->name = "job.group[0]";
  alloc->job = std::make_shared<const Job>(*job_);
  alloc->group_name = "group";
  alloc->deployment_id = deployment_id;
  alloc->previous = previous;
  alloc->canary = canary;
  alloc->create_time = loop.Wall();
  alloc->alloc_modify_index = 10;
  alloc_ = alloc;
  AllocRunnerRequest request;
  request.alloc = alloc_;
  auto made = LocalAllocRunner::Create(std::make_shared<const LocalAllocEnv>(env), request);
  runner_ = std::move(made).value();
  return *runner_;
}

LocalAllocRunner& AllocFixture::Start() {
  Make().Start();
  loop.RunReady();
  return *runner_;
}

LocalAllocRunner& AllocFixture::Restore(std::optional<AllocHealth> health) {
  runner_.reset();
  AllocRunnerRequest request;
  request.alloc = alloc_;
  request.restored = records.tasks;
  request.health = health;
  auto made = LocalAllocRunner::Create(std::make_shared<const LocalAllocEnv>(env), request);
  runner_ = std::move(made).value();
  return *runner_;
}

Allocation AllocFixture::NextAlloc() {
  Allocation alloc = *alloc_;
  ++alloc.alloc_modify_index;
  alloc_ = std::make_shared<const Allocation>(alloc);
  return alloc;
}

Allocation AllocFixture::NextVersion(const std::function<void(Job*)>& change) {
  Allocation alloc = NextAlloc();
  auto job = std::make_shared<Job>(*alloc.job);
  change(job.get());
  alloc.job = std::move(job);
  alloc_ = std::make_shared<const Allocation>(alloc);
  return alloc;
}

void AllocFixture::UpdateToStop() {
  Allocation alloc = NextAlloc();
  alloc.desired_status = DesiredStatus::kStop;
  alloc.modify_time = loop.Wall();
  alloc_ = std::make_shared<const Allocation>(alloc);
  Update(alloc);
}

Status AllocFixture::Wait(Co<Status> call) {
  Status status = Error(Code::kInternal, "the call did not end");
  auto store = [](Co<Status> inner, Status* out) -> Co<void> { *out = co_await std::move(inner); };
  EXPECT_TRUE(loop.RunToEnd(store(std::move(call), &status), 1h));
  return status;
}

bool AllocFixture::RunToEnd(Duration limit) {
  return loop.RunUntil([this] { return runner_->ended(); }, limit);
}

void AllocFixture::Destroy(std::size_t left_runs) {
  const Status status = Wait(runner_->Destroy());
  EXPECT_TRUE(status.ok()) << status.error().message();
  EXPECT_TRUE(!disk.built) << "the directory is still there";
  EXPECT_EQ(driver.live_runs(), left_runs);
  runner_.reset();
}

std::string AllocFixture::Brief(const std::string& task) {
  const TaskStateRecord& record = state(task);
  return std::string(RunnerStateName(record.state)) + "/" + std::to_string(record.restarts);
}

std::vector<std::string> AllocFixture::Events(const std::string& task) {
  std::vector<std::string> types;
  for (const TaskEvent& event : state(task).events) types.push_back(event.type);
  return types;
}

}  // namespace drover
