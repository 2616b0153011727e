// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/taskenv/task_env.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace drover {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Key;
using testing::Not;
using testing::Pair;

class TaskEnvTest : public testing::Test {
 protected:
  TaskEnvTest() {
    node_.id = "node-id";
    node_.name = "node-name";
    node_.datacenter = "dc7";
    node_.region = "eu";
    node_.node_class = "big";
    node_.attributes = {{"kernel.name", "linux"}, {"cpu.arch", "amd64"}};
    node_.meta = {{"rack", "r1"}, {"a-b", "dash"}};
    job_ = std::make_shared<Job>();
    job_->id = "job-id";
    job_->name = "job name";
    job_->job_namespace = "team";
    job_->meta = {{"owner", "job"}, {"level", "job"}};
    job_->groups.resize(1);
    job_->groups[0].name = "group";
    job_->groups[0].meta = {{"level", "group"}};
    task_.name = "web";
    alloc_.id = "5a3f8b1c-0000-4000-8000-000000000000";
    alloc_.name = "job-id.group[2]";
    alloc_.index = 2;
    alloc_.group_name = "group";
    alloc_.job = job_;
    input_.node = &node_;
    input_.alloc = &alloc_;
    input_.task = &task_;
    input_.alloc_dir = "/d/a/alloc";
    input_.local_dir = "/d/a/web/local";
    input_.secrets_dir = "/d/a/web/secrets";
  }

  TaskEnv Build() {
    auto env = TaskEnv::Build(input_);
    EXPECT_TRUE(env.ok()) << (env.ok() ? "" : env.error().message());
    return std::move(*env);
  }
  StringMap Env() { return Build().env(); }

  NodeInfo node_;
  std::shared_ptr<Job> job_;
  Task task_;
  Allocation alloc_;
  TaskEnvInput input_;
};

TEST_F(TaskEnvTest, DescribesTheTask) {
  task_.resources = {.cpu_mhz = 250, .memory_mb = 64, .memory_max_mb = 128};
  job_->parent_id = "parent";
  input_.cpu_cores = "0,5-7";
  node_.cgroup_parent = "drover.slice";
  EXPECT_THAT(Env(),
              IsSupersetOf(StringMap{{"NOMAD_ALLOC_DIR", "/d/a/alloc"},
                                     {"NOMAD_TASK_DIR", "/d/a/web/local"},
                                     {"NOMAD_SECRETS_DIR", "/d/a/web/secrets"},
                                     {"NOMAD_ALLOC_ID", "5a3f8b1c-0000-4000-8000-000000000000"},
                                     {"NOMAD_SHORT_ALLOC_ID", "5a3f8b1c"},
                                     {"NOMAD_ALLOC_NAME", "job-id.group[2]"},
                                     {"NOMAD_ALLOC_INDEX", "2"},
                                     {"NOMAD_TASK_NAME", "web"},
                                     {"NOMAD_GROUP_NAME", "group"},
                                     {"NOMAD_JOB_ID", "job-id"},
                                     {"NOMAD_JOB_NAME", "job name"},
                                     {"NOMAD_JOB_PARENT_ID", "parent"},
                                     {"NOMAD_NAMESPACE", "team"},
                                     {"NOMAD_REGION", "eu"},
                                     {"NOMAD_DC", "dc7"},
                                     {"NOMAD_CPU_LIMIT", "250"},
                                     {"NOMAD_CPU_CORES", "0,5-7"},
                                     {"NOMAD_MEMORY_LIMIT", "64"},
                                     {"NOMAD_MEMORY_MAX_LIMIT", "128"},
                                     {"NOMAD_PARENT_CGROUP", "drover.slice"}}));
}

TEST_F(TaskEnvTest, LeavesOutWhatIsUnknownOrZero) {
  task_.resources = {.cpu_mhz = 0, .memory_mb = 0, .memory_max_mb = 0};
  alloc_.index = -1;
  const StringMap env = Env();
  for (const char* name :
       {"NOMAD_ALLOC_INDEX", "NOMAD_JOB_PARENT_ID", "NOMAD_CPU_LIMIT", "NOMAD_CPU_CORES",
        "NOMAD_MEMORY_LIMIT", "NOMAD_MEMORY_MAX_LIMIT", "NOMAD_PARENT_CGROUP", "NOMAD_UNIX_ADDR"}) {
    EXPECT_THAT(env, Not(Contains(Key(name))));
  }
}

TEST_F(TaskEnvTest, PathsAreThoseThatTheTaskSees) {
  for (const TaskRoot root : {TaskRoot::kChroot, TaskRoot::kImage}) {
    input_.root = root;
    EXPECT_THAT(Env(), IsSupersetOf(StringMap{{"NOMAD_ALLOC_DIR", "/alloc"},
                                              {"NOMAD_TASK_DIR", "/local"},
                                              {"NOMAD_SECRETS_DIR", "/secrets"}}));
  }
}

TEST_F(TaskEnvTest, MetaIsMergedAndInBothCases) {
  task_.meta = {{"level", "task"}, {"OWNER", "capitals"}, {"my-key.x", "v"}};
  EXPECT_THAT(Env(), IsSupersetOf(StringMap{{"NOMAD_META_level", "task"},
                                            {"NOMAD_META_LEVEL", "task"},
                                            {"NOMAD_META_owner", "job"},
                                            {"NOMAD_META_OWNER", "capitals"},
                                            {"NOMAD_META_my_key_x", "v"},
                                            {"NOMAD_META_MY_KEY_X", "v"}}));
}

TEST_F(TaskEnvTest, MetaIsInterpolated) {
  task_.meta = {{"${node.class}-key", "on ${node.unique.name} of ${NOMAD_JOB_ID}"}};
  EXPECT_THAT(Env(), Contains(Pair("NOMAD_META_big_key", "on node-name of job-id")));
}

TEST_F(TaskEnvTest, PortsOfTheHostAndOfTheAllocation) {
  alloc_.ports = {{"admin", 32000, 9000, "127.0.0.1"},
                  {"static", 9997, 97, "127.0.0.1"},
                  {"host_only", 9998, 0, "127.0.0.1"}};
  alloc_.network = AllocationNetwork{"eth0", "172.26.64.19", ""};
  EXPECT_THAT(Env(), IsSupersetOf(StringMap{{"NOMAD_ADDR_admin", "127.0.0.1:32000"},
                                            {"NOMAD_IP_admin", "127.0.0.1"},
                                            {"NOMAD_PORT_admin", "9000"},
                                            {"NOMAD_HOST_PORT_admin", "32000"},
                                            {"NOMAD_HOST_IP_admin", "127.0.0.1"},
                                            {"NOMAD_HOST_ADDR_admin", "127.0.0.1:32000"},
                                            {"NOMAD_ALLOC_PORT_admin", "9000"},
                                            {"NOMAD_ALLOC_IP_admin", "172.26.64.19"},
                                            {"NOMAD_ALLOC_ADDR_admin", "172.26.64.19:9000"},
                                            {"NOMAD_ALLOC_INTERFACE_admin", "eth0"},
                                            {"NOMAD_PORT_static", "97"},
                                            {"NOMAD_HOST_PORT_static", "9997"},
                                            {"NOMAD_PORT_host_only", "9998"},
                                            {"NOMAD_HOST_PORT_host_only", "9998"}}));
}

TEST_F(TaskEnvTest, PortsOfOneTask) {
  alloc_.ports = {{"http", 20001, 80, "127.0.0.1", "web"}, {"sql", 20002, 0, "::1", "db"}};
  task_.name = "web";
  const StringMap web = Env();
  EXPECT_THAT(web, IsSupersetOf(StringMap{{"NOMAD_ADDR_http", "127.0.0.1:20001"},
                                          {"NOMAD_IP_http", "127.0.0.1"},
                                          {"NOMAD_IPv4_http", "127.0.0.1"},
                                          {"NOMAD_PORT_http", "20001"},
                                          {"NOMAD_HOST_PORT_http", "20001"},
                                          {"NOMAD_ADDR_db_sql", "[::1]:20002"},
                                          {"NOMAD_IP_db_sql", "::1"},
                                          {"NOMAD_PORT_db_sql", "20002"}}));
  EXPECT_THAT(web, Not(Contains(Key("NOMAD_PORT_sql"))));
  EXPECT_THAT(web, Not(Contains(Key("NOMAD_PORT_web_http"))));
  task_.name = "db";
  const StringMap db = Env();
  EXPECT_THAT(db, IsSupersetOf(StringMap{{"NOMAD_IPv6_sql", "::1"},
                                         {"NOMAD_PORT_sql", "20002"},
                                         {"NOMAD_ADDR_web_http", "127.0.0.1:20001"}}));
  EXPECT_THAT(db, Not(Contains(Key("NOMAD_PORT_http"))));
}

TEST_F(TaskEnvTest, PortsWithoutAnOwnNetwork) {
  alloc_.ports = {{"same", 20001, -1, "::1"}, {"mapped", 20002, 80, "::1"}};
  input_.driver_ports = {{"mapped", 8080}};
  const StringMap env = Env();
  EXPECT_THAT(env, IsSupersetOf(StringMap{{"NOMAD_PORT_same", "20001"},
                                          {"NOMAD_ADDR_same", "[::1]:20001"},
                                          {"NOMAD_PORT_mapped", "8080"},
                                          {"NOMAD_HOST_PORT_mapped", "20002"}}));
  EXPECT_THAT(env, Not(Contains(Key("NOMAD_ALLOC_PORT_same"))));
}

TEST_F(TaskEnvTest, OnlySomeNamesAreCleaned) {
  alloc_.ports = {{"a-b", 1000, 0, "1.2.3.4"}};
  task_.env = {{"test-one-two", "1"}, {"test.one", "2"}, {"NOMAD_META_x-y", "3"}};
  const StringMap env = Env();
  EXPECT_THAT(env, IsSupersetOf(StringMap{{"NOMAD_ADDR_a_b", "1.2.3.4:1000"},
                                          {"NOMAD_IP_a_b", "1.2.3.4"},
                                          {"NOMAD_PORT_a_b", "1000"},
                                          {"NOMAD_HOST_PORT_a_b", "1000"},
                                          {"NOMAD_HOST_IP_a-b", "1.2.3.4"},
                                          {"NOMAD_META_x_y", "3"},
                                          {"test-one-two", "1"},
                                          {"test.one", "2"}}));
  EXPECT_THAT(env, Not(Contains(Key("NOMAD_PORT_a-b"))));
  // References work with both names.
  EXPECT_EQ(Build().Interpolate("${NOMAD_PORT_a-b} ${NOMAD_PORT_a_b}"), "1000 1000");
}

TEST_F(TaskEnvTest, LaterWins) {
  job_->meta = {{"m", "meta"}};
  input_.host_env = {{"HOST", "host"},
                     {"NOMAD_DC", "host"},
                     {"TASK", "host"},
                     {"A_TOKEN", "x"},
                     {"NOMAD_META_m", "host"}};
  task_.env = {
      {"TASK", "task"}, {"NOMAD_JOB_ID", "task"}, {"HOOK", "task"}, {"NOMAD_META_m", "task"}};
  input_.hook_env = {{{"HOOK", "first"}, {"TWO", "first"}, {"LITERAL", "${NOMAD_DC}"}},
                     {{"TWO", "second"}}};
  const StringMap env = Env();
  EXPECT_THAT(env, IsSupersetOf(StringMap{{"HOST", "host"},
                                          {"NOMAD_DC", "dc7"},
                                          {"TASK", "task"},
                                          {"NOMAD_JOB_ID", "task"},
                                          {"NOMAD_META_m", "task"},
                                          {"NOMAD_META_M", "meta"},
                                          {"HOOK", "first"},
                                          {"TWO", "second"},
                                          {"LITERAL", "${NOMAD_DC}"}}));
  EXPECT_THAT(env, Not(Contains(Key("A_TOKEN"))));
}

TEST_F(TaskEnvTest, TheHostsEnvironmentIsForThoseThatShareItsRoot) {
  const StringMap allowed = {{"PATH", "/bin"}, {"LANG", "C"}, {"LC_TIME", "C"}, {"TZ", "UTC"}};
  const StringMap others = {
      {"HOME", "/root"}, {"API_BASE", "x"}, {"http_proxy", "x"}, {"PATH2", "x"}};
  input_.host_env = allowed;
  input_.host_env.insert(others.begin(), others.end());
  EXPECT_THAT(Env(), IsSupersetOf(input_.host_env));
  input_.root = TaskRoot::kChroot;
  StringMap env = Env();
  EXPECT_THAT(env, IsSupersetOf(allowed));
  for (const auto& [name, value] : others) EXPECT_THAT(env, Not(Contains(Key(name))));
  input_.root = TaskRoot::kImage;
  env = Env();
  for (const auto& [name, value] : input_.host_env) EXPECT_THAT(env, Not(Contains(Key(name))));
}

TEST_F(TaskEnvTest, TaskVariablesAreInterpolatedFromWhatCameBefore) {
  input_.host_env = {{"PATH", "/bin"}};
  task_.env = {{"PATH", "/opt:${PATH}"},
               {"WHERE", "${NOMAD_TASK_DIR}/${attr.kernel.name}/${meta.rack}/${NOMAD_META_level}"},
               {"NAME_${node.class}", "1"},
               {"UNKNOWN", "${HOME} ${attr.nope}"},
               {"LOOP_A", "${LOOP_B}"},
               {"LOOP_B", "${LOOP_A}"}};
  EXPECT_THAT(Env(), IsSupersetOf(StringMap{{"PATH", "/opt:/bin"},
                                            {"WHERE", "/d/a/web/local/linux/r1/group"},
                                            {"NAME_big", "1"},
                                            {"UNKNOWN", "${HOME} ${attr.nope}"},
                                            {"LOOP_A", "${LOOP_B}"},
                                            {"LOOP_B", "${LOOP_A}"}}));
}

TEST_F(TaskEnvTest, TheSocketIsNamedWithAToken) {
  input_.hook_env = {{{"NOMAD_TOKEN", "t"}}};
  EXPECT_THAT(Env(), Contains(Pair("NOMAD_UNIX_ADDR", "unix:///d/a/web/secrets/api.sock")));
  input_.root = TaskRoot::kChroot;
  EXPECT_THAT(Env(), Contains(Pair("NOMAD_UNIX_ADDR", "unix:///secrets/api.sock")));
  input_.hook_env.clear();
  task_.env = {{"NOMAD_TOKEN", "of its own"}};
  EXPECT_THAT(Env(), Contains(Pair("NOMAD_UNIX_ADDR", "unix:///secrets/api.sock")));
}

TEST_F(TaskEnvTest, TaskVariablesMayNameThoseOfHooks) {
  input_.hook_env = {{{"NOMAD_TOKEN", "t"}, {"PATH", "/hook"}}};
  input_.host_env = {{"PATH", "/bin"}};
  task_.env = {{"NOMAD_ADDR", "${NOMAD_UNIX_ADDR}"},
               {"HEADER", "Bearer ${NOMAD_TOKEN}"},
               {"PATH", "/opt:${PATH}"}};
  EXPECT_THAT(Env(), IsSupersetOf(StringMap{{"NOMAD_ADDR", "unix:///d/a/web/secrets/api.sock"},
                                            {"HEADER", "Bearer t"},
                                            {"PATH", "/hook"}}));
}

TEST_F(TaskEnvTest, NamesThatCannotBeAreErrors) {
  node_.meta["eq"] = "A=B";
  task_.env = {{"${meta.eq}", "1"}};
  const auto env = TaskEnv::Build(input_);
  ASSERT_FALSE(env.ok());
  EXPECT_THAT(env.error().message(), HasSubstr("\"A=B\" cannot be the name"));
}

TEST_F(TaskEnvTest, TheSizeIsBounded) {
  task_.meta = {{"a", std::string(1000, 'x')}};
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "${NOMAD_META_a}";
  for (int i = 0; i < 10'000; ++i) task_.env["V" + std::to_string(i)] = many;  // 10 GB
  const auto env = TaskEnv::Build(input_);
  ASSERT_FALSE(env.ok());
  EXPECT_THAT(env.error().message(), HasSubstr("environment is larger than"));
}

TEST_F(TaskEnvTest, InterpolatesEveryForm) {
  task_.env = {{"MINE", "m"}};
  const TaskEnv env = Build();
  EXPECT_EQ(env.Interpolate("${node.unique.id} ${node.unique.name} ${node.datacenter} "
                            "${node.region} ${node.class} ${node.pool}"),
            "node-id node-name dc7 eu big default");
  EXPECT_EQ(env.Interpolate("${attr.cpu.arch} ${node.attr.cpu.arch} ${meta.rack} "
                            "${node.meta.rack} ${meta.a-b} ${NOMAD_JOB_ID} ${MINE}"),
            "amd64 amd64 r1 r1 dash job-id m");
  // ${meta.KEY} does not find the job's meta, and env["X"] is for drivers only.
  EXPECT_EQ(env.Interpolate("${meta.level} ${env[\"MINE\"]} ${secret.a.b} ${node.nope}"),
            "${meta.level} ${env[\"MINE\"]} ${secret.a.b} ${node.nope}");
}

TEST_F(TaskEnvTest, StrictFormsAndErrors) {
  task_.env = {{"a.b", "dotted"}};
  const TaskEnv env = Build();
  EXPECT_EQ(*env.InterpolateStrict("${env[\"NOMAD_JOB_ID\"]} ${env[\"a.b\"]} ${a.b} "
                                   "${attr[\"cpu.arch\"]} ${node.meta[\"rack\"]}"),
            "job-id dotted dotted amd64 r1");
  for (const std::string text : {"${nope}", "${env[\"nope\"]}", "${env[\"attr.cpu.arch\"]}",
                                 "${meta.nope}", "${env[]}", "${env[\"\"]}", "${env}"}) {
    const auto result = env.InterpolateStrict("x" + text);
    ASSERT_FALSE(result.ok()) << text;
    EXPECT_THAT(result.error().message(), HasSubstr("is not known to this task"));
  }
}

TEST_F(TaskEnvTest, TheWholeGroupHasNoVariablesOfOneTask) {
  alloc_.ports = {{"http", 20001, 80, "10.0.0.1"}, {"own", 20002, 0, "10.0.0.1", "web"}};
  input_.task = nullptr;
  input_.host_env = {{"HOME", "/root"}};
  const TaskEnv env = Build();
  EXPECT_THAT(env.env(), IsSupersetOf(StringMap{{"NOMAD_GROUP_NAME", "group"},
                                                {"NOMAD_META_LEVEL", "group"},
                                                {"NOMAD_HOST_PORT_http", "20001"},
                                                {"NOMAD_PORT_web_own", "20002"}}));
  for (const char* name : {"NOMAD_TASK_NAME", "NOMAD_TASK_DIR", "NOMAD_CPU_LIMIT", "HOME"}) {
    EXPECT_FALSE(env.env().contains(name)) << name;
  }
  EXPECT_EQ(env.Interpolate("${NOMAD_JOB_ID} ${node.class} ${NOMAD_TASK_NAME}"),
            "job-id big ${NOMAD_TASK_NAME}");
}

TEST_F(TaskEnvTest, InterpolatesConfigs) {
  node_.meta["quote"] = "a\",\"b";
  const TaskEnv env = Build();
  const auto config = env.InterpolateConfig(
      R"({"command": "/bin/${attr.cpu.arch}", "args": ["${meta.quote}", 1, true, null, ["$${X}"]],
          "labels": [{"k_${node.class}": "${NOMAD_TASK_DIR}"}]})",
      true);
  ASSERT_TRUE(config.ok()) << config.error().message();
  EXPECT_EQ(*config, R"({"args":["a\",\"b",1,true,null,["${X}"]],"command":"/bin/amd64",)"
                     R"("labels":[{"k_big":"/d/a/web/local"}]})");
}

TEST_F(TaskEnvTest, ErrorsInConfigsNameThePlace) {
  const TaskEnv env = Build();
  auto config = env.InterpolateConfig(R"({"a/b": [1, "${nope}"]})", true);
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message(), HasSubstr("/a~1b/1: \"${nope}\" is not known"));
  config = env.InterpolateConfig(R"({"${nope}": "${NOMAD_JOB_ID}"})", false);
  EXPECT_EQ(*config, R"({"${nope}":"job-id"})");
  EXPECT_FALSE(env.InterpolateConfig(R"({"${node.class}": 1, "big": 2})", true).ok());
  EXPECT_FALSE(env.InterpolateConfig("{", true).ok());
  EXPECT_FALSE(env.InterpolateConfig(std::string(100'000, '['), true).ok());
}

TEST_F(TaskEnvTest, ConfigsAreBounded) {
  task_.meta = {{"a", std::string(100'000, 'x')}};
  const TaskEnv env = Build();
  std::string list = "[";
  for (int i = 0; i < 100'000; ++i) list += "\"${NOMAD_META_a}\",";
  list.back() = ']';
  const auto config = env.InterpolateConfig(list, true);
  ASSERT_FALSE(config.ok());
  EXPECT_THAT(config.error().message(), HasSubstr("the configuration becomes larger"));
}

TEST_F(TaskEnvTest, TextsOfARunAreReplacedWithoutTheEnvironment) {
  task_.env = {{"GREETING", "hello"}};
  job_->meta["a-b"] = "dash";
  StringMap env;
  RunTexts texts;
  {
    const TaskEnv built = Build();
    env = built.env();
    texts = built.texts();
  }
  const std::string all =
      "${GREETING} ${NOMAD_TASK_NAME} ${node.datacenter} ${attr.cpu.arch} ${meta.rack} "
      "${NOMAD_META_A-B} ${env[\"GREETING\"]} ${attr[\"kernel.name\"]}";
  const std::string wanted = "hello web dc7 amd64 r1 dash hello linux";
  EXPECT_EQ(*texts.Interpolate(env, all, true), wanted);
  EXPECT_EQ(*texts.Interpolate(env, all, false), wanted);
  EXPECT_EQ(*Build().InterpolateStrict(all), wanted) << "the same as in a configuration";
  EXPECT_EQ(*texts.Interpolate(env, "${NONE}", false), "${NONE}");
  const Result<std::string> unknown = texts.Interpolate(env, "${NONE}", true);
  ASSERT_FALSE(unknown.ok());
  EXPECT_THAT(unknown.error().message(), HasSubstr("NONE"));
  EXPECT_EQ(*RunTexts().Interpolate(env, "${GREETING} ${node.class}", false), "hello ${node.class}")
      << "without a node";
}

TEST_F(TaskEnvTest, EnvironmentsMayShareTheValuesOfTheNode) {
  input_.node_variables = std::make_shared<const TextVariables>(NodeVariables(node_));
  EXPECT_EQ(Build().Interpolate("${node.class} ${meta.rack}"), "big r1");
}

}  // namespace
}  // namespace drover
