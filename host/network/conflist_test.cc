// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/conflist.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <fstream>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr char kMesh[] = R"({"cniVersion": "1.0.0", "name": "mesh", "plugins": [
  {"type": "bridge", "bridge": "mesh0"},
  {"type": "portmap", "capabilities": {"portMappings": true, "dns": false}}]})";

TEST(ConflistTest, AListHasItsPluginsInTheirOrder) {
  const Result<Conflist> list = ParseConflist(kMesh);
  ASSERT_TRUE(list.ok()) << list.error().message();
  EXPECT_EQ(list->name, "mesh");
  EXPECT_EQ(list->version, "1.0.0");
  EXPECT_EQ(list->text, kMesh);
  ASSERT_EQ(list->plugins.size(), 2u);
  EXPECT_EQ(list->plugins[0].type, "bridge");
  EXPECT_EQ(list->plugins[0].config["bridge"], "mesh0");
  EXPECT_FALSE(list->plugins[0].Has("portMappings"));
  EXPECT_TRUE(list->plugins[1].Has("portMappings"));
  EXPECT_FALSE(list->plugins[1].Has("dns"));
}

TEST(ConflistTest, ASinglePluginIsANetworkToo) {
  const Result<Conflist> list = ParseConflist(R"({"name": "lan", "type": "macvlan"})");
  ASSERT_TRUE(list.ok()) << list.error().message();
  EXPECT_EQ(list->version, "0.3.0");
  ASSERT_EQ(list->plugins.size(), 1u);
  EXPECT_EQ(list->plugins[0].type, "macvlan");
}

TEST(ConflistTest, WhatIsWrongIsRefused) {
  const std::pair<const char*, const char*> wrong[] = {
      {"[]", "must be an object"},
      {"{", ""},
      {R"({"type": "bridge"})", "needs a \"name\""},
      {R"({"name": "../x", "type": "bridge"})", "needs a \"name\""},
      {R"({"name": "a"})", "needs a \"type\""},
      {R"({"name": "a", "type": "../../bin/sh"})", "needs a \"type\""},
      {R"({"name": "a", "plugins": []})", "a list \"plugins\" of 1 to 16 plugins"},
      {R"({"name": "a", "plugins": [7]})", "a plugin must be an object"},
      {R"({"name": "a", "type": "b", "cniVersion": "0.2.0"})", "cniVersion \"0.2.0\" is not known"},
      {R"({"name": "a", "type": "b", "cniVersion": "9.0.0"})", "cniVersion \"9.0.0\" is not known"},
  };
  for (const auto& [text, message] : wrong) {
    const Result<Conflist> list = ParseConflist(text);
    ASSERT_FALSE(list.ok()) << text;
    EXPECT_THAT(list.error().message(), HasSubstr(message)) << text;
  }
}

TEST(ConflistTest, APluginNamesTheOneForAddresses) {
  const auto plugin = [](const std::string& ipam) {
    return ParseConflist(R"({"name": "lan", "type": "macvlan", "ipam": )" + ipam + "}");
  };
  EXPECT_EQ(plugin(R"({"type": "host-local"})")->plugins[0].AddressPlugin(), "host-local");
  for (const char* const none : {"{}", "null", "7"})
    EXPECT_EQ(plugin(none)->plugins[0].AddressPlugin(), "") << none;
  EXPECT_FALSE(plugin(R"({"type": "../sh"})").ok());
}

TEST(ConflistTest, VersionsHaveAnOrder) {
  EXPECT_TRUE(IsCniVersion("0.4.0"));
  EXPECT_TRUE(IsCniVersion("1.0.0", "0.4.0"));
  EXPECT_FALSE(IsCniVersion("0.3.1", "0.4.0"));
  EXPECT_FALSE(IsCniVersion("2.0.0"));
}

TEST(ConflistTest, NetworksAreFoundByTheirNames) {
  const DirectoryForTest directory;
  const std::string& path = directory.path();
  std::ofstream(path + "/10-mesh.conflist") << kMesh;
  std::ofstream(path + "/20-lan.conf") << R"({"name": "lan", "type": "macvlan"})";
  std::ofstream(path + "/30-bad.json") << "{";
  std::ofstream(path + "/readme.txt") << R"({"name": "text", "type": "macvlan"})";
  const Result<Conflist> found = FindConflist(path, "lan");
  ASSERT_TRUE(found.ok()) << found.error().message();
  EXPECT_EQ(found->plugins[0].type, "macvlan");
  const Result<Conflist> none = FindConflist(path, "text");
  ASSERT_FALSE(none.ok());
  EXPECT_EQ(none.code(), Code::kNotFound);
  EXPECT_THAT(none.error().message(), HasSubstr("there is no CNI network \"text\" in " + path));
  EXPECT_THAT(none.error().message(), HasSubstr("30-bad.json"));

  std::vector<std::string> problems;
  EXPECT_THAT(ListConflists(path, &problems), ElementsAre("lan", "mesh"));
  EXPECT_THAT(problems, ElementsAre(HasSubstr("30-bad.json")));
  problems.clear();
  EXPECT_THAT(ListConflists(path + "/none", &problems), ElementsAre());
  EXPECT_THAT(problems, ElementsAre());
}

TEST(ConflistTest, WhatIsNotReadIsNamed) {
  const DirectoryForTest directory;
  for (const char* const name : {"/10.conf", "/20.conf"})
    std::ofstream(directory.path() + name) << R"({"name": "lan", "type": "macvlan"})";
  std::vector<std::string> problems;
  EXPECT_THAT(ListConflists(directory.path(), &problems), ElementsAre("lan"));
  EXPECT_THAT(problems, ElementsAre(HasSubstr("/20.conf describes the network \"lan\", which")));
  for (int i = 100; i < 356; ++i)
    std::ofstream(directory.path() + "/" + std::to_string(i) + ".conf") << "{";
  problems.clear();
  (void)ListConflists(directory.path(), &problems);
  EXPECT_THAT(problems[0], HasSubstr("has 258 files, and only the first 256 are read"));
  const std::string error = FindConflist(directory.path(), "wan").error().message();
  EXPECT_LT(error.size(), 4096u) << error;
}

TEST(ConflistTest, AFileThatOthersCanChangeIsNotUsed) {
  const DirectoryForTest directory;
  const std::string file = directory.path() + "/mesh.conflist";
  std::ofstream(file) << kMesh;
  ASSERT_EQ(chmod(file.c_str(), 0666), 0);
  const Result<Conflist> found = FindConflist(directory.path(), "mesh");
  ASSERT_FALSE(found.ok());
  EXPECT_THAT(found.error().message(), HasSubstr("mesh.conflist"));
}

TEST(FirstPluginsTest, TheOthersAreGoneFromTheTextToo) {
  const Conflist whole = *ParseConflist(
      R"({"cniVersion": "0.4.0", "name": "n", "plugins": [{"type": "a"}, {"type": "b"}, {"type": "c"}]})");
  const Conflist two = FirstPlugins(whole, 2);
  ASSERT_EQ(two.plugins.size(), 2u);
  EXPECT_EQ(two.plugins[1].type, "b");
  const Result<Conflist> again = ParseConflist(two.text);
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->plugins.size(), 2u);
  EXPECT_EQ(again->name, "n");
  EXPECT_EQ(FirstPlugins(whole, 3).plugins.size(), 3u);
  const Conflist only = *ParseConflist(R"({"cniVersion": "0.4.0", "name": "n", "type": "a"})");
  EXPECT_EQ(FirstPlugins(only, 1).text, only.text);
}

}  // namespace
}  // namespace drover
