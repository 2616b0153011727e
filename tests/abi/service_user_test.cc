// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The services of the node and of commands, as a driver sees them in the host and in a process of
// its own.
#include <signal.h>

#include <cerrno>
#include <filesystem>
#include <fstream>

#include "host/base/directory_for_test.h"
#include "host/base/gate.h"
#include "host/plugin/registry_fixture.h"
#include "host/plugin/supervised_driver.h"

namespace drover {
namespace {

class ServiceUserTest : public RegistryFixture, public testing::WithParamInterface<const char*> {
 protected:
  Driver* LoadServices() {
    Add("services", SERVICE_USER_SO);
    options_.plugins.back().isolation = GetParam();
    EXPECT_EQ(Load()[0].message, "");
    return registry_->Find("services");
  }
  static std::shared_ptr<const TaskConfig> Script(const std::string& script) {
    return Config("{\"script\": \"" + script + "\"}");
  }
  pid_t PidIn(const std::string& path) {
    pid_t pid = 0;
    EXPECT_TRUE(Until([&] { return static_cast<bool>(std::ifstream(path) >> pid); }, 20s)) << path;
    return pid;
  }
  bool IsGone(pid_t pid) {
    return Until([pid] { return kill(pid, 0) != 0 && errno == ESRCH; }, 20s);
  }

  DirectoryForTest directory_;
};

INSTANTIATE_TEST_SUITE_P(Containers, ServiceUserTest, testing::Values("in-process", "process"),
                         PlaceName);

TEST_P(ServiceUserTest, TheDriverLearnsItsNodeAndHasItsDirectories) {
  options_.node.node_id = "n1";
  options_.node.directory = directory_.path() + "/plugin_data";
  options_.node.cgroup_parent = "/drover_plugins";
  Driver* const driver = LoadServices();
  const Result<TaskStatus> status = Await(driver->Inspect(context_, RunId::Random()));
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_EQ(status->attributes.at("node_id"), "n1");
  EXPECT_EQ(status->attributes.at("cgroup_parent"), "/drover_plugins/services");
  const std::string state = status->attributes.at("state_dir");
  EXPECT_EQ(state, options_.node.directory + "/services/state");
  EXPECT_TRUE(std::filesystem::is_directory(state));
}

TEST_P(ServiceUserTest, AHostWithoutANodeHasNoSuchService) {
  Driver* const driver = LoadServices();
  const Result<TaskStatus> status = Await(driver->Inspect(context_, RunId::Random()));
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_FALSE(status->attributes.contains("node_id"));
}

TEST_P(ServiceUserTest, ACommandComesBackWhole) {
  Driver* const driver = LoadServices();
  const auto task = Script("cat; echo more; echo trouble >&2; exit 3");
  const Result<StartedTask> started = Await(driver->Start(context_, task));
  ASSERT_TRUE(started.ok()) << started.error().message();
  const Result<TaskStatus> status = Await(driver->Inspect(context_, task->run_id));
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_EQ(status->attributes.at("output"), "inputmore\n");
  EXPECT_EQ(status->attributes.at("error"), "trouble\n");
  EXPECT_EQ(status->attributes.at("exit_code"), "3");
}

TEST_P(ServiceUserTest, TheHostReplacesReferencesInTextsOfADriver) {
  Driver* const driver = LoadServices();
  const auto task = std::make_shared<TaskConfig>(*Config(R"({"text": "${GREETING} and ${BAD}"})"));
  task->env["GREETING"] = "hello";
  task->interpolate = [](const StringMap& env, std::string_view text,
                         bool strict) -> Result<std::string> {
    if (!strict) return std::string("not strict");
    if (text.find("${BAD}") != std::string_view::npos) {
      return Error(Code::kInvalidArgument, "BAD is unknown");
    }
    return env.at("GREETING") + std::string(text.substr(text.find('}') + 1));
  };
  const Result<StartedTask> refused = Await(driver->Start(context_, task));
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.code(), Code::kInvalidArgument);
  EXPECT_NE(refused.error().message().find("BAD is unknown"), std::string::npos);

  const auto good = std::make_shared<TaskConfig>(*task);
  good->run_id = RunId::Random();
  good->driver_config_json = R"({"text": "${GREETING} there"})";
  const Result<StartedTask> started = Await(driver->Start(context_, good));
  ASSERT_TRUE(started.ok()) << started.error().message();
  const Result<TaskStatus> status = Await(driver->Inspect(context_, good->run_id));
  ASSERT_TRUE(status.ok()) << status.error().message();
  EXPECT_EQ(status->attributes.at("text"), "hello there");
}

TEST_P(ServiceUserTest, AHostWithoutValuesReplacesNoReferences) {
  Driver* const driver = LoadServices();
  const Result<StartedTask> started = Await(driver->Start(context_, Config(R"({"text": "a"})")));
  EXPECT_EQ(started.code(), Code::kUnimplemented);
}

TEST_P(ServiceUserTest, TextsOfARequestAreBounded) {
  Driver* const driver = LoadServices();
  const auto task = std::make_shared<TaskConfig>(*Config(R"({"text": "x"})"));
  task->interpolate = [](const StringMap&, std::string_view, bool) -> Result<std::string> {
    return std::string((1u << 20) + 1, 'x');
  };
  const Result<StartedTask> started = Await(driver->Start(context_, task));
  ASSERT_FALSE(started.ok());
  EXPECT_NE(started.error().message().find("more than 1048576 bytes"), std::string::npos)
      << started.error().message();
}

TEST_P(ServiceUserTest, ACommandEndsWithItsCall) {
  Driver* const driver = LoadServices();
  const std::string file = directory_.path() + "/pid";
  const auto task = Script("echo $$ > " + file + "; exec sleep 1000");
  Context call = context_.Child();
  std::optional<Result<StartedTask>> started;
  const auto start = [&]() -> Co<void> { started = co_await driver->Start(call, task); };
  Gate gate(&loop_);
  gate.Spawn(start());
  const pid_t pid = PidIn(file);
  call.Cancel("enough");
  Await(gate.Close());
  EXPECT_FALSE(started->ok());
  EXPECT_TRUE(IsGone(pid));
}

TEST_P(ServiceUserTest, ACommandEndsWithTheProcessOfItsPlugin) {
  if (std::string(GetParam()) != "process") GTEST_SKIP() << "the plugin has no process of its own";
  Driver* const driver = LoadServices();
  const std::string file = directory_.path() + "/pid";
  const auto task = Script("echo $$ > " + file + "; exec sleep 1000");
  std::optional<Result<StartedTask>> started;
  const auto start = [&]() -> Co<void> { started = co_await driver->Start(context_, task); };
  Gate gate(&loop_);
  gate.Spawn(start());
  const pid_t pid = PidIn(file);
  ASSERT_EQ(kill(registry_->Inspect("services")->pid, SIGKILL), 0);
  Await(gate.Close());
  EXPECT_FALSE(started->ok());
  EXPECT_TRUE(IsGone(pid));
}

}  // namespace
}  // namespace drover
