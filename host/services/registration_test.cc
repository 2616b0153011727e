// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/services/registration.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>

namespace drover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

class RegistrationTest : public testing::Test {
 protected:
  RegistrationTest() {
    info_.id = "node-id";
    info_.datacenter = "dc7";
    info_.meta = {{"rack", "r1"}};
    node_.info = &info_;
    node_.ip = "10.0.0.9";
    job_->id = job_->name = "shop";
    job_->job_namespace = "team";
    job_->groups.resize(1);
    group().name = "g";
    group().meta = {{"color", "blue"}};
    group().networks.resize(1);
    group().tasks.resize(1);
    task().name = "web";
    alloc_.id = "11111111-2222-3333-4444-555555555555";
    alloc_.job = job_;
    alloc_.group_name = "g";
    alloc_.ports = {{"http", 20001, 80, "10.0.0.1"}};
  }
  TaskGroup& group() { return job_->groups[0]; }
  Task& task() { return group().tasks[0]; }
  static Service& Add(std::vector<Service>* to, const std::string& name) {
    Service& service = to->emplace_back();
    service.name = name;
    service.provider = ServiceProvider::kBuiltin;
    service.port_label = "http";
    return service;
  }
  Registrations OfGroup() { return RegistrationsOfGroup(node_, alloc_); }
  Registrations OfTask(const ServiceRun& run = {}) {
    return RegistrationsOfTask(node_, alloc_, task(), run);
  }
  // Returns the only error of the group's only service.
  std::string Fault() {
    const Registrations made = OfGroup();
    EXPECT_THAT(made.all, IsEmpty());
    EXPECT_THAT(made.errors, SizeIs(1));
    return made.errors.empty() ? "" : made.errors[0].message();
  }

  NodeInfo info_;
  ServiceNode node_;
  std::shared_ptr<Job> job_ = std::make_shared<Job>();
  Allocation alloc_;
};

TEST_F(RegistrationTest, OfTheGroup) {
  Add(&group().services, "api-${NOMAD_META_color}").tags = {"${meta.rack}", "v${NOMAD_JOB_ID}"};
  const Registrations made = OfGroup();
  EXPECT_THAT(made.errors, IsEmpty());
  ASSERT_THAT(made.all, SizeIs(1));
  const ServiceRegistration& one = made.all[0];
  EXPECT_EQ(one.id, "_nomad-task-11111111-2222-3333-4444-555555555555-group-g-api-blue-http");
  EXPECT_EQ(one.name, "api-blue");
  EXPECT_EQ(one.service_namespace, "team");
  EXPECT_EQ(one.node_id, "node-id");
  EXPECT_EQ(one.datacenter, "dc7");
  EXPECT_EQ(one.job_id, "shop");
  EXPECT_EQ(one.alloc_id, alloc_.id);
  EXPECT_THAT(one.tags, ElementsAre("r1", "vshop"));
  EXPECT_EQ(one.address, "10.0.0.1");
  EXPECT_EQ(one.port, 20001);
}

TEST_F(RegistrationTest, OfATaskWithTheEnvironmentOfItsRun) {
  Add(&task().services, "${NOMAD_TASK_NAME}").tags = {"${FROM_A_HOOK}", "${NOMAD_PORT_http}"};
  TaskConfig config;
  config.env = {{"FROM_A_HOOK", "x"}, {"NOMAD_PORT_http", "81"}};
  const Registrations made = OfTask({&config, nullptr});
  EXPECT_THAT(made.errors, IsEmpty());
  ASSERT_THAT(made.all, SizeIs(1));
  EXPECT_EQ(made.all[0].id, "_nomad-task-11111111-2222-3333-4444-555555555555-web-web-http");
  EXPECT_THAT(made.all[0].tags, ElementsAre("x", "81"));
}

TEST_F(RegistrationTest, OfATaskWhoseDriverHasANetwork) {
  Add(&task().services, "web");
  DriverNetwork network;
  network.ip = "172.17.0.2";
  network.auto_advertise = true;
  const Registrations made = OfTask({nullptr, &network});
  ASSERT_THAT(made.all, SizeIs(1));
  EXPECT_EQ(made.all[0].address, "172.17.0.2");
  EXPECT_EQ(made.all[0].port, 80);
}

TEST_F(RegistrationTest, TheIdBeginsWithWhatItsOwnerHasInCommon) {
  EXPECT_EQ(RegistrationId(alloc_, "", "api", "http"),
            RegistrationIdPrefix(alloc_, "") + "api-http");
  EXPECT_EQ(RegistrationId(alloc_, "web", "api", ""), RegistrationIdPrefix(alloc_, "web") + "api-");
}

TEST_F(RegistrationTest, OnlyOfThisAgent) {
  Add(&group().services, "here");
  Add(&group().services, "consul").provider = ServiceProvider::kConsul;
  Add(&group().services, "default").provider.reset();
  EXPECT_THAT(OfGroup().all, SizeIs(1));
  node_.policy.consul_is_builtin = true;
  EXPECT_THAT(OfGroup().all, SizeIs(3));
  EXPECT_TRUE(RegistersAny(node_, group().services));
  node_.policy = ServicePolicy();
  group().services.erase(group().services.begin());
  EXPECT_THAT(OfGroup().all, IsEmpty());
  EXPECT_FALSE(RegistersAny(node_, group().services));
}

TEST_F(RegistrationTest, ACanaryHasItsOwnTags) {
  Service& service = Add(&group().services, "api");
  service.tags = {"live"};
  alloc_.canary = true;
  EXPECT_THAT(OfGroup().all.at(0).tags, ElementsAre("live"));
  service.canary_tags = {"canary"};
  EXPECT_THAT(OfGroup().all.at(0).tags, ElementsAre("canary"));
  alloc_.canary = false;
  EXPECT_THAT(OfGroup().all.at(0).tags, ElementsAre("live"));
}

TEST_F(RegistrationTest, AValueWithoutAValueIsAnError) {
  Service& service = Add(&group().services, "api");
  service.tags = {"ok", "${NOMAD_TASK_NAME}"};
  EXPECT_EQ(Fault(),
            "service \"api\": its tag \"${NOMAD_TASK_NAME}\" has the variable "
            "\"${NOMAD_TASK_NAME}\", which has no value");
  service.tags = {"a ${ meta.nope } b"};
  EXPECT_THAT(Fault(), HasSubstr("the variable \"${ meta.nope }\""));
  service.tags = {};
  service.port_label = "${NOMAD_META_port}";
  EXPECT_EQ(Fault(), "service \"api\": \"${NOMAD_META_port}\" has a variable without a value");
  service.port_label = "http";
  service.address = "${attr.nope}";
  EXPECT_EQ(Fault(), "service \"api\": \"${attr.nope}\" has a variable without a value");
  service.address = "";
  service.name = "api-${NOMAD_META_nope}";
  EXPECT_THAT(Fault(), HasSubstr("its name becomes \"api-${NOMAD_META_nope}\""));
}

TEST_F(RegistrationTest, ATagMayHoldVariablesOfOthers) {
  Add(&group().services, "api").tags = {"replacement=https://a/${1}", "${", "$HOME"};
  EXPECT_THAT(OfGroup().all.at(0).tags, ElementsAre("replacement=https://a/${1}", "${", "$HOME"));
}

TEST_F(RegistrationTest, ANameMustBeOneAfterItsVariablesAreReplaced) {
  Service& service = Add(&group().services, "api-${NOMAD_META_color}");
  for (const char* value : {"a b", "-", "ab-", "\xc3\xa4"}) {
    group().meta["color"] = value;
    EXPECT_THAT(Fault(), HasSubstr("its name becomes")) << value;
  }
  group().meta["color"] = std::string(60, 'x');
  EXPECT_THAT(Fault(), HasSubstr("its name becomes"));
  service.name = "x${NOMAD_META_color}";
  EXPECT_THAT(OfGroup().errors, IsEmpty());
}

TEST_F(RegistrationTest, ItsSizeIsBounded) {
  group().meta["long"] = std::string(1000, 'x');
  Service& service = Add(&group().services, "api");
  service.tags.assign(200, "${NOMAD_META_long}");
  EXPECT_THAT(Fault(), HasSubstr("more than 16384 bytes"));
  service.tags.clear();
  service.address = "${NOMAD_META_long}";
  EXPECT_THAT(Fault(), HasSubstr("its address is too long"));
}

TEST_F(RegistrationTest, AServiceIsWholeOrAbsent) {
  Add(&group().services, "good");
  Add(&group().services, "bad").port_label = "nope";
  Add(&group().services, "${NOMAD_GROUP_NAME}ood");
  const Registrations made = OfGroup();
  ASSERT_THAT(made.all, SizeIs(1));
  EXPECT_EQ(made.all[0].name, "good");
  ASSERT_THAT(made.errors, SizeIs(2));
  EXPECT_EQ(made.errors[0].message(),
            "service \"bad\": invalid port \"nope\": port label not found");
  EXPECT_THAT(made.errors[1].message(), HasSubstr("another service has the same name and port"));
}

}  // namespace
}  // namespace drover
