// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/cni_versions.h"

#include <gmock/gmock.h>
#include <sys/eventfd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Pair;

TEST(CniVersionTest, APluginSaysItsVersion) {
  EXPECT_EQ(VersionSaid("CNI bridge plugin v1.1.1"), "v1.1.1");
  EXPECT_EQ(VersionSaid("CNI bridge plugin v1.2.0-rc.1\nCNI protocol versions supported: 1.0.0\n"),
            "v1.2.0-rc.1");
  EXPECT_EQ(VersionSaid("CNI flannel plugin 1.4 \n"), "1.4");
}

TEST(CniVersionTest, ElseItIsThatOfTheInterface) {
  EXPECT_EQ(VersionSaid("CNI bridge plugin version unknown\n"
                        "CNI protocol versions supported: 0.1.0, 0.10.0, 1.0.0, 0.4.0\nmore 9.9.9"),
            "1.0.0");
  EXPECT_EQ(NewestInterface(R"({"cniVersion":"1.0.0","supportedVersions":["0.4.0","1.1.0",7]})"),
            "1.1.0");
}

TEST(CniVersionTest, WhatIsNoVersionIsNone) {
  for (const char* const said :
       {"", "\n", "usage: plugin", "v", "1", "1.", ".1", "1.2.3.4", "1.2.x", "v1.2-\x1b[0m",
        "1.9999999", "CNI protocol versions supported:", "CNI protocol versions supported: , ,"}) {
    EXPECT_EQ(VersionSaid(said), "") << said;
  }
  EXPECT_EQ(VersionSaid("1.0-" + std::string(1000, 'a')), "");
  for (const char* const said : {"", "[]", "{}", R"({"supportedVersions": 1})", "{"}) {
    EXPECT_EQ(NewestInterface(said), "") << said;
  }
}

class CniVersionsTest : public testing::Test {
 protected:
  void Make(const std::string& name, const std::string& script, mode_t mode = 0755) {
    const std::string file = directory_.path() + "/" + name;
    std::ofstream(file) << "#!/bin/sh\n[ $# = 0 ] || echo " << name << " >> " << directory_.path()
                        << "/.log\n"
                        << script << "\n";
    chmod(file.c_str(), mode);
  }
  // Returns the plugins that were asked since the last call.
  std::vector<std::string> Asked() {
    std::vector<std::string> lines;
    std::ifstream log(directory_.path() + "/.log");
    for (std::string line; std::getline(log, line);) lines.push_back(line);
    unlink((directory_.path() + "/.log").c_str());
    return lines;
  }
  std::map<std::string, std::string> Find() {
    CniVersionSearch search;
    search.path = "/nonexistent:relative:" + directory_.path();
    search.known = known_;
    search.stop = stop_.get();
    search.limit = limit_;
    known_ = FindCniVersions(search, &problems_);
    std::map<std::string, std::string> versions;
    for (const auto& [name, plugin] : known_) versions[name] = plugin.version;
    return versions;
  }

  const DirectoryForTest directory_;
  CniVersionMap known_;
  std::vector<std::string> problems_;
  UniqueFd stop_;
  Duration limit_ = 20s;
};

TEST_F(CniVersionsTest, EachIsAskedOnceUntilItChanges) {
  Make("named", "echo CNI named plugin v1.2.3 >&2");
  Make("unknown",
       "[ \"$CNI_COMMAND\" = VERSION ] || exit 1\ncat >/dev/null\n"
       R"(echo '{"supportedVersions": ["0.4.0", "1.0.0"]}')");
  Make("silent", "exit 3");
  Make("data", "echo CNI data plugin v1.0.0", 0644);
  EXPECT_THAT(Find(),
              ElementsAre(Pair("named", "v1.2.3"), Pair("silent", ""), Pair("unknown", "1.0.0")));
  EXPECT_THAT(Asked(), ElementsAre("named", "silent", "unknown"));
  Find();
  EXPECT_THAT(Asked(), IsEmpty());
  Make("named", "echo CNI named plugin v1.10.0");
  EXPECT_EQ(Find()["named"], "v1.10.0");
  EXPECT_THAT(Asked(), ElementsAre("named"));
  EXPECT_THAT(problems_, IsEmpty());
}

TEST_F(CniVersionsTest, HostilePluginsCostALimitedTime) {
  limit_ = 300ms;
  Make("endless", "while :; do echo 0123456789; done");
  Make("hangs", "exec sleep 1000");
  EXPECT_THAT(Find(), ElementsAre(Pair("endless", ""), Pair("hangs", "")));
  ASSERT_THAT(problems_,
              testing::Contains(
                  HasSubstr("the CNI plugin \"hangs\" took longer than 300ms to say its version")));
  Asked();
  Find();
  EXPECT_THAT(Asked(), IsEmpty());
}

TEST_F(CniVersionsTest, AnAgentThatEndsAsksNobody) {
  Make("hangs", "exec sleep 1000");
  stop_ = UniqueFd(eventfd(1, EFD_CLOEXEC));
  EXPECT_THAT(Find(), IsEmpty());
  EXPECT_THAT(problems_, IsEmpty());
}

}  // namespace
}  // namespace drover
