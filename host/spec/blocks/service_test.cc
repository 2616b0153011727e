// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/service.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

const ServiceOwner kOwner = {"web", "cache", "redis"};
const ServiceOwner kGroupOwner = {"web", "cache", ""};

TEST(ServiceTest, NamesAreThoseOfTheJson) {
  EXPECT_EQ(ServiceProviderName(ServiceProvider::kConsul), "consul");
  EXPECT_EQ(ServiceProviderName(ServiceProvider::kBuiltin), "nomad");
  EXPECT_EQ(AddressModeName(AddressMode::kAllocIpv6), "alloc_ipv6");
  EXPECT_EQ(OnUpdateName(OnUpdate::kRequireHealthy), "require_healthy");
  EXPECT_EQ(CheckTypeName(CheckType::kScript), "script");
  EXPECT_EQ(InitialStatusName(InitialStatus::kNone), "");
  EXPECT_EQ(InitialStatusName(InitialStatus::kWarning), "warning");
}

TEST(ServiceTest, AServiceWithoutANameHasThatOfItsOwner) {
  EXPECT_EQ(DefaultServiceName(kOwner), "web-cache-redis");
  EXPECT_EQ(DefaultServiceName(kGroupOwner), "web-cache");
}

TEST(ServiceTest, VariablesThatTheJobDecidesAreReplaced) {
  EXPECT_EQ(ResolvedServiceName("${JOB}-${TASKGROUP}-${TASK}", kOwner), "web-cache-redis");
  EXPECT_EQ(ResolvedServiceName("a-${BASE}", kOwner), "a-web-cache-redis");
  EXPECT_EQ(ResolvedServiceName("${TASK}", kGroupOwner), "group");
  EXPECT_EQ(ResolvedServiceName("${BASE}", kGroupOwner), "web-cache-group");
  EXPECT_EQ(ResolvedServiceName("${NOMAD_DC}-${JOB}", kOwner), "${NOMAD_DC}-web");
  EXPECT_EQ(ResolvedServiceName("plain", kOwner), "plain");
  EXPECT_EQ(ResolvedServiceName("${JOB", kOwner), "${JOB");
  EXPECT_EQ(ResolvedServiceName("", kOwner), "");
}

// Otherwise a job that is stored and read again would change.
TEST(ServiceTest, ASecondReplacementChangesNothing) {
  const ServiceOwner hostile[] = {
      {"${TASK}", "g", "t"}, {"a$", "{JOB}", "t"}, {"{TASK}", "g", "t"}, {"j", "${BASE}", "x}"}};
  for (const ServiceOwner& owner : hostile) {
    for (const char* name :
         {"${JOB}", "$${JOB}", "${JOB}{TASK}", "${BASE}", "${TASKGROUP}${TASK}"}) {
      const std::string once = ResolvedServiceName(name, owner);
      EXPECT_EQ(ResolvedServiceName(once, owner), once) << name << " of " << owner.job;
    }
  }
}

TEST(ServiceTest, ALongNameDoesNotBecomeLonger) {
  std::string many;
  for (int i = 0; i < 1000; ++i) many += "${BASE}";
  EXPECT_EQ(ResolvedServiceName(many, kOwner), many);
  const ServiceOwner large = {std::string(1 << 20, 'x'), "g", "t"};
  EXPECT_EQ(ResolvedServiceName("${JOB}", large), "${JOB}");
}

TEST(ServiceTest, ACheckHasWhatItsServiceHas) {
  Service service;
  service.port_label = "http";
  service.task = "t";
  ServiceCheck check;
  EXPECT_EQ(PortLabelOf(service, check), "http");
  EXPECT_EQ(TaskOfCheck(service, check), "t");
  EXPECT_EQ(AddressModeOf(service, check), AddressMode::kHost);
  service.address = "10.0.0.1";
  EXPECT_EQ(AddressModeOf(service, check), AddressMode::kAuto);
  check.port_label = "admin";
  check.task = "u";
  check.address_mode = AddressMode::kAlloc;
  EXPECT_EQ(PortLabelOf(service, check), "admin");
  EXPECT_EQ(TaskOfCheck(service, check), "u");
  EXPECT_EQ(AddressModeOf(service, check), AddressMode::kAlloc);
  EXPECT_TRUE(NeedsPort(CheckType::kTcp));
  EXPECT_TRUE(NeedsPort(CheckType::kHttp));
  EXPECT_FALSE(NeedsPort(CheckType::kScript));
}

}  // namespace
}  // namespace drover
