// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/alloc/local_alloc_runner.h"
#include "host/alloc/tracing_driver_for_test.h"

namespace drover {

// An allocation directory that only records its calls.
class FakeAllocDir : public AllocDir {
 public:
  // What a real disk would store. A Disk outlives its FakeAllocDir.
  struct Disk {
    bool built = false;
    std::vector<std::string> tasks;
    std::optional<Error> build_error;
    std::optional<Error> destroy_error;
    int destroys = 0;
    int drops = 0;  // how often DropSecrets was called
  };
  explicit FakeAllocDir(Disk* disk) : disk_(disk) {}
  const std::string& path() const override { return path_; }
  Co<Status> Build() override;
  Co<Status> BuildTask(TaskDirRequest request) override;
  Co<Status> CheckBuilt() override;
  Co<Status> DropSecrets() override;
  Co<Status> Destroy() override;

 private:
  const std::string path_ = "/nowhere";
  Disk* const disk_;
};

// Keeps the newest records of one allocation in memory.
class FakeAllocStore : public AllocStore {
 public:
  struct Records {
    std::map<std::string, RestoredTask> tasks;
    bool deleted = false;
    std::optional<Error> delete_error;
  };
  explicit FakeAllocStore(Records* records) : records_(records) {}
  Co<Status> SaveLocalState(Context context, std::string task_name,
                            std::shared_ptr<const LocalState> state) override;
  void SaveTaskState(const std::string& task_name, TaskSnapshot state) override;
  Co<Status> Delete(Context context) override;

 private:
  Records* const records_;
};

// A preparer that copies the fields that the tests need, and interpolates nothing.
class PlainPreparer : public TaskPreparer {
 public:
  Result<std::vector<std::string>> Interpolate(const PrepareRequest&,
                                               std::vector<std::string> texts) override {
    return texts;
  }
  Result<TaskConfig> Prepare(const PrepareRequest& request) override;
};

// A task of the class that KIND names: main, init (prestart one-shot), side (prestart sidecar),
// post (poststart one-shot), postside (poststart sidecar), stop (poststop).
Task MakeTask(const std::string& name, const std::string& kind = "main");

// The fixture for tests of allocation runners. It consists of an allocation, a driver without
// processes, and a check at the end that nothing is left.
class AllocFixture {
 public:
  AllocFixture();
  ~AllocFixture();  // checks that nothing is left

  // Adds a task to the group. Must be called before Make.
  Task& AddTask(const std::string& name, const std::string& kind = "main");
  TaskGroup& group() { return job_->groups[0]; }
  Job& job() { return *job_; }
  // Makes the runner of an allocation of the current job. Does not start the runner.
  LocalAllocRunner& Make();
  LocalAllocRunner& Start();
  // Makes a new runner of the same allocation from the records, as a restarted agent does. HEALTH
  // is the verdict of the earlier agent.
  LocalAllocRunner& Restore(std::optional<AllocHealth> health = std::nullopt);
  LocalAllocRunner& runner() { return *runner_; }
  bool has_runner() const { return runner_ != nullptr; }
  void Forget() { runner_.reset(); }

  // Returns the next version of the allocation, as the server would send it, with a higher index.
  Allocation NextAlloc();
  // Like NextAlloc, with a new version of the job, to which CHANGE was made.
  Allocation NextVersion(const std::function<void(Job*)>& change);
  void Update(Allocation alloc) { runner_->Update(std::make_shared<const Allocation>(alloc)); }
  void UpdateToStop();

  // Runs CALL to its end, for at most one simulated hour.
  Status Wait(Co<Status> call);
  // Runs the loop until the allocation has ended, for at most LIMIT. Returns whether it has ended.
  bool RunToEnd(Duration limit = 1h);
  // Destroys the runner. LEFT_RUNS is the number of runs that the driver must still have then.
  void Destroy(std::size_t left_runs = 0);

  const TaskStateRecord& state(const std::string& task) {
    return *runner_->snapshot()->tasks.at(task);
  }
  // Returns the state of a task and its number of restarts, such as "running/1".
  std::string Brief(const std::string& task);
  // Returns the types of a task's events.
  std::vector<std::string> Events(const std::string& task);
  AllocStatus status() { return runner_->snapshot()->status; }

  SimLoop loop;
  TracingDriver driver;
  FakeDriverRegistry registry;
  PlainPreparer preparer;
  FakeAllocDir::Disk disk;
  FakeAllocStore::Records records;
  LocalAllocEnv env;
  bool keep_records = false;  // true: runners store their records, as Restore requires
  std::string deployment_id;  // of the allocation, and the one that it replaces
  std::string previous;
  bool canary = false;

 private:
  void CheckNothingLeft();

  std::shared_ptr<Job> job_;
  std::shared_ptr<const Allocation> alloc_;
  std::unique_ptr<LocalAllocRunner> runner_;
  const long contexts_before_;
  const long tasks_before_;
  const long allocs_before_;
};

}  // namespace drover
