// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/placement/constraint.h"

#include <gmock/gmock.h>

#include "host/state/records.h"

namespace drover {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

NodeRecord MeasuredNode() {
  NodeRecord node;
  node.id = "node";
  node.name = "n1";
  node.attributes = {
      {"kernel.name", "linux"}, {"cpu.numcores", "10"}, {"kernel.version", "6.1.0"}, {"empty", ""}};
  node.meta = {{"rack", "7"}, {"disks", "ssd, nvme"}, {"versions", "= 6.1"}};
  return node;
}

struct Row {
  const char* left;
  const char* operand;
  const char* right;
  bool met;
};

TEST(ConstraintTest, EachOperandAsksTheNode) {
  const Row rows[] = {
      {"${attr.kernel.name}", "=", "linux", true},
      {"${attr.kernel.name}", "==", "linux", true},
      {"${attr.kernel.name}", "is", "windows", false},
      {"${node.unique.id}", "=", "node", true},
      {"${node.unique.name}", "=", "n1", true},
      {"${node.datacenter}", "=", "dc1", true},
      {"${node.pool}", "=", "default", true},
      {"${node.class}", "=", "", true},
      {"linux", "=", "${attr.kernel.name}", true},
      {"${attr.none}", "=", "${attr.none}", false},
      {"${attr.none}", "!=", "linux", true},
      {"${attr.kernel.name}", "!=", "linux", false},
      {"${attr.kernel.name}", "not", "windows", true},
      {"${attr.none}", "!=", "${meta.none}", false},
      {"${attr.cpu.numcores}", "<", "9", false},
      {"${attr.cpu.numcores}", ">", "9", true},
      {"${attr.cpu.numcores}", ">=", "10.0", true},
      {"${attr.cpu.numcores}", "<=", "9.5", false},
      {"${attr.kernel.name}", "<", "m", true},
      {"${attr.kernel.name}", "<", "10", false},
      {"${attr.none}", "<", "10", false},
      {"${attr.kernel.name}", "regexp", "^l.*x$", true},
      {"${attr.kernel.name}", "regexp", "win", false},
      {"${attr.none}", "regexp", ".*", false},
      {"${meta.disks}", "set_contains", "ssd,nvme", true},
      {"${meta.disks}", "set_contains_all", "ssd, tape", false},
      {"${meta.disks}", "set_contains_any", "tape, nvme", true},
      {"${meta.disks}", "set_contains_any", "tape", false},
      {"${meta.rack}", "is_set", "", true},
      {"${attr.empty}", "is_set", "", true},
      {"${meta.none}", "is_set", "", false},
      {"${meta.none}", "is_not_set", "", true},
      {"${meta.rack}", "is_not_set", "", false},
      {"${nonsense}", "is_set", "", false},
      {"${attr.kernel.version}", "version", ">= 5.10, < 7", true},
      {"${attr.kernel.version}", "version", "~> 6.0", true},
      {"${attr.kernel.version}", "version", "> 7", false},
      {"${attr.kernel.version}", "version", "no version", false},
      {"${attr.kernel.version}", "version", "${meta.versions}", true},
      {"${attr.kernel.name}", "version", "> 0", false},
      {"${attr.none}", "version", "> 0", false},
      {"${attr.kernel.version}", "semver", ">= 6.1.0", true},
      {"${attr.kernel.version}", "semver", "~> 6.0", false},
      {"", "distinct_hosts", "", true},
      {"${meta.rack}", "distinct_property", "2", true},
      {"${meta.none}", "distinct_property", "", false},
  };
  for (const Row& row : rows) {
    EXPECT_EQ(Meets(MeasuredNode(), {row.left, row.operand, row.right}), row.met)
        << row.left << " " << row.operand << " " << row.right;
  }
}

TEST(ConstraintTest, ANodeHasTheNetworkOfAGroup) {
  NodeRecord node;
  Job job;
  TaskGroup group;
  group.networks.resize(1);
  for (const char* const mode : {"host", "none"}) {
    group.networks[0].mode = mode;
    EXPECT_EQ(UnmetConstraint(job, group, node, {}), "") << mode;
  }
  for (const char* const mode : {"bridge", "cni/mesh"}) {
    group.networks[0].mode = mode;
    EXPECT_EQ(UnmetConstraint(job, group, node, {}),
              "missing network \"" + std::string(mode) + "\"");
    node.attributes[NetworkAttribute(mode)] = "drover";
    EXPECT_EQ(UnmetConstraint(job, group, node, {}), "") << mode;
  }
}

TEST(ConstraintTest, WhatIsNoPatternIsAMistake) {
  Job job;
  job.constraints = {{"${attr.a}", "=", "("},
                     {"${attr.a}", "regexp", "("},
                     {"${attr.a}", "version", "> x"},
                     {"${attr.a}", "semver", "~> 1.0"},
                     {"${attr.a}", "version", "${meta.versions}"}};
  TaskGroup group;
  group.tasks.emplace_back().constraints = {{"${attr.a}", "regexp", "[b"}};
  group.constraints = {{"${attr.a}", "regexp", "${meta.pattern}"}};
  job.groups.push_back(group);
  const Status checked = CheckConstraints(job, "/Job");
  EXPECT_EQ(checked.code(), Code::kInvalidArgument);
  EXPECT_THAT(checked.error().message(), HasSubstr("/Job/Constraints/1/RTarget: is not a regular"));
  EXPECT_THAT(checked.error().message(),
              HasSubstr("/Job/Constraints/2/RTarget: is not a version constraint: \"x\" is"));
  EXPECT_THAT(checked.error().message(),
              HasSubstr("/Job/Constraints/3/RTarget: is not a version constraint: \"~> 1.0\""));
  EXPECT_THAT(checked.error().message(), Not(HasSubstr("/Job/Constraints/4")));
  EXPECT_THAT(checked.error().message(),
              HasSubstr("/Job/TaskGroups/0/Tasks/0/Constraints/0/RTarget"));
  EXPECT_THAT(checked.error().message(), Not(HasSubstr("/TaskGroups/0/Constraints")));
}

}  // namespace
}  // namespace drover
