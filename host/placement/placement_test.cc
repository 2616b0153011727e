// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/placement.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <set>

#include "host/base/unique_fd.h"

namespace drover {
namespace {

std::shared_ptr<Job> JobWithPorts(int count) {
  auto job = std::make_shared<Job>();
  job->id = "web";
  TaskGroup group;
  group.name = "front";
  group.count = count;
  Network network;
  Port dynamic;
  dynamic.label = "http";
  network.dynamic_ports.push_back(dynamic);
  group.networks.push_back(network);
  job->groups.push_back(group);
  return job;
}

TEST(PlaceJobTest, OneAllocationPerCountWithPortsOfItsOwn) {
  const auto pool = NewPortPool();
  const auto placed = PlaceJob(JobWithPorts(3), "node", "n1", 42, pool.get(), {});
  ASSERT_TRUE(placed.ok()) << placed.error().message();
  ASSERT_EQ(placed->size(), 3u);
  std::set<int> ports;
  std::set<std::string> ids;
  for (const auto& allocation : *placed) {
    ids.insert(allocation->id);
    ports.insert(allocation->ports.at(0).value);
    EXPECT_GE(allocation->ports.at(0).value, PortPool::kFirst);
    EXPECT_LE(allocation->ports.at(0).value, PortPool::kLast);
    EXPECT_NE(allocation->group(), nullptr);
  }
  EXPECT_EQ(placed->at(2)->name, "web.front[2]");
  EXPECT_EQ(ports.size(), 3u);
  EXPECT_EQ(ids.size(), 3u);
}

TEST(PlaceJobTest, EachAllocationHasCoresOfItsOwn) {
  const auto job = JobWithPorts(2);
  Task& task = job->groups[0].tasks.emplace_back();
  task.name = "t";
  task.resources.cores = 2;
  const auto pool = NewPortPool();
  const auto placed = PlaceJob(job, "node", "n1", 42, pool.get(), {0, 1, 2, 3, 4});
  ASSERT_TRUE(placed.ok()) << placed.error().message();
  EXPECT_EQ(placed->at(0)->cores.at("t"), (std::vector<int>{0, 1}));
  EXPECT_EQ(placed->at(1)->cores.at("t"), (std::vector<int>{2, 3}));
  const auto crowded = PlaceJob(job, "node", "n1", 42, pool.get(), {0, 1, 2});
  ASSERT_FALSE(crowded.ok());
  EXPECT_EQ(crowded.error().message(),
            "allocation web.front[1]: its tasks reserve more cores than this machine has free (1)");
}

TEST(PlaceJobTest, ATaskMayHavePortsOfItsOwn) {
  const auto pool = NewPortPool();
  const int fixed = pool->TakeDynamic(pool->address()).value();
  pool->Release(pool->address(), fixed);
  const auto job = JobWithPorts(1);
  TaskGroup& group = job->groups[0];
  for (const char* name : {"a", "b"}) {
    Task& task = group.tasks.emplace_back();
    task.name = name;
    task.networks = group.networks;
  }
  group.tasks[1].networks[0].reserved_ports = {{"fixed", fixed, 0, ""}};
  group.networks.clear();
  EXPECT_TRUE(WantsPorts(group));
  EXPECT_EQ(FindTakenPort(group, nullptr, pool.get()), std::nullopt);
  const auto placed = PlaceJob(job, "node", "n1", 42, pool.get(), {});
  ASSERT_TRUE(placed.ok()) << placed.error().message();
  const std::vector<AllocatedPort>& ports = placed->at(0)->ports;
  ASSERT_EQ(ports.size(), 3u);
  EXPECT_EQ(ports[0], (AllocatedPort{"fixed", fixed, 0, "127.0.0.1", "b"}));
  EXPECT_EQ(ports[1].label + ports[1].task, "httpa");
  EXPECT_EQ(ports[2].label + ports[2].task, "httpb");
  EXPECT_NE(ports[1].value, ports[2].value);
  EXPECT_EQ(FindTakenPort(group, nullptr, pool.get())->port, fixed);
  EXPECT_EQ(FindTakenPort(group, placed->at(0).get(), pool.get()), std::nullopt);
  ReleasePorts(*placed->at(0), pool.get());
  EXPECT_TRUE(pool->TakeStatic(pool->address(), fixed).ok());
  group.tasks.clear();
  EXPECT_FALSE(WantsPorts(group));
}

TEST(PlaceJobTest, StaticPortOfTwoAllocationsIsAnErrorAndTakesNothing) {
  const auto pool = NewPortPool();
  const int port = pool->TakeDynamic(pool->address()).value();
  pool->Release(pool->address(), port);
  auto job = JobWithPorts(2);
  job->groups[0].networks[0].dynamic_ports[0].value = port;
  const auto placed = PlaceJob(job, "node", "n1", 42, pool.get(), {});
  ASSERT_FALSE(placed.ok());
  EXPECT_EQ(placed.error().message(),
            "allocation web.front[1]: port " + std::to_string(port) + " is taken on this machine");
  EXPECT_TRUE(pool->TakeStatic(pool->address(), port).ok());
}

TEST(PortPoolTest, EachAddressHasAPortOfItsOwn) {
  const auto pool = NewPortPool("127.0.0.2");
  EXPECT_EQ(pool->address(), "127.0.0.2");
  const int port = pool->TakeDynamic("127.0.0.2").value();
  EXPECT_FALSE(pool->TakeStatic("127.0.0.2", port).ok());
  EXPECT_FALSE(pool->TakeStatic("0.0.0.0", port).ok()) << "it stands for all addresses";
  EXPECT_TRUE(pool->TakeStatic("127.0.0.3", port).ok());
  pool->Release("127.0.0.2", port);
  EXPECT_FALSE(pool->CheckStatic("127.0.0.3", port).ok());
  EXPECT_TRUE(pool->TakeStatic("127.0.0.2", port).ok());
  pool->Release("127.0.0.2", port);
  pool->Release("127.0.0.3", port);
  EXPECT_TRUE(pool->TakeStatic("0.0.0.0", port).ok());
  EXPECT_FALSE(pool->CheckStatic("127.0.0.3", port).ok());
  EXPECT_FALSE(pool->CheckStatic("no address", port + 1).ok());
}

TEST(PortPoolTest, ADynamicPortIsFreeOnAnAddressOfIpv6Too) {
  UniqueFd fd(socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const int on = 1;
  setsockopt(fd.get(), IPPROTO_IPV6, IPV6_V6ONLY, &on, sizeof on);
  sockaddr_in6 address{};
  address.sin6_family = AF_INET6;
  address.sin6_addr = in6addr_loopback;
  int port = PortPool::kFirst;
  for (; port <= PortPool::kLast; ++port) {
    address.sin6_port = htons(static_cast<std::uint16_t>(port));
    if (bind(fd.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) == 0) break;
  }
  if (port > PortPool::kLast || listen(fd.get(), 1) != 0) GTEST_SKIP() << "there is no IPv6 here";
  const auto pool = NewPortPool("::1");
  for (int other = PortPool::kFirst; other <= PortPool::kLast; ++other) {
    if (other != port) pool->Keep("::1", other);
  }
  EXPECT_EQ(pool->TakeDynamic("::1").code(), Code::kResourceExhausted) << "somebody has the last";
  fd.Reset();
  EXPECT_EQ(pool->TakeDynamic("::1").value(), port);
}

TEST(PlaceJobTest, PortsAreOnTheAddressOfThePool) {
  const auto pool = NewPortPool("127.0.0.2");
  const auto placed = PlaceJob(JobWithPorts(1), "node", "n1", 42, pool.get(), {});
  ASSERT_TRUE(placed.ok());
  for (const AllocatedPort& port : placed->at(0)->ports) EXPECT_EQ(port.host_ip, "127.0.0.2");
}

TEST(PortPoolTest, TheOperatorNamesTheDynamicPortsAndTheReservedOnes) {
  const auto pool = NewPortPool(PortPoolOptions{
      .address = "127.0.0.2", .first = 23456, .last = 23459, .reserved = {23457, 80}});
  std::set<int> got;
  for (;;) {
    const Result<int> port = pool->TakeDynamic("127.0.0.2");
    if (!port.ok()) {
      EXPECT_EQ(port.error().message(), "no free port between 23456 and 23459");
      break;
    }
    got.insert(*port);
  }
  EXPECT_GE(got.size(), 1u);
  for (const int port : got) EXPECT_THAT(port, ::testing::AnyOf(23456, 23458, 23459));
  EXPECT_EQ(pool->TakeStatic("127.0.0.2", 80).error().message(),
            "port 80 is reserved: no task of this node gets it");
}

TEST(PlaceJobTest, APortMayBeOnAHostNetwork) {
  PortPoolOptions options;
  options.host_networks = {{"empty", {}}, {"inside", {"127.0.0.2", "127.0.0.3"}}};
  options.reserved_of = {{"127.0.0.2", {23456}}};
  const auto pool = NewPortPool(options);
  auto job = std::make_shared<Job>();
  job->groups.resize(1);
  TaskGroup& group = job->groups[0];
  group.networks.resize(1);
  group.networks[0].dynamic_ports = {{"a", 0, 0, "", "inside"}, {"b", 0, 0, ""}};
  // The first address has the port reserved, so the second one gets it.
  group.networks[0].reserved_ports = {{"c", 23456, 0, "", "inside"}};
  const auto place = [&] { return PlaceJob(job, "node", "name", 0, pool.get(), {}); };
  const auto placed = place();
  ASSERT_TRUE(placed.ok()) << placed.error().message();
  const std::vector<AllocatedPort>& ports = (*placed)[0]->ports;
  ASSERT_EQ(ports.size(), 3u);
  EXPECT_EQ(ports[0].host_ip, "127.0.0.3");
  EXPECT_EQ(ports[0].value, 23456);
  EXPECT_EQ(ports[1].host_ip, "127.0.0.2");
  EXPECT_EQ(ports[2].host_ip, "127.0.0.1");
  EXPECT_TRUE(FindTakenPort(group, nullptr, pool.get()));
  EXPECT_FALSE(FindTakenPort(group, (*placed)[0].get(), pool.get()));
  ReleasePorts(*(*placed)[0], pool.get());
  for (const char* const name : {"empty", "other"}) {
    group.networks[0].reserved_ports[0].host_network = name;
    const auto none = place();
    ASSERT_FALSE(none.ok());
    EXPECT_THAT(
        none.error().message(),
        ::testing::HasSubstr("missing host network \"" + std::string(name) + "\" for port \"c\""));
    const auto taken = FindTakenPort(group, nullptr, pool.get());
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->address, "");
  }
}

TEST(PortPoolTest, SeesWhatOthersListenOn) {
  UniqueFd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  socklen_t size = sizeof address;
  ASSERT_EQ(bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size), 0);
  ASSERT_EQ(listen(fd.get(), 1), 0);
  ASSERT_EQ(getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size), 0);
  const auto pool = NewPortPool();
  EXPECT_EQ(pool->TakeStatic(pool->address(), ntohs(address.sin_port)).code(),
            Code::kFailedPrecondition);
  fd.Reset();
  EXPECT_TRUE(pool->TakeStatic(pool->address(), ntohs(address.sin_port)).ok());
}

}  // namespace
}  // namespace drover
