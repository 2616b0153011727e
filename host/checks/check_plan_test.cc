// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/check_plan.h"

#include <gtest/gtest.h>

#include <cstddef>
#include <functional>
#include <set>

namespace drover {
namespace {

class CheckPlanTest : public testing::Test {
 protected:
  CheckPlanTest() {
    job_.id = job_.name = "job";
    job_.groups.resize(1);
    group().name = "group";
    group().tasks.resize(1);
    group().tasks[0].name = "web";
    service_.name = "api";
    service_.port_label = "http";
    check_.type = CheckType::kHttp;
    check_.path = "/";
    check_.interval = 10s;
    check_.timeout = 2s;
    alloc_.id = "id";
    alloc_.name = "job.group[0]";
    alloc_.group_name = "group";
    alloc_.ports.push_back({"http", 20001, 80, "10.0.0.1"});
  }
  TaskGroup& group() { return job_.groups[0]; }

  std::vector<CheckPlan> Plans() {
    alloc_.job = std::make_shared<const Job>(job_);
    const auto ours = [](const Service& service) {
      return service.provider != ServiceProvider::kConsul;
    };
    return MakeCheckPlans(alloc_, ours, [](const Task* task, const std::string& text) {
      return (task == nullptr ? std::string("group") : task->name) + "(" + text + ")";
    });
  }
  CheckPlan Plan() {
    service_.checks = {check_};
    group().services = {service_};
    const std::vector<CheckPlan> plans = Plans();
    EXPECT_EQ(plans.size(), 1u);
    return plans.empty() ? CheckPlan() : plans[0];
  }

  Job job_;
  Service service_;
  ServiceCheck check_;
  Allocation alloc_;
};

TEST_F(CheckPlanTest, NamesAndPlaceAreThoseOfTheService) {
  const CheckPlan plan = Plan();
  EXPECT_EQ(plan.alloc_name, "job.group[0]");
  EXPECT_EQ(plan.service, "api");
  EXPECT_EQ(plan.check.name, "service: \"api\" check");
  EXPECT_EQ(plan.task, "");
  EXPECT_EQ(plan.host, "10.0.0.1");
  EXPECT_EQ(plan.port, 20001);
  EXPECT_EQ(plan.fault, "");
  EXPECT_FALSE(plan.readiness());
}

TEST_F(CheckPlanTest, TheIdStaysTheSameAndDiffersForOthers) {
  const CheckPlan plan = Plan();
  EXPECT_EQ(plan.id.size(), 40u);
  EXPECT_EQ(plan.id.find_first_not_of("0123456789abcdef"), std::string::npos);
  EXPECT_EQ(Plan().id, plan.id);
  check_.interval = 20s;
  EXPECT_EQ(Plan().id, plan.id);
  EXPECT_NE(Plan(), plan) << "but it is asked anew";
  check_.path = "/other";
  EXPECT_NE(Plan().id, plan.id);
  check_.path = "/";
  alloc_.id = "other";
  EXPECT_NE(Plan().id, plan.id);
}

TEST_F(CheckPlanTest, TheIdIsThatOfOneServiceOfOneOwner) {
  check_.name = "up";
  const std::string id = Plan().id;
  service_.name = "other";
  EXPECT_NE(Plan().id, id);
  service_.name = "api";
  EXPECT_EQ(Plan().id, id);
  group().services.clear();
  group().tasks[0].services = {service_};
  const std::vector<CheckPlan> of_task = Plans();
  ASSERT_EQ(of_task.size(), 1u);
  EXPECT_NE(of_task[0].id, id);
  group().tasks[0].services.clear();
  group().name = alloc_.group_name = "another";
  EXPECT_NE(Plan().id, id);
}

TEST_F(CheckPlanTest, VariablesHaveTheValuesOfTheOwner) {
  check_.path = "/${X}";
  check_.header["A"] = {"${Y}", "z"};
  const CheckPlan of_group = Plan();
  EXPECT_EQ(of_group.check.path, "group(/${X})");
  EXPECT_EQ(of_group.check.header.at("A"), (std::vector<std::string>{"group(${Y})", "z"}));
  group().services.clear();
  group().tasks[0].services = {service_};
  const std::vector<CheckPlan> plans = Plans();
  ASSERT_EQ(plans.size(), 1u);
  EXPECT_EQ(plans[0].check.path, "web(/${X})");
  EXPECT_EQ(plans[0].task, "web");
}

TEST_F(CheckPlanTest, AddressModesChooseTheAddress) {
  check_.address_mode = AddressMode::kAlloc;
  EXPECT_EQ(Plan().fault,
            "cannot use address_mode=\"alloc\": no allocation network status reported");
  alloc_.network = AllocationNetwork{"eth0", "172.16.0.2", "fd00::2"};
  EXPECT_EQ(Plan().host, "172.16.0.2");
  EXPECT_EQ(Plan().port, 80);
  check_.address_mode = AddressMode::kAllocIpv6;
  EXPECT_EQ(Plan().host, "fd00::2");
  check_.address_mode.reset();
  service_.address = "db.example";
  EXPECT_EQ(Plan().host, "db.example");
  EXPECT_EQ(Plan().port, 20001);
  check_.port_label = "9000";
  EXPECT_EQ(Plan().port, 9000);
  check_.port_label = "admin";
  EXPECT_EQ(Plan().fault, "invalid port \"admin\": port label not found");
}

TEST_F(CheckPlanTest, AnAddressThatTheNetworkDoesNotHaveIsAFault) {
  alloc_.network = AllocationNetwork{"eth0", "172.16.0.2", ""};
  check_.address_mode = AddressMode::kAllocIpv6;
  EXPECT_EQ(Plan().fault,
            "cannot use address_mode=\"alloc_ipv6\": the allocation's network has no such address");
}

TEST_F(CheckPlanTest, AServiceOfTheGroupMayHaveAPortOfOneTask) {
  alloc_.ports.push_back({"db", 20002, 0, "10.0.0.1", "web"});
  service_.port_label = "db";
  EXPECT_EQ(Plan().fault, "");
  EXPECT_EQ(Plan().port, 20002);
  check_.port_label = "http";
  EXPECT_EQ(Plan().port, 20001);
}

TEST_F(CheckPlanTest, ScriptsNeedNoPortButATask) {
  check_.type = CheckType::kScript;
  check_.command = "${NOMAD_TASK_DIR}/check";
  check_.task = "web";
  service_.port_label.clear();
  check_.args = {"${X}", "-v"};
  const CheckPlan plan = Plan();
  EXPECT_EQ(plan.fault, "");
  EXPECT_EQ(plan.check.task, "web");
  EXPECT_EQ(plan.check.command, "${NOMAD_TASK_DIR}/check")
      << "the runner of the task knows the value";
  EXPECT_EQ(plan.check.args, check_.args);
  check_.type = CheckType::kGrpc;
  EXPECT_EQ(Plan().fault, "checks of the type grpc are not supported");
}

TEST_F(CheckPlanTest, AScriptOfTheGroupGetsItsVariablesFromItsTask) {
  check_.type = CheckType::kScript;
  check_.name = "${N}";
  check_.command = "${C}";
  check_.args = {"${A}"};
  service_.task = "web";
  const CheckPlan plan = Plan();
  EXPECT_EQ(plan.check.name, "group(${N})");
  EXPECT_EQ(plan.check.task, "web") << "its runner replaces the others";
  EXPECT_EQ(plan.check.command, "${C}");
  EXPECT_EQ(plan.check.args, std::vector<std::string>{"${A}"});
}

TEST_F(CheckPlanTest, OnlyOurServicesCount) {
  service_.checks = {check_};
  Service other = service_;
  other.provider = ServiceProvider::kConsul;
  group().services = {service_, other};
  EXPECT_EQ(Plans().size(), 1u);
}

TEST_F(CheckPlanTest, NoCheckIsTakenForAnother) {
  check_.name = "same";
  const std::function<void(ServiceCheck*)> changes[] = {
      [](ServiceCheck*) {},
      [](ServiceCheck* check) { check->interval = 20s; },
      [](ServiceCheck* check) { check->body = "{}"; },
      [](ServiceCheck* check) { check->header["Host"] = {"a", "b"}; },
      [](ServiceCheck* check) { check->header["Host"] = {"a"}; },
      [](ServiceCheck* check) { check->address_mode = AddressMode::kHost; },
      [](ServiceCheck* check) { check->type = CheckType::kTcp; },
      [](ServiceCheck* check) { check->type = CheckType::kScript; },
      [](ServiceCheck* check) {
        check->type = CheckType::kScript;
        check->args = {"-v"};
      },
      [](ServiceCheck* check) {
        check->type = CheckType::kScript;
        check->task = "web";
      }};
  for (const auto& change : changes) {
    service_.checks.push_back(check_);
    change(&service_.checks.back());
  }
  group().services = {service_};
  const std::vector<CheckPlan> plans = Plans();
  ASSERT_EQ(plans.size(), service_.checks.size());
  std::set<std::string> ids;
  for (std::size_t i = 0; i < plans.size(); ++i) {
    EXPECT_TRUE(ids.insert(plans[i].id).second) << i;
    EXPECT_EQ(plans[i].namesake, static_cast<int>(i));
  }
  EXPECT_EQ(Plans(), plans) << "the ids stay the same";
}

TEST_F(CheckPlanTest, ValuesOfAStoredJobAreBounded) {
  check_.interval = 0s;
  check_.timeout = Duration::max();
  EXPECT_EQ(Plan().check.interval, 1s);
  EXPECT_LT(Plan().check.timeout, Duration::max());
}

}  // namespace
}  // namespace drover
