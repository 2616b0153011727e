// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/scheduler/node_class.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

NodeRecord Node() {
  NodeRecord node;
  node.id = "a";
  node.attributes = {{"kernel.name", "linux"}, {"unique.hostname", "one"}};
  node.meta = {{"rack", "r1"}};
  return node;
}

TEST(NodeClassTest, IsThatOfAllNodesOfAKind) {
  NodeRecord other = Node();
  other.id = other.name = "b";
  other.attributes["unique.hostname"] = "two";
  other.meta["unique.place"] = "x";
  other.eligible = false;
  EXPECT_EQ(ComputedClass(Node()), ComputedClass(other));
  EXPECT_TRUE(ComputedClass(other).starts_with("v1:"));
}

TEST(NodeClassTest, ChangesWithWhatConstraintsSee) {
  const std::string before = ComputedClass(Node());
  NodeRecord node = Node();
  node.datacenter = "dc2";
  EXPECT_NE(ComputedClass(node), before);
  node = Node();
  node.attributes["driver.exec"] = "true";
  EXPECT_NE(ComputedClass(node), before);
  node = Node();
  node.meta["rack"] = "r2";
  EXPECT_NE(ComputedClass(node), before);
  node = Node();
  node.node_class = "big";
  EXPECT_NE(ComputedClass(node), before);
  node = Node();
  node.devices = {{{"linux", "kvm", "kvm"}, {{"nested", {true}}}, {{"kvm0", true}}}};
  const std::string with_devices = ComputedClass(node);
  EXPECT_NE(with_devices, before);
  node.devices[0].instances.push_back({"kvm1", false});
  EXPECT_EQ(ComputedClass(node), with_devices) << "the devices are of the same kind";
  node.devices[0].attributes["nested"] = {false};
  EXPECT_NE(ComputedClass(node), with_devices);
  // An attribute that becomes meta makes another class.
  node = Node();
  node.attributes.erase("kernel.name");
  node.meta["kernel.name"] = "linux";
  EXPECT_NE(ComputedClass(node), before);
}

}  // namespace
}  // namespace drover
