// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/services/for_consul.h"

#include <gtest/gtest.h>

#include <memory>

#include "host/spec/job_limits.h"

namespace drover {
namespace {

class ForConsulTest : public ::testing::Test {
 protected:
  ForConsulTest() {
    auto job = std::make_shared<Job>();
    job->id = job->name = "shop";
    job->groups.resize(1);
    job->groups[0].name = "g";
    alloc_.id = "a";
    alloc_.job = job;
    alloc_.group_name = "g";
    AllocatedPort port;
    port.label = "http";
    port.value = 20001;
    port.host_ip = "10.0.0.1";
    alloc_.ports = {port};
    service_.name = "${NOMAD_JOB_NAME}-api";
    service_.port_label = "http";
    service_.provider = ServiceProvider::kConsul;
  }

  ServiceCheck& AddCheck(CheckType type) {
    ServiceCheck& check = service_.checks.emplace_back();
    check.type = type;
    return check;
  }
  Result<ForConsul> Make(bool canary = false) {
    TaskEnvInput input;
    input.node = &node_;
    input.alloc = &alloc_;
    const Result<TaskEnv> env = TaskEnv::Build(input);
    EXPECT_TRUE(env.ok());
    ServiceAddressSource source;
    source.alloc = &alloc_;
    source.node_ip = "10.0.0.9";
    return MakeForConsul(service_, "id", *env, source, canary);
  }

  NodeInfo node_;
  Allocation alloc_;
  Service service_;
};

TEST_F(ForConsulTest, AllVariablesAreReplaced) {
  service_.meta["of"] = "${NOMAD_JOB_NAME}";
  service_.tagged_addresses["lan"] = "${NOMAD_JOB_NAME}.example:80";
  ServiceCheck& check = AddCheck(CheckType::kHttp);
  check.path = "/${NOMAD_JOB_NAME}";
  check.header["X-Job"] = {"${NOMAD_JOB_NAME}"};
  const Result<ForConsul> made = Make();
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(made->id, "id");
  EXPECT_EQ(made->service.name, "shop-api");
  EXPECT_EQ(made->service.meta.at("of"), "shop");
  EXPECT_EQ(made->service.tagged_addresses.at("lan"), "shop.example:80");
  const ServiceCheck& replaced = made->service.checks.at(0);
  EXPECT_EQ(replaced.name, "service: \"shop-api\" check");
  EXPECT_EQ(replaced.path, "/shop");
  EXPECT_EQ(replaced.header.at("X-Job").at(0), "shop");
}

TEST_F(ForConsulTest, ChecksHaveThePortOfTheServiceOrTheirOwn) {
  AddCheck(CheckType::kTcp);
  AddCheck(CheckType::kTcp).port_label = "8080";
  AddCheck(CheckType::kScript);
  const Result<ForConsul> made = Make();
  ASSERT_TRUE(made.ok()) << made.error().message();
  ASSERT_EQ(made->places.size(), 3u);
  EXPECT_EQ(made->places[0], (ServiceAddress{"10.0.0.1", 20001}));
  EXPECT_EQ(made->places[1], (ServiceAddress{"10.0.0.9", 8080}));
  EXPECT_EQ(made->places[2], ServiceAddress());
}

TEST_F(ForConsulTest, ACheckWithoutAPortIsAnError) {
  service_.port_label.clear();
  AddCheck(CheckType::kTcp).name = "up";
  const Result<ForConsul> made = Make();
  ASSERT_FALSE(made.ok());
  EXPECT_NE(made.error().message().find("check \"up\""), std::string::npos);
}

TEST_F(ForConsulTest, TheTimesOfChecksCanBeAdded) {
  ServiceCheck& check = AddCheck(CheckType::kScript);
  check.interval = check.timeout = Duration::max();
  const Result<ForConsul> made = Make();
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(made->service.checks.at(0).interval, kLongestOfJob);
  EXPECT_EQ(made->service.checks.at(0).timeout, kLongestOfJob);
}

TEST_F(ForConsulTest, ACanaryHasItsOwnMetadata) {
  service_.meta["kind"] = "live";
  service_.canary_meta["kind"] = "canary";
  EXPECT_EQ(Make(false)->service.meta.at("kind"), "live");
  EXPECT_EQ(Make(true)->service.meta.at("kind"), "canary");
}

TEST_F(ForConsulTest, TextsThatBecomeTooLongAreAnError) {
  service_.meta["long"] = std::string(100'000, 'x');
  EXPECT_FALSE(Make().ok());
}

}  // namespace
}  // namespace drover
