// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/start_message.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstring>
#include <random>

extern "C" {
#include "shim/plan.h"
}

namespace drover {
namespace {

ProcessSpec Spec() {
  ProcessSpec spec;
  spec.run = RunId::Random();
  spec.argv = {"/bin/echo", "a", ""};
  spec.env = {{"PATH", "/bin"}, {"EMPTY", ""}};
  spec.logs.directory = UniqueFd(open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  spec.logs.task = "web";
  spec.user = ProcessUser{1, 2, {3, 4, 5}};
  spec.limits = {{RLIMIT_NOFILE, 10, 20}};
  spec.umask = 022;
  spec.no_new_privileges = true;
  spec.oom_score_adj = 5;
  return spec;
}

StartEnvironment Environment() {
  StartEnvironment environment;
  environment.run_directory = 0;
  environment.cgroup = 1;
  return environment;
}

// The message as the shim receives it, with the steps aligned as in the shim.
struct Received {
  explicit Received(const StartMessage& message) : steps(message.bytes.size() / 8 + 1) {
    std::memcpy(&plan.start, message.bytes.data(), sizeof plan.start);
    std::memcpy(steps.data(), message.bytes.data() + sizeof plan.start,
                message.bytes.size() - sizeof plan.start);
    plan.steps = reinterpret_cast<char*>(steps.data());
    plan.fd_count = static_cast<std::uint32_t>(message.fds.size());
    for (std::size_t i = 0; i < message.fds.size(); ++i) plan.fds[i] = message.fds[i];
  }
  std::vector<std::uint64_t> steps;
  struct plan plan{};
};

TEST(StartMessageTest, TheShimUnderstandsIt) {
  const ProcessSpec spec = Spec();
  const Result<StartMessage> message = CompileStart(spec, Environment());
  ASSERT_TRUE(message.ok()) << message.error().message();
  Received received(*message);
  ASSERT_EQ(plan_check(&received.plan), 0);
  EXPECT_EQ(received.plan.start.step_count, message->step_names.size());
  const drover_step_exec* exec = nullptr;
  int first_kind = 0;
  std::vector<int> kinds;
  for (const drover_step* step = plan_next(&received.plan, nullptr); step;
       step = plan_next(&received.plan, step)) {
    if (first_kind == 0) first_kind = step->kind;
    kinds.push_back(step->kind);
    if (step->kind == DROVER_STEP_EXEC) exec = reinterpret_cast<const drover_step_exec*>(step);
  }
  EXPECT_EQ(kinds,
            (std::vector<int>{DROVER_STEP_CGROUP, DROVER_STEP_SETSID, DROVER_STEP_OOM_SCORE_ADJ,
                              DROVER_STEP_CLOSE, DROVER_STEP_RLIMIT, DROVER_STEP_UMASK,
                              DROVER_STEP_IDS, DROVER_STEP_CWD, DROVER_STEP_NO_NEW_PRIVS,
                              DROVER_STEP_PDEATHSIG, DROVER_STEP_EXEC}));
  ASSERT_TRUE(exec);
  EXPECT_STREQ(plan_program(exec), "/bin/echo");
  EXPECT_STREQ(plan_argv(exec)[1], "a");
  EXPECT_STREQ(plan_argv(exec)[2], "");
  EXPECT_EQ(plan_argv(exec)[3], nullptr);
  EXPECT_STREQ(plan_envp(exec)[0], "PATH=/bin");
  EXPECT_STREQ(plan_envp(exec)[1], "EMPTY=");
  EXPECT_EQ(plan_envp(exec)[2], nullptr);
}

TEST(StartMessageTest, NoPathOfTheTasksIsFollowedBeforeTheDescriptorsAreClosed) {
  const Result<StartMessage> message = CompileStart(Spec(), Environment());
  ASSERT_TRUE(message.ok());
  for (const int follower : {DROVER_STEP_CWD, DROVER_STEP_EXEC}) {
    Received received(*message);
    for (drover_step* step = plan_next(&received.plan, nullptr); step;
         step = plan_next(&received.plan, step)) {
      if (step->kind == DROVER_STEP_CLOSE) step->kind = DROVER_STEP_NO_NEW_PRIVS;
      if (step->kind != follower && step->kind == DROVER_STEP_CWD)
        step->kind = DROVER_STEP_NO_NEW_PRIVS;
    }
    EXPECT_EQ(plan_check(&received.plan), EPROTO) << follower;
  }
  // Nor before they are closed for whoever follows it: the task and its sessions.
  for (const std::uint16_t flags : {0, 1, 2, 3}) {
    Received received(*message);
    for (drover_step* step = plan_next(&received.plan, nullptr); step;
         step = plan_next(&received.plan, step)) {
      if (step->kind == DROVER_STEP_CLOSE) step->flags = flags;
    }
    const bool both = flags == (DROVER_STEP_FOR_TASK | DROVER_STEP_FOR_SESSION);
    EXPECT_EQ(plan_check(&received.plan), both ? 0 : EPROTO) << flags;
  }
}

TEST(StartMessageTest, WithoutCgroupThereIsNoStepForIt) {
  StartEnvironment environment = Environment();
  environment.cgroup = -1;
  const Result<StartMessage> message = CompileStart(Spec(), environment);
  ASSERT_TRUE(message.ok());
  Received received(*message);
  ASSERT_EQ(plan_check(&received.plan), 0);
  EXPECT_NE(plan_next(&received.plan, nullptr)->kind, DROVER_STEP_CGROUP);
  EXPECT_EQ(received.plan.start.cgroup_fd, -1);
}

TEST(StartMessageTest, GivenCgroupsAreEnteredByTheTaskAndItsSessionsAndNamed) {
  StartEnvironment environment = Environment();
  environment.given_cgroups.push_back({0, "apps of the controller pids"});
  const Result<StartMessage> message = CompileStart(Spec(), environment);
  ASSERT_TRUE(message.ok());
  Received received(*message);
  ASSERT_EQ(plan_check(&received.plan), 0);
  const drover_step* step = nullptr;
  std::size_t index = 0;
  while ((step = plan_next(&received.plan, step)) != nullptr && step->kind != DROVER_STEP_JOIN)
    ++index;
  ASSERT_NE(step, nullptr);
  EXPECT_EQ(step->flags, DROVER_STEP_FOR_TASK | DROVER_STEP_FOR_SESSION);
  EXPECT_EQ(message->step_names[index], "enter the cgroup apps of the controller pids");
}

TEST(StartMessageTest, ALargePlanGoesIntoAFile) {
  ProcessSpec spec = Spec();
  spec.argv.push_back(std::string(100000, 'x'));
  const Result<StartMessage> message = CompileStart(spec, Environment());
  ASSERT_TRUE(message.ok());
  EXPECT_LT(message->bytes.size(), 1000u);
  EXPECT_TRUE(message->large_plan.valid());
}

TEST(StartMessageTest, BadSpecsAreNamed) {
  struct Case {
    const char* message;
    void (*spoil)(ProcessSpec*);
  };
  const Case cases[] = {
      {"there is no command", [](ProcessSpec* s) { s->argv.clear(); }},
      {"the command is empty", [](ProcessSpec* s) { s->argv = {""}; }},
      {"an argument contains a NUL byte", [](ProcessSpec* s) { s->argv[1] = {"a\0b", 3}; }},
      {"cannot be the name of an environment variable",
       [](ProcessSpec* s) { s->env.emplace_back("A=B", "c"); }},
      {"cannot be the name of an environment variable",
       [](ProcessSpec* s) { s->env.emplace_back("", "c"); }},
      {"the environment variable A contains a NUL byte",
       [](ProcessSpec* s) { s->env.emplace_back("A", std::string("x\0", 2)); }},
      {"oom_score_adj must be", [](ProcessSpec* s) { s->oom_score_adj = 1001; }},
      {"means \"unchanged\"", [](ProcessSpec* s) { s->user = ProcessUser{uid_t(-1), 0, {}}; }},
      {"means \"unchanged\"", [](ProcessSpec* s) { s->user = ProcessUser{0, gid_t(-1), {}}; }},
      {"resource limit 99", [](ProcessSpec* s) { s->limits = {{99, 1, 1}}; }},
      {"above its hard limit", [](ProcessSpec* s) { s->limits = {{RLIMIT_NOFILE, 2, 1}}; }},
      {"the log directory is not open", [](ProcessSpec* s) { s->logs.directory.Reset(); }},
      {"cannot be part of a log file's name", [](ProcessSpec* s) { s->logs.task = "../x"; }},
      {"cannot be part of a log file's name", [](ProcessSpec* s) { s->logs.task = ""; }},
      {"cannot be part of a log file's name",
       [](ProcessSpec* s) { s->logs.task = std::string(232, 'x'); }},
      {"must be at least 1", [](ProcessSpec* s) { s->logs.max_files = 0; }},
      {"kill signal 65 does not exist", [](ProcessSpec* s) { s->bound = BoundSpec{65, 1s}; }},
      {"must not be negative", [](ProcessSpec* s) { s->bound = BoundSpec{2, -1s}; }},
      {"too many arguments", [](ProcessSpec* s) { s->argv.resize(DROVER_PLAN_MAX_STRINGS, "x"); }},
      {"are too big", [](ProcessSpec* s) { s->argv.resize(100, std::string(100000, 'x')); }},
  };
  for (const Case& c : cases) {
    ProcessSpec spec = Spec();
    c.spoil(&spec);
    const Result<StartMessage> message = CompileStart(spec, Environment());
    ASSERT_FALSE(message.ok()) << c.message;
    EXPECT_EQ(message.code(), Code::kInvalidArgument);
    EXPECT_NE(message.error().message().find(c.message), std::string::npos)
        << message.error().message();
  }
}

// The shim trusts no length: it refuses damaged messages or stays within their bytes.
TEST(StartMessageTest, DamagedPlansAreRefusedOrSound) {
  const ProcessSpec spec = Spec();
  const Result<StartMessage> message = CompileStart(spec, Environment());
  ASSERT_TRUE(message.ok());
  std::mt19937 random(11);
  int refused = 0;
  for (int round = 0; round < 5000; ++round) {
    StartMessage damaged;
    damaged.bytes = message->bytes;
    damaged.fds = message->fds;
    for (unsigned changes = 1 + random() % 4; changes > 0; --changes) {
      char* const at = &damaged.bytes[random() % damaged.bytes.size()];
      *at = static_cast<char>(random() % 3 == 0 ? 0xff : random());
    }
    Received received(damaged);
    if (received.plan.start.steps_size > message->bytes.size() - sizeof(drover_start)) {
      ++refused;  // plan_receive compares it with the size of the datagram
      continue;
    }
    if (plan_check(&received.plan) != 0) {
      ++refused;
      continue;
    }
    const char* const end = received.plan.steps + received.plan.start.steps_size;
    for (const drover_step* step = plan_next(&received.plan, nullptr); step;
         step = plan_next(&received.plan, step)) {
      ASSERT_LE(reinterpret_cast<const char*>(step) + step->size, end);
      if (step->kind != DROVER_STEP_EXEC) continue;
      const auto* exec = reinterpret_cast<const drover_step_exec*>(step);
      for (std::uint32_t i = 0; i < exec->argc; ++i)
        ASSERT_LT(plan_argv(exec)[i] + std::strlen(plan_argv(exec)[i]), end);
      for (std::uint32_t i = 0; i < exec->envc; ++i)
        ASSERT_LT(plan_envp(exec)[i] + std::strlen(plan_envp(exec)[i]), end);
    }
  }
  EXPECT_GT(refused, 500);
}

}  // namespace
}  // namespace drover
