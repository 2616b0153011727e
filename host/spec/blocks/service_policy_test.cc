// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/service_policy.h"

#include <gtest/gtest.h>

#include <optional>
#include <utility>
#include <vector>

namespace drover {
namespace {

using Provider = std::optional<ServiceProvider>;

const ServicePolicy kNoConsul = {};
const ServicePolicy kWithConsul = {.consul_configured = true};
const ServicePolicy kConsulIsHere = {.consul_is_builtin = true};
const ServicePolicy kAllHere = {.consul_is_builtin = true,
                                .default_provider = ServiceProvider::kBuiltin};

Service OfProvider(Provider provider) {
  Service service;
  service.name = "web";
  service.provider = provider;
  return service;
}

// A job whose group has two services, and whose task has one.
Job JobOf(Provider first, Provider second, Provider of_task) {
  Job job;
  TaskGroup& group = job.groups.emplace_back();
  group.services = {OfProvider(first), OfProvider(second)};
  group.tasks.emplace_back().services = {OfProvider(of_task)};
  return job;
}

struct Applied {
  Job job;
  std::vector<JobFault> faults;
  std::vector<JobFault> warnings;
};

Applied Apply(const ServicePolicy& policy, Job job) {
  JobFaults faults, warnings;
  ApplyServicePolicy(policy, "/Job", &job, &faults, &warnings);
  return {std::move(job), faults.Take(), warnings.Take()};
}

TEST(ServicePolicyTest, TheRegistryIsThatOfTheProvider) {
  using enum ServiceProvider;
  for (const ServicePolicy& policy : {kNoConsul, kWithConsul}) {
    EXPECT_EQ(RegistryOf(policy, OfProvider(kBuiltin)), kBuiltin);
    EXPECT_EQ(RegistryOf(policy, OfProvider(kConsul)), kConsul);
    EXPECT_EQ(RegistryOf(policy, OfProvider(std::nullopt)), kConsul);
  }
  for (const Provider provider : {Provider(kBuiltin), Provider(kConsul), Provider()}) {
    EXPECT_EQ(RegistryOf(kConsulIsHere, OfProvider(provider)), kBuiltin);
    EXPECT_EQ(RegistryOf(kAllHere, OfProvider(provider)), kBuiltin);
  }
  const ServicePolicy by_default = {.consul_configured = true, .default_provider = kBuiltin};
  EXPECT_EQ(RegistryOf(by_default, OfProvider(std::nullopt)), kBuiltin);
  EXPECT_EQ(RegistryOf(by_default, OfProvider(kConsul)), kConsul);
}

TEST(ServicePolicyTest, AJobWithoutServicesOrOnlyWithItsOwnIsTakenEverywhere) {
  using enum ServiceProvider;
  for (const ServicePolicy& policy : {kNoConsul, kWithConsul, kConsulIsHere, kAllHere}) {
    for (const Job& job : {Job(), JobOf(kBuiltin, kBuiltin, kBuiltin)}) {
      const Applied applied = Apply(policy, job);
      EXPECT_TRUE(applied.faults.empty());
      EXPECT_TRUE(applied.warnings.empty());
      EXPECT_EQ(applied.job, job);
    }
  }
}

TEST(ServicePolicyTest, WithoutConsulTheRefusalNamesBothWaysOut) {
  using enum ServiceProvider;
  const Applied applied = Apply(kNoConsul, JobOf(kBuiltin, kConsul, kBuiltin));
  EXPECT_TRUE(applied.warnings.empty());
  ASSERT_EQ(applied.faults.size(), 1u);
  EXPECT_EQ(applied.faults[0],
            (JobFault{"/Job/TaskGroups/0/Services/1/Provider",
                      "is \"consul\", and this agent has no Consul: configure consul { address = "
                      "\"...\" }, or register such services with this agent by services { "
                      "default_provider = \"builtin\", consul = \"builtin\" }"}));
  const Applied unnamed = Apply(kNoConsul, JobOf(kBuiltin, kBuiltin, std::nullopt));
  ASSERT_EQ(unnamed.faults.size(), 1u);
  EXPECT_EQ(unnamed.faults[0].pointer, "/Job/TaskGroups/0/Tasks/0/Services/0/Provider");
  EXPECT_TRUE(unnamed.faults[0].message.starts_with("is missing, which means \"consul\", and "));
}

TEST(ServicePolicyTest, OneFaultIsForAllServices) {
  using enum ServiceProvider;
  const Applied applied = Apply(kNoConsul, JobOf(kConsul, std::nullopt, kConsul));
  ASSERT_EQ(applied.faults.size(), 1u);
  EXPECT_EQ(applied.faults[0].pointer, "/Job/TaskGroups/0/Services/0/Provider");
  EXPECT_TRUE(applied.faults[0].message.ends_with("; the job has 3 such services"));
}

TEST(ServicePolicyTest, WithConsulNothingIsSaid) {
  using enum ServiceProvider;
  const Applied applied = Apply(kWithConsul, JobOf(kConsul, std::nullopt, kBuiltin));
  EXPECT_TRUE(applied.faults.empty());
  EXPECT_TRUE(applied.warnings.empty());
  EXPECT_EQ(applied.job, JobOf(kConsul, kConsul, kBuiltin)) << "the default is written down";
}

TEST(ServicePolicyTest, AClusterThatTheAgentDoesNotHaveIsAFault) {
  using enum ServiceProvider;
  ServicePolicy policy = kWithConsul;
  policy.clusters = {"default", "east"};
  Job job = JobOf(kConsul, kConsul, kBuiltin);
  job.groups[0].services[0].cluster = "east";
  EXPECT_TRUE(Apply(policy, job).faults.empty());
  job.groups[0].services[1].cluster = "west";
  const Applied applied = Apply(policy, job);
  ASSERT_EQ(applied.faults.size(), 1u);
  EXPECT_EQ(applied.faults[0],
            (JobFault{"/Job/TaskGroups/0/Services/1/Cluster",
                      "is \"west\", and the agent has no such cluster of Consul; it has: default, "
                      "east"}));
  policy.consul_is_builtin = true;
  EXPECT_TRUE(Apply(policy, job).faults.empty()) << "the agent keeps it, whatever its cluster";
}

TEST(ServicePolicyTest, WhatIsRegisteredHereInsteadIsWarnedOf) {
  using enum ServiceProvider;
  const Applied applied = Apply(kConsulIsHere, JobOf(kBuiltin, std::nullopt, kBuiltin));
  EXPECT_TRUE(applied.faults.empty());
  ASSERT_EQ(applied.warnings.size(), 1u);
  EXPECT_EQ(applied.warnings[0],
            (JobFault{"/Job/TaskGroups/0/Services/1/Provider",
                      "is missing, which means \"consul\", but this agent registers the service "
                      "itself, since services { consul = \"builtin\" } holds"}));
  EXPECT_EQ(applied.job, JobOf(kBuiltin, kConsul, kBuiltin)) << "what it says stays";
  // An explicit wish counts also where there is a Consul.
  ServicePolicy both = kConsulIsHere;
  both.consul_configured = true;
  EXPECT_EQ(Apply(both, JobOf(kConsul, kConsul, kBuiltin)).warnings.size(), 1u);
}

TEST(ServicePolicyTest, ACheckOfConsulThatShouldRestartATaskIsWarnedOf) {
  using enum ServiceProvider;
  Job job = JobOf(kBuiltin, kConsul, kConsul);
  ServiceCheck check;
  check.check_restart = CheckRestart{.limit = 3};
  job.groups[0].services[0].checks = {check};
  job.groups[0].services[1].checks = {ServiceCheck(), check};
  check.check_restart->limit = 0;
  job.groups[0].tasks[0].services[0].checks = {check};
  const Applied applied = Apply(kWithConsul, job);
  EXPECT_TRUE(applied.faults.empty());
  ASSERT_EQ(applied.warnings.size(), 1u);
  EXPECT_EQ(applied.warnings[0],
            (JobFault{"/Job/TaskGroups/0/Services/1/Checks/1/CheckRestart",
                      "is not carried out for a check that Consul runs, so no task restarts when "
                      "it fails: use a script, or a service of the provider \"nomad\""}));
  job.groups[0].services[1].checks[1].type = CheckType::kScript;
  EXPECT_TRUE(Apply(kWithConsul, job).warnings.empty()) << "the agent runs scripts";
}

TEST(ServicePolicyTest, AServiceThatNamesNoneHasTheDefaultOfTheAgent) {
  using enum ServiceProvider;
  const Applied applied = Apply(kAllHere, JobOf(std::nullopt, kBuiltin, std::nullopt));
  EXPECT_TRUE(applied.faults.empty());
  EXPECT_TRUE(applied.warnings.empty()) << "nobody has named Consul";
  EXPECT_EQ(applied.job, JobOf(kBuiltin, kBuiltin, kBuiltin));
}

}  // namespace
}  // namespace drover
