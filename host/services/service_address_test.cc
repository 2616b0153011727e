// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/services/service_address.h"

#include <gtest/gtest.h>

#include <memory>

namespace drover {
namespace {

class ServiceAddressTest : public testing::Test {
 protected:
  ServiceAddressTest() {
    job_->groups.resize(1);
    job_->groups[0].name = "g";
    job_->groups[0].networks.resize(1);
    job_->groups[0].tasks.resize(1);
    job_->groups[0].tasks[0].name = "web";
    alloc_.job = job_;
    alloc_.group_name = "g";
    alloc_.ports = {{"http", 20001, 80, "10.0.0.1"},
                    {"plain", 20002, 0, "10.0.0.1"},
                    {"own", 20003, 0, "10.0.0.2", "web"},
                    {"own", 20004, 0, "10.0.0.3", "db"}};
    source_.alloc = &alloc_;
    source_.node_ip = "10.0.0.9";
    driver_.ip = "172.17.0.2";
    driver_.port_map = {{"plain", 8080}, {"other", 9090}};
  }

  // Returns "IP PORT", or the error.
  std::string Find(AddressMode mode, const std::string& label, const std::string& own = "") {
    const Result<ServiceAddress> found = FindAddress(source_, {mode, own, label});
    if (!found.ok()) return found.error().message();
    return found->ip + " " + std::to_string(found->port);
  }

  // Returns the same of a check of a service.
  std::string FindCheck(const Service& service, const ServiceCheck& check) {
    const Result<ServiceAddress> found = FindCheckAddress(source_, service, check);
    if (!found.ok()) return found.error().message();
    return found->ip + " " + std::to_string(found->port);
  }

  std::shared_ptr<Job> job_ = std::make_shared<Job>();
  Allocation alloc_;
  DriverNetwork driver_;
  ServiceAddressSource source_;
};

TEST_F(ServiceAddressTest, OfTheHost) {
  for (const AddressMode mode : {AddressMode::kHost, AddressMode::kAuto}) {
    EXPECT_EQ(Find(mode, "http"), "10.0.0.1 20001");
    EXPECT_EQ(Find(mode, "8080"), " 8080") << "a number has no address";
    EXPECT_EQ(Find(mode, "nope"), "invalid port \"nope\": port label not found");
    EXPECT_EQ(Find(mode, "65536"), "invalid port \"65536\": a port is from 1 to 65535");
    EXPECT_EQ(Find(mode, "0"), "invalid port \"0\": a port is from 1 to 65535");
    EXPECT_EQ(Find(mode, "-1"), "invalid port \"-1\": a port is from 1 to 65535");
  }
}

TEST_F(ServiceAddressTest, OfTheOnlyNetworkWithoutALabel) {
  EXPECT_EQ(Find(AddressMode::kHost, ""), "10.0.0.1 0");
  alloc_.ports.clear();
  EXPECT_EQ(Find(AddressMode::kHost, ""), "10.0.0.9 0");
  job_->groups[0].networks.clear();
  EXPECT_EQ(Find(AddressMode::kHost, ""), " 0");
  job_->groups[0].tasks[0].networks.resize(1);
  source_.task = &job_->groups[0].tasks[0];
  EXPECT_EQ(Find(AddressMode::kHost, ""), "10.0.0.9 0");
  job_->groups[0].networks.resize(1);
  EXPECT_EQ(Find(AddressMode::kHost, ""), " 0") << "there are two";
}

TEST_F(ServiceAddressTest, OfPortsThatOneTaskHasAlone) {
  EXPECT_EQ(Find(AddressMode::kHost, "own"), "10.0.0.2 20003");
  source_.task = &job_->groups[0].tasks[0];
  EXPECT_EQ(Find(AddressMode::kHost, "own"), "10.0.0.2 20003");
  Task db;
  db.name = "db";
  source_.task = &db;
  EXPECT_EQ(Find(AddressMode::kHost, "own"), "10.0.0.3 20004");
  Task other;
  other.name = "other";
  source_.task = &other;
  EXPECT_EQ(Find(AddressMode::kHost, "own"), "invalid port \"own\": port label not found");
}

TEST_F(ServiceAddressTest, OfItsOwn) {
  EXPECT_EQ(Find(AddressMode::kAuto, "http", "web.example.org"), "web.example.org 20001");
  EXPECT_EQ(Find(AddressMode::kAuto, "443", "web.example.org"), "web.example.org 443");
  EXPECT_EQ(Find(AddressMode::kAuto, "", "web.example.org"), "web.example.org 0");
  EXPECT_EQ(Find(AddressMode::kAuto, "nope", "web.example.org"),
            "invalid port \"nope\": port label not found");
  for (const AddressMode mode :
       {AddressMode::kHost, AddressMode::kDriver, AddressMode::kAlloc, AddressMode::kAllocIpv6}) {
    EXPECT_EQ(Find(mode, "http", "web.example.org"),
              "cannot use address_mode=\"" + std::string(AddressModeName(mode)) +
                  "\" for a service with an address of its own: remove one of them");
  }
}

TEST_F(ServiceAddressTest, OfTheDriver) {
  EXPECT_EQ(Find(AddressMode::kDriver, "http"),
            "cannot use address_mode=\"driver\": the task's driver has reported no network");
  source_.driver = &driver_;
  EXPECT_EQ(Find(AddressMode::kDriver, "http"), "172.17.0.2 80");
  EXPECT_EQ(Find(AddressMode::kDriver, "plain"), "172.17.0.2 8080");
  EXPECT_EQ(Find(AddressMode::kDriver, "other"), "172.17.0.2 9090");
  EXPECT_EQ(Find(AddressMode::kDriver, ""), "172.17.0.2 0");
  EXPECT_EQ(Find(AddressMode::kDriver, "70"), "172.17.0.2 70");
  EXPECT_EQ(Find(AddressMode::kDriver, "nope"), "invalid port \"nope\": port label not found");
  EXPECT_EQ(Find(AddressMode::kAuto, "http"), "10.0.0.1 20001") << "it is not advertised";
  driver_.auto_advertise = true;
  EXPECT_EQ(Find(AddressMode::kAuto, "http"), "172.17.0.2 80");
  EXPECT_EQ(Find(AddressMode::kHost, "http"), "10.0.0.1 20001");
}

TEST_F(ServiceAddressTest, OfTheAllocation) {
  EXPECT_EQ(Find(AddressMode::kAlloc, "http"),
            "cannot use address_mode=\"alloc\": no allocation network status reported");
  EXPECT_EQ(Find(AddressMode::kAllocIpv6, "http"),
            "cannot use address_mode=\"alloc_ipv6\": no allocation network status reported");
  alloc_.network = AllocationNetwork{"eth0", "172.26.64.19", "fd00::1"};
  EXPECT_EQ(Find(AddressMode::kAlloc, "http"), "172.26.64.19 80");
  EXPECT_EQ(Find(AddressMode::kAlloc, "plain"), "172.26.64.19 20002");
  EXPECT_EQ(Find(AddressMode::kAlloc, ""), "172.26.64.19 0");
  EXPECT_EQ(Find(AddressMode::kAlloc, "9000"), "172.26.64.19 9000");
  EXPECT_EQ(Find(AddressMode::kAlloc, "nope"), "invalid port \"nope\": port label not found");
  EXPECT_EQ(Find(AddressMode::kAllocIpv6, "http"), "fd00::1 80");
  alloc_.network->address_ipv6.clear();
  EXPECT_EQ(Find(AddressMode::kAllocIpv6, "http"),
            "cannot use address_mode=\"alloc_ipv6\": the allocation's network has no such address");
}

TEST_F(ServiceAddressTest, OfACheckIsThatOfTheHostWithThePortOfItsService) {
  Service service;
  ServiceCheck check;
  EXPECT_EQ(FindCheck(service, check), "it has no port: give it one");
  service.port_label = "http";
  EXPECT_EQ(FindCheck(service, check), "10.0.0.1 20001");
  source_.driver = &driver_;
  driver_.auto_advertise = true;
  EXPECT_EQ(FindCheck(service, check), "10.0.0.1 20001") << "the driver advertises only services";
  check.port_label = "8080";
  EXPECT_EQ(FindCheck(service, check), "10.0.0.9 8080");
  check.port_label = "nope";
  EXPECT_EQ(FindCheck(service, check), "invalid port \"nope\": port label not found");
  check.port_label = "plain";
  check.address_mode = AddressMode::kDriver;
  EXPECT_EQ(FindCheck(service, check), "172.17.0.2 8080");
}

TEST_F(ServiceAddressTest, OfACheckOfAServiceWithAnAddressOfItsOwn) {
  Service service;
  service.address = "web.example.org";
  service.port_label = "http";
  ServiceCheck check;
  EXPECT_EQ(FindCheck(service, check), "web.example.org 20001");
  check.port_label = "443";
  EXPECT_EQ(FindCheck(service, check), "web.example.org 443");
  check.port_label = "http";
  check.address_mode = AddressMode::kHost;
  EXPECT_EQ(FindCheck(service, check), "10.0.0.1 20001") << "it wants the host itself";
}

TEST_F(ServiceAddressTest, TheSourceHasTheTaskThatServes) {
  Service service;
  EXPECT_EQ(SourceOf(alloc_, nullptr, service).task, nullptr);
  service.task = "web";
  const Task* const web = &job_->groups[0].tasks[0];
  EXPECT_EQ(SourceOf(alloc_, nullptr, service).task, web);
  service.task = "gone";
  EXPECT_EQ(SourceOf(alloc_, nullptr, service).task, nullptr);
  EXPECT_EQ(SourceOf(alloc_, web, service).task, web);
  EXPECT_EQ(SourceOf(alloc_, web, service).alloc, &alloc_);
}

}  // namespace
}  // namespace drover
