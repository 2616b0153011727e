// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/rights.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <string>
#include <vector>

namespace drover {
namespace {

using ::testing::UnorderedElementsAre;

template <typename Right>
std::vector<std::string> NamesOf(RightSet<Right> rights) {
  std::vector<std::string> names;
  for (const RightName<Right>& one : RightNames<Right>()) {
    if (rights.Has(one.right)) names.emplace_back(one.name);
  }
  return names;
}

// Each name is there once and leads back to its right.
template <typename Right>
void CheckNames(std::size_t count) {
  std::set<std::string> names;
  for (const RightName<Right>& one : RightNames<Right>()) {
    EXPECT_EQ(static_cast<std::size_t>(one.right), names.size()) << one.name;
    EXPECT_EQ(RightNamed<Right>(one.name), one.right);
    names.insert(one.name);
  }
  EXPECT_EQ(names.size(), count);
  EXPECT_EQ(RightNamed<Right>(""), std::nullopt);
  EXPECT_EQ(RightNamed<Right>("Deny"), std::nullopt);
  EXPECT_EQ(RightNamed<Right>("*"), std::nullopt);
}

TEST(RightsTest, EveryRightHasAName) {
  CheckNames<Capability>(27);
  CheckNames<VariableRight>(5);
  CheckNames<VolumeRight>(3);
  CheckNames<PoolRight>(4);
}

TEST(RightsTest, ReadOfANamespace) {
  EXPECT_THAT(NamesOf(NamespaceWord("read").value()),
              UnorderedElementsAre("list-jobs", "parse-job", "read-job", "csi-list-volume",
                                   "csi-read-volume", "read-job-scaling", "list-scaling-policies",
                                   "read-scaling-policy", "host-volume-read"));
}

TEST(RightsTest, WriteOfANamespace) {
  EXPECT_THAT(NamesOf(NamespaceWord("write").value()),
              UnorderedElementsAre(
                  "list-jobs", "parse-job", "read-job", "csi-list-volume", "csi-read-volume",
                  "read-job-scaling", "list-scaling-policies", "read-scaling-policy",
                  "host-volume-read", "scale-job", "submit-job", "dispatch-job", "read-logs",
                  "read-fs", "alloc-exec", "alloc-lifecycle", "csi-mount-volume",
                  "csi-write-volume", "submit-recommendation", "host-volume-create"));
}

TEST(RightsTest, ScaleAndDenyOfANamespace) {
  EXPECT_THAT(NamesOf(NamespaceWord("scale").value()),
              UnorderedElementsAre("list-scaling-policies", "read-scaling-policy",
                                   "read-job-scaling", "scale-job"));
  EXPECT_THAT(NamesOf(NamespaceWord("deny").value()), UnorderedElementsAre("deny"));
  EXPECT_EQ(NamespaceWord("list"), std::nullopt);
  EXPECT_EQ(NamespaceWord(""), std::nullopt);
  EXPECT_EQ(NamespaceWord("WRITE"), std::nullopt);
}

TEST(RightsTest, NoWordGrantsWhatLeavesTheTask) {
  for (const char* word : {"read", "write", "scale"}) {
    EXPECT_FALSE(NamespaceWord(word)->Has(Capability::kAllocNodeExec)) << word;
    EXPECT_FALSE(NamespaceWord(word)->Has(Capability::kSentinelOverride)) << word;
    EXPECT_FALSE(NamespaceWord(word)->Has(Capability::kCsiRegisterPlugin)) << word;
    EXPECT_FALSE(NamespaceWord(word)->Has(Capability::kHostVolumeDelete)) << word;
  }
}

TEST(RightsTest, WordsOfVolumesAndPools) {
  EXPECT_THAT(NamesOf(VolumeWord("read").value()), UnorderedElementsAre("mount-readonly"));
  EXPECT_THAT(NamesOf(VolumeWord("write").value()),
              UnorderedElementsAre("mount-readonly", "mount-readwrite"));
  EXPECT_THAT(NamesOf(VolumeWord("deny").value()), UnorderedElementsAre("deny"));
  EXPECT_EQ(VolumeWord("scale"), std::nullopt);
  EXPECT_THAT(NamesOf(PoolWord("read").value()), UnorderedElementsAre("read"));
  EXPECT_THAT(NamesOf(PoolWord("write").value()), UnorderedElementsAre("read", "write", "delete"));
  EXPECT_THAT(NamesOf(PoolWord("deny").value()), UnorderedElementsAre("deny"));
}

TEST(RightsTest, WordsOfAreas) {
  for (const AclArea area :
       {AclArea::kAgent, AclArea::kNode, AclArea::kOperator, AclArea::kQuota}) {
    EXPECT_EQ(LevelWord(area, "read"), AclLevel::kRead);
    EXPECT_EQ(LevelWord(area, "write"), AclLevel::kWrite);
    EXPECT_EQ(LevelWord(area, "deny"), AclLevel::kDeny);
    EXPECT_EQ(LevelWord(area, "list"), std::nullopt);
    EXPECT_EQ(LevelWord(area, "scale"), std::nullopt);
  }
  EXPECT_EQ(LevelWord(AclArea::kPlugin, "list"), AclLevel::kList);
  EXPECT_EQ(LevelWord(AclArea::kPlugin, "write"), std::nullopt);
}

TEST(RightsTest, DenyWinsWhateverComesFirst) {
  const RightSet<Capability> deny = {Capability::kDeny};
  RightSet<Capability> rights = NamespaceWord("write").value();
  rights.Merge(deny);
  EXPECT_EQ(rights, deny);
  rights.Merge(NamespaceWord("write").value());
  EXPECT_EQ(rights, deny);
}

TEST(RightsTest, WhoReadsVariablesAlsoListsThem) {
  using enum VariableRight;
  EXPECT_EQ(WithImplied({kRead}), RightSet<VariableRight>({kRead, kList}));
  EXPECT_EQ(WithImplied({kWrite}), RightSet<VariableRight>({kWrite}));
  EXPECT_EQ(WithImplied({kRead, kDeny}), RightSet<VariableRight>({kDeny}));
}

}  // namespace
}  // namespace drover
