// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node.h"

#include <gmock/gmock.h>
#include <unistd.h>

#include <filesystem>

#include "host/base/directory_for_test.h"
#include "host/node/kept_alloc_store.h"
#include "host/node/machine_network.h"
#include "host/state/record_json.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NodeTest : public ::testing::Test {
 protected:
  NodeTest() {
    options_.config.client.alloc_dir = directory_.path() + "/allocs";
    options_.config.client.run_dir = directory_.path() + "/run";
    std::filesystem::create_directory(options_.config.client.alloc_dir);
  }

  // The default address of a job's ports, or the error if the node cannot be made.
  std::string PortAddress(const std::string& network_interface, bool foreground) {
    options_.config.client.network_interface = network_interface;
    options_.foreground = foreground;
    const auto node = Node::Create(&loop_, options_);
    if (!node.ok()) return node.error().message();
    auto job = std::make_shared<Job>();
    job->id = job->name = "job";
    TaskGroup group;
    group.name = "g";
    group.networks.emplace_back().dynamic_ports.emplace_back().label = "http";
    job->groups.push_back(std::move(group));
    const auto placed = (*node)->Place(std::move(job));
    if (!placed.ok()) return placed.error().message();
    return placed->front()->ports.front().host_ip;
  }

  RealLoop loop_;
  const DirectoryForTest directory_{"/dev/shm"};
  NodeOptions options_;
};

TEST_F(NodeTest, PortsAreOnTheAddressThatTheConfigurationNames) {
  EXPECT_EQ(PortAddress("lo", false), "127.0.0.1");
  EXPECT_EQ(PortAddress("127.0.0.1", false), "127.0.0.1");
  const std::vector<NodeInterface> interfaces = ReadInterfaces();
  for (const NodeInterface& of : interfaces) {
    EXPECT_EQ(PortAddress(of.device, false), of.addresses.front().text);
    for (const NodeInterface::Address& address : of.addresses) {
      EXPECT_EQ(PortAddress(address.text, false), address.text);
      EXPECT_EQ(PortAddress(address.text, true), address.text) << "in the foreground, too";
    }
  }
  EXPECT_THAT(PortAddress("nothing0", false),
              HasSubstr("client/network_interface: this machine has no interface and no address "
                        "\"nothing0\""));
}

TEST_F(NodeTest, PortsAreElseOnTheDefaultRouteOrTheLoopback) {
  EXPECT_EQ(PortAddress("", false), BestAddress(ReadInterfaces()));
  EXPECT_EQ(PortAddress("", true), "127.0.0.1");
}

TEST_F(NodeTest, WhatARunnerHasTakenOverIsNotKeptTwice) {
  auto opened = KeptState::Open(directory_.path() + "/state");
  ASSERT_TRUE(opened.ok());
  auto job = std::make_shared<Job>();
  job->id = job->name = "job";
  TaskGroup group;
  group.name = "g";
  Task task;
  task.name = "t";
  task.driver = "none";
  group.tasks.push_back(std::move(task));
  job->groups.push_back(std::move(group));
  auto record = std::make_shared<JobRecord>();
  record->job = job;
  record->json = std::make_shared<const nlohmann::json>(nlohmann::json::object());
  auto alloc = std::make_shared<Allocation>();
  alloc->id = "5a1b8c2e-0000-4000-8000-000000000001";
  alloc->node_id = (*opened)->node_id();
  alloc->group_name = "g";
  alloc->job = job;
  AllocRecord placed;
  placed.alloc = alloc;
  placed.job = record;
  const std::string text = EncodePlaced(placed);
  (*opened)->store()->Put({"placed", alloc->id}, [text] { return text; });
  (*opened)->store()->Put(LocalStateKey(alloc->id, "t"), [] { return std::string("{}"); });
  opened->reset();
  opened = KeptState::Open(directory_.path() + "/state");
  ASSERT_TRUE(opened.ok());
  options_.kept = opened->get();
  options_.key_dir = directory_.path() + "/keys";
  ASSERT_EQ(options_.kept->allocs().count(alloc->id), 1u);
  const auto node = Node::Create(&loop_, options_);
  ASSERT_TRUE(node.ok()) << node.error().message();
  const auto runner = (*node)->MakeRunner(alloc);
  ASSERT_TRUE(runner.ok()) << runner.error().message();
  EXPECT_THAT(options_.kept->allocs(), IsEmpty());
}

}  // namespace
}  // namespace drover
