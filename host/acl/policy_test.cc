// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/policy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

namespace drover {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::SizeIs;

// Returns the message of the error for TEXT, which must be refused.
std::string WhyRefused(const std::string& text) {
  const Result<Policy> read = ReadPolicy(text);
  EXPECT_EQ(read.code(), Code::kInvalidArgument) << text;
  return read.ok() ? "" : read.error().message();
}

constexpr char kWholeHcl[] = R"(
# what the people of the web team may do
namespace "default" {
  policy       = "read"
  capabilities = ["submit-job", "alloc-node-exec"]
  variables {
    path "web/*" { capabilities = ["read", "write"] }
    path "*" {
      capabilities = ["list"]
    }
  }
}
namespace "dev-*" { policy = "write" }
node_pool "gpu" { policy = "read" }
host_volume "certs" { capabilities = ["mount-readonly"] }
agent { policy = "read" }
node { policy = "write" }
operator { policy = "deny" }
quota { policy = "read" }
plugin { policy = "list" }
)";
constexpr char kWholeJson[] = R"({
  "namespace": {
    "default": {
      "policy": "read",
      "capabilities": ["submit-job", "alloc-node-exec"],
      "variables": {"path": {"web/*": {"capabilities": ["read", "write"]},
                             "*": {"capabilities": ["list"]}}}},
    "dev-*": {"policy": "write"}},
  "node_pool": {"gpu": {"policy": "read"}},
  "host_volume": [{"certs": [{"capabilities": ["mount-readonly"]}]}],
  "agent": {"policy": "read"},
  "node": [{"policy": "write"}],
  "operator": {"policy": "deny"},
  "quota": {"policy": "read"},
  "plugin": {"policy": "list"}})";

void CheckWhole(const Policy& policy) {
  ASSERT_THAT(policy.namespaces, SizeIs(2));
  for (const NamespaceRule& rule : policy.namespaces) {
    if (rule.name == "dev-*") {
      EXPECT_EQ(rule.capabilities, NamespaceWord("write"));
      continue;
    }
    EXPECT_EQ(rule.name, "default");
    EXPECT_EQ(rule.word, "read");
    EXPECT_TRUE(rule.capabilities.Has(Capability::kListJobs));
    EXPECT_TRUE(rule.capabilities.Has(Capability::kSubmitJob));
    EXPECT_TRUE(rule.capabilities.Has(Capability::kAllocNodeExec));
    EXPECT_FALSE(rule.capabilities.Has(Capability::kAllocExec));
    ASSERT_THAT(rule.variables, SizeIs(2));
    using enum VariableRight;
    for (const VariableRule& path : rule.variables) {
      const RightSet<VariableRight> all = {kList, kRead, kWrite};
      const RightSet<VariableRight> some = {kList};
      EXPECT_EQ(path.rights, path.path == "web/*" ? all : some) << path.path;
    }
  }
  ASSERT_THAT(policy.pools, SizeIs(1));
  EXPECT_EQ(policy.pools[0].name, "gpu");
  EXPECT_EQ(policy.pools[0].rights, PoolWord("read"));
  ASSERT_THAT(policy.volumes, SizeIs(1));
  EXPECT_EQ(policy.volumes[0].rights, VolumeWord("read"));
  EXPECT_EQ(policy.level(AclArea::kAgent), AclLevel::kRead);
  EXPECT_EQ(policy.level(AclArea::kNode), AclLevel::kWrite);
  EXPECT_EQ(policy.level(AclArea::kOperator), AclLevel::kDeny);
  EXPECT_EQ(policy.level(AclArea::kQuota), AclLevel::kRead);
  EXPECT_EQ(policy.level(AclArea::kPlugin), AclLevel::kList);
}

TEST(PolicyTest, HclAndJsonSayTheSame) {
  CheckWhole(ReadPolicy(kWholeHcl).value());
  CheckWhole(ReadPolicy(kWholeJson).value());
}

TEST(PolicyTest, WhatIsStoredComesBack) {
  const Policy policy = ReadPolicy(kWholeJson).value();
  EXPECT_EQ(PolicyOfJson(json::parse(PolicyJson(policy).dump())).value(), policy);
  EXPECT_EQ(PolicyOfJson(PolicyJson(Policy())).value(), Policy());
}

TEST(PolicyTest, StoredRulesThatAreDamagedAreRefused) {
  const json good = PolicyJson(ReadPolicy(kWholeJson).value());
  EXPECT_FALSE(PolicyOfJson(nullptr).ok());
  EXPECT_FALSE(PolicyOfJson(json::object()).ok());
  for (const char* pointer : {"/Namespaces/0/Capabilities/0", "/NodePools/0/Capabilities/0",
                              "/HostVolumes/0/Capabilities/0", "/Agent/Policy"}) {
    for (const json& value : {json("all"), json(7), json(nullptr)}) {
      json bad = good;
      bad[json::json_pointer(pointer)] = value;
      EXPECT_FALSE(PolicyOfJson(bad).ok()) << pointer << " " << value;
    }
  }
  for (const auto& [key, value] : good.items()) {
    json less = good;
    less.erase(key);
    EXPECT_FALSE(PolicyOfJson(less).ok()) << key;
  }
}

TEST(PolicyTest, JsonHasTheNamesOfTheApi) {
  const json rules = PolicyJson(ReadPolicy(kWholeJson).value());
  EXPECT_EQ(rules["Agent"], json({{"Policy", "read"}}));
  EXPECT_EQ(rules["NodePools"][0]["Name"], "gpu");
  EXPECT_TRUE(PolicyJson(Policy())["Agent"].is_null());
  EXPECT_TRUE(PolicyJson(Policy())["Namespaces"].is_null());
}

TEST(PolicyTest, AllFaultsComeAtOnceWithTheirLines) {
  const std::string why = WhyRefused(R"(
namespace "default" {
  policy = "list"
  capabilities = ["read-job", "read-jobs"]
  polcy = "read"
}
namespace "a b" { policy = "read" }
agent { policy = "scale" }
operator { }
vault { policy = "read" }
)");
  EXPECT_THAT(why, HasSubstr("7 faults"));
  EXPECT_THAT(why, HasSubstr("line 3: \"list\" is no policy of a namespace rule"));
  EXPECT_THAT(why, HasSubstr("line 4: \"read-jobs\" is no capability of a namespace rule"));
  EXPECT_THAT(why, HasSubstr("line 5: a namespace rule has only"));
  EXPECT_THAT(why, HasSubstr("line 7: the name \"a b\""));
  EXPECT_THAT(why, HasSubstr("line 8: \"scale\" is no policy of agent"));
  EXPECT_THAT(why, HasSubstr("line 9: operator needs a policy"));
  EXPECT_THAT(why, HasSubstr("line 10: \"vault\" is no rule"));
}

TEST(PolicyTest, FaultsOfJsonHaveTheirPointers) {
  const std::string why = WhyRefused(R"({
    "namespace": {"default": {"policy": 7, "capabilities": ["read-job", null],
                              "variables": {"path": {"/a": {}, "b": {"policy": "read"}}}}},
    "node": "read"})");
  EXPECT_THAT(why, HasSubstr("/namespace/default/policy: policy must be a text"));
  EXPECT_THAT(why, HasSubstr("/namespace/default/capabilities/1: capabilities must be a list"));
  EXPECT_THAT(why, HasSubstr("/namespace/default/variables/path/~1a: the path \"/a\" must not"));
  EXPECT_THAT(why, HasSubstr("/namespace/default/variables/path/b/policy: a path has only"));
  EXPECT_THAT(why, HasSubstr("/node: node must be a block"));
}

TEST(PolicyTest, EachRuleHasItsForm) {
  EXPECT_THAT(WhyRefused(R"({"namespace": {}})"), HasSubstr("needs a name"));
  EXPECT_THAT(WhyRefused(R"({"namespace": "default"})"), HasSubstr("needs a name"));
  EXPECT_THAT(WhyRefused(R"({"namespace": {"default": "read"}})"), HasSubstr("has the form"));
  EXPECT_THAT(WhyRefused(R"({"namespace": {"": {"policy": "read"}}})"), HasSubstr("1 to 128"));
  EXPECT_THAT(WhyRefused(R"({"namespace": {"a": {"policy": "read", "variables": {}}}})"),
              HasSubstr("needs a path"));
  EXPECT_THAT(WhyRefused(R"({"namespace": {"a": {"variables": {"b": {}}}}})"),
              HasSubstr("variables has only path"));
  EXPECT_THAT(WhyRefused(R"({"host_volume": {"a": {"policy": "scale"}}})"),
              HasSubstr("read, write and deny"));
  EXPECT_THAT(WhyRefused(R"({"host_volume": {"a": {"variables": {}}}})"),
              HasSubstr("has only policy and capabilities"));
  EXPECT_THAT(WhyRefused(R"({"plugin": {"policy": "write"}})"), HasSubstr("list, read and deny"));
  EXPECT_THAT(WhyRefused(R"({"node": [{"policy": "read"}, {"policy": "write"}]})"),
              HasSubstr("must be a block"));
  EXPECT_THAT(WhyRefused(R"([{"node": {"policy": "read"}}])"), HasSubstr("must be an object"));
  EXPECT_THAT(WhyRefused("{}"), HasSubstr("has no rule"));
  EXPECT_THAT(WhyRefused(""), HasSubstr("is empty"));
  EXPECT_THAT(WhyRefused(" \n\t"), HasSubstr("is empty"));
  EXPECT_THAT(WhyRefused("# nothing\n"), HasSubstr("the policy: has no rule"));
}

TEST(PolicyTest, DenyBesideOtherCapabilitiesIsDeny) {
  const Policy policy =
      ReadPolicy(
          R"({"namespace": {"a": {"policy": "write", "capabilities": ["read-job", "deny"],
              "variables": {"path": {"x": {"capabilities": ["read", "deny"]}}}}}})")
          .value();
  EXPECT_EQ(policy.namespaces[0].capabilities, RightSet<Capability>({Capability::kDeny}));
  EXPECT_EQ(policy.namespaces[0].variables[0].rights,
            RightSet<VariableRight>({VariableRight::kDeny}));
}

TEST(PolicyTest, TheSameNameMayStandThereTwice) {
  const Policy policy = ReadPolicy(R"(
namespace "a" { policy = "read" }
namespace "a" { capabilities = ["submit-job"] }
)")
                            .value();
  EXPECT_THAT(policy.namespaces, SizeIs(2));
}

TEST(PolicyTest, SyntaxErrorsHaveTheirLine) {
  EXPECT_THAT(WhyRefused("namespace \"a\" {\n  policy = \n}\n"), HasSubstr("not HCL"));
  EXPECT_THAT(WhyRefused("namespace \"a\" {"), HasSubstr("not HCL"));
  EXPECT_THAT(WhyRefused(R"({"node": {"policy": "read"})"), HasSubstr("not JSON"));
  EXPECT_THAT(WhyRefused(R"({"node": {"policy": "deny"}, "node": {"policy": "read"}})"),
              HasSubstr("twice"));
}

TEST(PolicyTest, NothingIsEvaluated) {
  EXPECT_FALSE(ReadPolicy("namespace \"${file(\"/etc/passwd\")}\" { policy = \"read\" }").ok());
  EXPECT_FALSE(ReadPolicy("locals { a = 1 }\nnode { policy = \"read\" }").ok());
}

TEST(PolicyTest, HostilePoliciesAreRefused) {
  EXPECT_THAT(WhyRefused("# " + std::string(kMostPolicyBytes, 'x')), HasSubstr("bytes; at most"));
  std::string deep;
  for (int i = 0; i < 5000; ++i) deep += "{\"a\":";
  EXPECT_THAT(WhyRefused(deep), HasSubstr("nested"));
  std::string labels = "namespace";
  for (int i = 0; i < 5000; ++i) labels += " \"a\"";
  EXPECT_THAT(WhyRefused(labels + " { }"), HasSubstr("line 1: a block has one name at most"));
  std::string many = "{\"namespace\": {";
  for (int i = 0; i < 2000; ++i) many += "\"n" + std::to_string(i) + "\": {},";
  many.back() = '}';
  EXPECT_THAT(WhyRefused(many + "}"), HasSubstr("has 2000 rules; at most 1024"));
  std::string faults = "{";
  for (int i = 0; i < 2000; ++i) faults += "\"f" + std::to_string(i) + "\": 1,";
  faults.back() = '}';
  const std::string why = WhyRefused(faults);
  EXPECT_THAT(why, HasSubstr("the policy has 2000 faults"));
  EXPECT_THAT(why, HasSubstr("and 1950 more"));
  EXPECT_LT(why.size(), 20'000u);
  EXPECT_THAT(WhyRefused("{\"namespace\": {\"" + std::string(129, 'a') + "\": {}}}"),
              HasSubstr("1 to 128"));
  EXPECT_THAT(WhyRefused("{\"namespace\": {\"a\\u001b[2J\": {\"policy\": \"read\"}}}"),
              HasSubstr("\\x1b"));
  const std::string long_key = WhyRefused("{\"" + std::string(40'000, 'k') + "\": 1}");
  EXPECT_LT(long_key.size(), 1000u);
}

}  // namespace
}  // namespace drover
