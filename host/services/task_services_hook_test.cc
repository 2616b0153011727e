// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/services/task_services_hook.h"

#include "host/services/noting_registrar_for_test.h"
#include "host/task/runner_fixture.h"

namespace drover {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// A task with the services hook, in a real runner.
struct TaskServicesHookTest : RunnerTest {
  TaskServicesHookTest() {
    info.id = "node";
    hook_options.registrar = &registrar;
    hook_options.node.info = &info;
    hook_options.node.ip = "10.0.0.9";
    AddService("api");
  }

  void AddService(const std::string& name) { task().services.push_back(Named(name)); }
  void StartTask() {
    options.hooks_after_stats.push_back(std::make_shared<TaskServicesHook>(&hook_options, task()));
    Start();
  }
  // Gives the runner a new version of its job.
  void Update(std::vector<Service> services) {
    auto next_job = std::make_shared<Job>(*alloc->job);
    next_job->groups[0].tasks[0].services = std::move(services);
    auto next = std::make_shared<Allocation>(*alloc);
    next->job = std::move(next_job);
    runner->Update(std::move(next));
    loop.RunReady();
  }
  static Service Named(const std::string& name) {
    Service service;
    service.name = name;
    service.provider = ServiceProvider::kBuiltin;
    return service;
  }
  std::string LastMessage() const {
    for (auto event = last->events.rbegin(); event != last->events.rend(); ++event) {
      const TaskEvent& one = *event;
      if (one.type == event_type::kHookFailed) return std::string(one.Detail(event_key::kMessage));
    }
    return "";
  }

  NodeInfo info;
  NotingRegistrar registrar{&loop};
  ServiceHookOptions hook_options;
};

TEST_F(TaskServicesHookTest, RegistersWhileTheTaskRuns) {
  StartTask();
  EXPECT_THAT(registrar.calls, ElementsAre("add web api"));
  Kill();
  EXPECT_THAT(registrar.calls, ElementsAre("add web api", "remove web"));
  EXPECT_EQ(registrar.clears, 1) << "neither exited nor stop removes them again";
}

TEST_F(TaskServicesHookTest, AStopFirstRemovesThemAndThenWaitsForTheDelay) {
  task().shutdown_delay = 4s;
  StartTask();
  registrar.release.Reset();
  Kill();
  loop.Advance(2s);
  EXPECT_THAT(registrar.calls, ElementsAre("add web api", "remove web"));
  registrar.release.Set();
  loop.Advance(4s - 1ns);
  EXPECT_EQ(driver.Count("stop"), 0) << "the delay counts from the removal";
  loop.Advance(1ns);
  EXPECT_EQ(driver.Count("stop"), 1);
  EXPECT_EQ(registrar.clears, 1);
}

TEST_F(TaskServicesHookTest, OnePolicyRestartAddsAndRemovesTwice) {
  policy().attempts = 1;
  script().run_for = 5s;
  script().exit.exit_code = 1;
  StartTask();
  loop.Advance(5s);
  EXPECT_THAT(registrar.calls, ElementsAre("add web api", "remove web"));
  loop.Advance(30s);
  EXPECT_THAT(registrar.calls,
              ElementsAre("add web api", "remove web", "add web api", "remove web"));
  EXPECT_EQ(registrar.clears, 2);
  Finish();
  EXPECT_EQ(registrar.clears, 2);
}

TEST_F(TaskServicesHookTest, ARequestedRestartRemovesThemBeforeTheStop) {
  StartTask();
  registrar.release.Reset();
  auto restart = [](std::shared_ptr<TaskRunner> on) -> Co<void> {
    (void)co_await on->Restart(TaskEvent(event_type::kRestartSignaled), false);
  };
  loop.Spawn(restart(runner));
  loop.Advance(1s);
  EXPECT_THAT(registrar.calls, ElementsAre("add web api", "remove web"));
  EXPECT_EQ(driver.Count("stop"), 0) << "others still find the service";
  registrar.release.Set();
  loop.Advance(1s);
  EXPECT_THAT(registrar.calls, ElementsAre("add web api", "remove web", "add web api"));
  Kill();
}

TEST_F(TaskServicesHookTest, AServerThatDoesNotAnswerHoldsAKillUpForFiveSeconds) {
  StartTask();
  registrar.release.Reset();
  Kill();
  EXPECT_FALSE(kill_status.has_value());
  loop.Advance(5s);
  EXPECT_TRUE(kill_status.has_value());
  EXPECT_THAT(reports, Contains(HasSubstr("pre-kill hook \"services\" failed")));
}

TEST_F(TaskServicesHookTest, AnUpdateReplacesThem) {
  StartTask();
  Update({Named("api"), Named("admin")});
  EXPECT_THAT(registrar.calls, ElementsAre("add web api", "add web api admin"));
  Update({});
  EXPECT_THAT(registrar.now["web"], IsEmpty());
  Update({Named("new")});
  EXPECT_THAT(registrar.calls.back(), "add web new");
  Kill();
  EXPECT_THAT(registrar.calls.back(), "remove web");
}

TEST_F(TaskServicesHookTest, AnUpdateOfATaskThatDoesNotRunRegistersNothing) {
  gate.open.Reset();
  StartTask();
  Update({Named("admin")});
  EXPECT_THAT(registrar.calls, IsEmpty());
  gate.open.Set();
  loop.RunReady();
  EXPECT_THAT(registrar.calls, ElementsAre("add web admin"));
  registrar.release.Reset();
  Kill();
  Update({Named("admin"), Named("late")});
  registrar.release.Set();
  loop.RunReady();
  EXPECT_THAT(registrar.calls, ElementsAre("add web admin", "remove web"));
}

TEST_F(TaskServicesHookTest, AnUpdateMayBringTheFirstOne) {
  task().services.clear();
  StartTask();
  EXPECT_THAT(registrar.calls, IsEmpty());
  Update({Named("api")});
  EXPECT_THAT(registrar.calls, ElementsAre("add web api"));
  Kill();
  EXPECT_THAT(registrar.calls, ElementsAre("add web api", "remove web"));
}

TEST_F(TaskServicesHookTest, AnUpdateBetweenTwoRunsRegistersNothing) {
  task().services.clear();
  policy().attempts = 1;
  script().run_for = 5s;
  script().exit.exit_code = 1;
  StartTask();
  loop.Advance(6s);
  Update({Named("api")});
  EXPECT_THAT(registrar.calls, IsEmpty());
  loop.Advance(30s);
  EXPECT_THAT(registrar.calls, ElementsAre("add web api", "remove web"));
  Finish();
}

TEST_F(TaskServicesHookTest, ATaskWithoutServicesEndsWithoutIt) {
  task().services.clear();
  const TaskServicesHook hook(&hook_options, task());
  for (const HookStage stage : {HookStage::kPrekill, HookStage::kExited, HookStage::kStop}) {
    EXPECT_FALSE(hook.Has(stage)) << HookStageName(stage);
  }
  StartTask();
  Kill();
  EXPECT_EQ(registrar.clears, 0);
  EXPECT_THAT(registrar.now, IsEmpty());
}

TEST_F(TaskServicesHookTest, OneThatCannotBeRegisteredIsAnEventOfTheTask) {
  task().services[0].tags = {"${NOMAD_META_nope}"};
  AddService("good");
  StartTask();
  EXPECT_THAT(registrar.calls, ElementsAre("add web good"));
  EXPECT_TRUE(runner->running());
  EXPECT_THAT(LastMessage(), HasSubstr("services: service \"api\": its tag"));
  Kill();
}

TEST_F(TaskServicesHookTest, HasTheNetworkOfTheDriver) {
  task().services[0].address_mode = AddressMode::kDriver;
  script().network = DriverNetwork{{{"http", 8080}}, "172.17.0.2", false};
  task().services[0].port_label = "http";
  StartTask();
  ASSERT_EQ(registrar.now["web"].size(), 1u);
  EXPECT_EQ(registrar.now["web"][0].address, "172.17.0.2");
  EXPECT_EQ(registrar.now["web"][0].port, 8080);
  Kill();
}

TEST_F(TaskServicesHookTest, TheNextAgentRegistersATaskThatRunsOn) {
  StartTask();
  Shutdown();
  EXPECT_THAT(registrar.calls, ElementsAre("add web api")) << "the task runs on";
  registrar.now.clear();
  options.restored = TaskRecords{*runner->snapshot(), runner->local_state()};
  runner = nullptr;
  over = shut_down = false;
  options.hooks_after_stats.push_back(std::make_shared<TaskServicesHook>(&hook_options, task()));
  Start();
  EXPECT_THAT(registrar.calls, ElementsAre("add web api", "add web api"));
  Kill();
  EXPECT_THAT(registrar.now["web"], IsEmpty());
}

TEST_F(TaskServicesHookTest, TheNextAgentRemovesThoseOfATaskThatHasEnded) {
  StartTask();
  Shutdown();
  options.restored = TaskRecords{*runner->snapshot(), runner->local_state()};
  runner = nullptr;
  over = shut_down = false;
  driver.End("web", ExitResult());
  options.hooks_after_stats.push_back(std::make_shared<TaskServicesHook>(&hook_options, task()));
  Start();
  EXPECT_THAT(registrar.calls, ElementsAre("add web api", "remove web"));
  Finish();
}

}  // namespace
}  // namespace drover
