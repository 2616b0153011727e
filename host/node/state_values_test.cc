// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/state_values.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <list>
#include <memory>
#include <utility>
#include <vector>

#include "host/base/ids.h"
#include "host/base/listener_list.h"
#include "host/identity/aes_gcm.h"
#include "host/variables/variable_items.h"

namespace drover {
namespace {

using nlohmann::json;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

struct StateValuesTest : testing::Test {
  StateValuesTest() {
    SecretBytes bytes(kAesKeyBytes);
    RandomBytes(bytes.data(), bytes.size());
    options.store = &store;
    options.seal_key = std::make_shared<const SealKey>(std::move(bytes));
    scope.job = "web";
    scope.group = "g";
    scope.task = "t";
    // The first write of an agent is that of its node.
    store.Write(cause::kEvaluation, [](Tables*, std::uint64_t) { return MaskOf(Table::kNodes); });
  }

  void PutService(const std::string& id, const std::string& name, std::vector<std::string> tags,
                  const std::string& name_space = "default") {
    ServiceRegistration service;
    service.id = id;
    service.name = name;
    service.service_namespace = name_space;
    service.address = "10.0.0.1";
    service.port = 80;
    service.tags = std::move(tags);
    store.Write(cause::kEvaluation, [&service](Tables* tables, std::uint64_t) {
      tables->Put(std::make_shared<const ServiceRegistration>(service));
      return MaskOf(Table::kServices);
    });
  }
  void PutVariable(const std::string& path, const std::string& items) {
    VariableRecord record;
    record.name_space = "default";
    record.path = path;
    record.sealed_items = *SealItems(*options.seal_key, "default", path, items);
    store.Write(cause::kEvaluation, [&record](Tables* tables, std::uint64_t index) {
      record.modify_index = index;
      tables->Put(std::make_shared<const VariableRecord>(record));
      return MaskOf(Table::kVariables);
    });
  }
  // Watches REQUEST until the test ends. Returns where its values come.
  std::vector<json>* Watch(ValueRequest request) {
    EXPECT_TRUE(values->NameOf(scope, request).ok());
    std::vector<json>* const out = &published.emplace_back();
    const auto run = [](StateValues* of, Context within, ValueScope who, ValueRequest wanted,
                        std::vector<json>* to) -> Co<void> {
      ValueSource::Publish publish = [to](Result<json> value) {
        to->push_back(value.ok() ? *value : json("error " + value.error().message()));
      };
      co_await of->Watch(within, std::move(who), std::move(wanted), std::move(publish));
    };
    loop.Spawn(run(values.get(), context, scope, std::move(request), out));
    loop.RunReady();
    return out;
  }
  static std::vector<std::string> Ids(const json& list) {
    std::vector<std::string> ids;
    for (const json& of : list) ids.push_back(of.at("ID"));
    return ids;
  }
  void TearDown() override {
    context.Cancel();
    loop.RunReady();
  }

  SimLoop loop;
  Context context{&loop};
  StateStore store;
  StateValuesOptions options;
  ValueScope scope;
  std::list<std::vector<json>> published;
  // Made by MakeValues, so that a test can change the options before.
  std::unique_ptr<StateValues> values;
  void MakeValues() { values = std::make_unique<StateValues>(options); }
};

TEST_F(StateValuesTest, ServicesFollowTheState) {
  MakeValues();
  PutService("b", "api", {"v1"});
  PutService("other", "api", {}, "team");
  std::vector<json>* const api = Watch({"nomadService", {"api"}});
  EXPECT_THAT(Ids(api->back()), ElementsAre("b"));
  EXPECT_EQ(api->back()[0].at("Port"), 80);
  std::vector<json>* const tagged = Watch({"nomadService", {"v1.api@global"}});
  std::vector<json>* const all = Watch({"nomadServices", {}});
  PutService("a", "api", {"v2"});
  PutService("c", "db", {});
  loop.RunReady();
  EXPECT_THAT(Ids(api->back()), ElementsAre("a", "b"));
  EXPECT_THAT(Ids(tagged->back()), ElementsAre("b"));
  EXPECT_EQ(all->back(),
            json::parse(R"([{"Name": "api", "Tags": ["v1", "v2"]}, {"Name": "db", "Tags": []}])"));
  EXPECT_EQ(*Watch({"nomadService", {"none"}}), (std::vector<json>{json::array()}));
}

TEST_F(StateValuesTest, AChoiceIsSteady) {
  MakeValues();
  for (const char* id : {"a", "b", "c", "d"}) PutService(id, "api", {});
  const std::vector<json>* const two = Watch({"nomadService", {"2", "me", "api"}});
  EXPECT_EQ(two->back().size(), 2u);
  EXPECT_EQ(Ids(two->back()), Ids(Watch({"nomadService", {"2", "me", "api"}})->back()));
}

TEST_F(StateValuesTest, AVariableIsAwaitedAndFollowed) {
  MakeValues();
  std::vector<json>* const own = Watch({"nomadVar", {"nomad/jobs/web"}});
  std::vector<json>* const exists = Watch({"nomadVarExists", {"nomad/jobs/web@default"}});
  EXPECT_THAT(*own, IsEmpty());
  EXPECT_EQ(exists->back(), false);
  PutVariable("nomad/jobs/web", R"({"password": "one"})");
  loop.RunReady();
  EXPECT_EQ(own->back().at("Items"), json({{"password", "one"}}));
  EXPECT_EQ(own->back().at("Path"), "nomad/jobs/web");
  EXPECT_EQ(exists->back(), true);
  PutVariable("nomad/jobs/web", R"({"password": "two"})");
  loop.RunReady();
  EXPECT_EQ(own->back().at("Items").at("password"), "two");
}

TEST_F(StateValuesTest, ATaskHasOnlyTheVariablesOfItsIdentity) {
  MakeValues();
  for (const char* path : {"nomad/jobs", "nomad/jobs/web", "nomad/jobs/web/g/t"}) {
    EXPECT_TRUE(values->NameOf(scope, {"nomadVar", {path}}).ok()) << path;
  }
  for (const char* path :
       {"other", "nomad/jobs/db", "nomad/jobs/web/other", "nomad/jobs/web@team"}) {
    const auto name = values->NameOf(scope, {"nomadVar", {path}});
    EXPECT_EQ(name.code(), Code::kPermissionDenied) << path;
  }
  PutVariable("nomad/jobs/web", R"({"a": "1"})");
  PutVariable("nomad/jobs/db", R"({"a": "1"})");
  const json list = Watch({"nomadVarList", {"nomad/"}})->back();
  ASSERT_EQ(list.size(), 1u);
  EXPECT_EQ(list[0].at("Path"), "nomad/jobs/web");
  EXPECT_FALSE(list[0].contains("Items"));
}

TEST_F(StateValuesTest, APolicyMayGrantMore) {
  options.acl_of = [](const TaskPrincipal& task) {
    EXPECT_EQ(task.job, "web");
    return Acl::Management();
  };
  MakeValues();
  PutVariable("shared/db", R"({"a": "1"})");
  EXPECT_EQ(Watch({"nomadVar", {"shared/db"}})->back().at("Items"), json({{"a", "1"}}));
}

TEST_F(StateValuesTest, AListFollowsThePolicies) {
  bool granted = true;
  ListenerList<> policies;
  options.acl_of = [&granted](const TaskPrincipal& task) {
    return granted ? Acl::Management() : Acl::OfTask(task, {});
  };
  options.on_policies = [&policies](std::function<void()> changed) {
    return policies.Add(std::move(changed));
  };
  MakeValues();
  PutVariable("shared/db", R"({"a": "1"})");
  PutVariable("nomad/jobs/web", R"({"a": "1"})");
  const std::vector<json>* const list = Watch({"nomadVarList", {}});
  const std::vector<json>* const one = Watch({"nomadVar", {"nomad/jobs/web"}});
  EXPECT_EQ(list->back().size(), 2u);
  const std::size_t before = one->size();
  granted = false;
  policies.Call();
  loop.RunReady();
  ASSERT_EQ(list->back().size(), 1u);
  EXPECT_EQ(list->back()[0].at("Path"), "nomad/jobs/web");
  EXPECT_EQ(one->size(), before);
  PutVariable("nomad/jobs/web/g", R"({"a": "1"})");
  loop.RunReady();
  EXPECT_EQ(list->back().size(), 2u);
  context.Cancel("the end");
  loop.RunReady();
  EXPECT_TRUE(policies.empty());
}

TEST_F(StateValuesTest, EqualRequestsOfTasksAreOneValueUnlessTheirRightsDecide) {
  MakeValues();
  ValueScope other = scope;
  other.task = "u";
  const auto name = [this](const ValueScope& of, const ValueRequest& request) {
    return *values->NameOf(of, request);
  };
  EXPECT_EQ(name(scope, {"nomadService", {"api"}}), name(other, {"nomadService", {"api"}}));
  EXPECT_EQ(name(scope, {"nomadVar", {"nomad/jobs/web"}}),
            name(other, {"nomadVar", {"nomad/jobs/web@default"}}));
  EXPECT_NE(name(scope, {"nomadVarList", {}}), name(other, {"nomadVarList", {}}));
  // What a task writes into an argument must not make its request that of another task.
  EXPECT_NE(name(scope, {"nomadService", {"2\nkey\napi"}}),
            name(other, {"nomadService", {"2", "key", "api"}}));
  other.name_space = "team";
  EXPECT_NE(name(scope, {"nomadService", {"api"}}), name(other, {"nomadService", {"api"}}));
}

TEST_F(StateValuesTest, WrongArgumentsAreErrors) {
  MakeValues();
  const ValueRequest wrong[] = {{"nomadService", {}},
                                {"nomadService", {"a", "b"}},
                                {"nomadService", {"0", "key", "api"}},
                                {"nomadServices", {"a"}},
                                {"nomadVar", {}},
                                {"nomadVar", {"../a"}}};
  for (const ValueRequest& request : wrong) {
    EXPECT_EQ(values->NameOf(scope, request).code(), Code::kInvalidArgument) << request.function;
  }
}

TEST_F(StateValuesTest, AVariableOfAnotherKeyIsAnErrorWithoutItsContent) {
  MakeValues();
  PutVariable("nomad/jobs/web", R"({"password": "hunter2"})");
  SecretBytes bytes(kAesKeyBytes);
  options.seal_key = std::make_shared<const SealKey>(std::move(bytes));
  MakeValues();
  const json error = Watch({"nomadVar", {"nomad/jobs/web"}})->back();
  ASSERT_TRUE(error.is_string());
  EXPECT_THAT(error.get<std::string>(), HasSubstr("error"));
  EXPECT_THAT(error.get<std::string>(), testing::Not(HasSubstr("hunter2")));
}

}  // namespace
}  // namespace drover
