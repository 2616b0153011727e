// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Networks whose addresses somebody else has.
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "host/network/alloc_networks.h"
#include "host/network/fake_plugins_for_test.h"
#include "host/process/network_namespace.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// The plugin "first" joins each namespace with another one by a cable, and gives it the addresses
// 10.254.7.2, 10.254.7.3 and so on. $N is the number of calls before.
constexpr char kJoin[] =
    "N=$(cat $DIR/count 2>/dev/null || echo 0); echo $((N+1)) > $DIR/count; "
    "ip link add eth0 netns $CNI_NETNS type veth peer name peer netns $DIR/other && "
    "nsenter --net=$DIR/other ip link set peer up && "
    "nsenter --net=$CNI_NETNS sh -c \"ip link set eth0 up && ip address add $IP/24 dev eth0\" && ";
constexpr char kSay[] =
    R"(echo "{\"cniVersion\": \"0.4.0\", \"ips\": [{\"address\": \"$IP/24\"}]}")";

class TakenAddressTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
    const bool there = access("/usr/sbin/ip", X_OK) == 0 || access("/sbin/ip", X_OK) == 0;
    if (!there) GTEST_SKIP() << "the plugins of this test need the program ip (iproute2)";
    for (const char* const name : {"/run", "/config"})
      ASSERT_EQ(mkdir((directory_.path() + name).c_str(), 0700), 0);
    std::ofstream(directory_.path() + "/config/net.conflist")
        << FakePlugins::Network({"first", "last"}).text;
    other_ = fake_.path() + "/other";
    ASSERT_TRUE(KeepNetworkNamespace(other_).ok());
    Enter("ip link set lo up");
    MakePlugins("IP=10.254.7.$(($(cat $DIR/count 2>/dev/null || echo 0)+2)); ");
  }
  void TearDown() override {
    if (other_.empty()) return;
    (void)Networks().Drop("one");
    (void)DropNetworkNamespace(other_);
  }

  void MakePlugins(const std::string& address) {
    fake_.Make("first", address + kJoin + kSay,
               "nsenter --net=$DIR/other ip link delete peer; exit 0");
    fake_.Make("last", R"(sed 's/.*"prevResult"://; s/,"type":"last"}$//' $IN)");
  }
  // Runs COMMAND in the other namespace.
  void Enter(const std::string& command) {
    ASSERT_EQ(std::system(("nsenter --net=" + other_ + " " + command).c_str()), 0) << command;
  }
  // Gives the other namespace an address.
  void Take(const std::string& address) { Enter("ip address add " + address + "/32 dev lo"); }
  AllocNetworks Networks() const {
    AllocNetworksOptions options;
    options.directory = directory_.path() + "/run";
    options.notes = directory_.path() + "/notes";
    options.cni_path = fake_.path();
    options.cni_config_dir = directory_.path() + "/config";
    options.check_addresses = check_;
    return AllocNetworks(options);
  }
  Result<MadeNetwork> Make(const std::atomic<bool>* gone = nullptr) {
    NetworkWish wish;
    wish.alloc_id = "one";
    wish.mode = "cni/net";
    return Networks().Make(wish, gone);
  }
  bool IsEmptyDirectory(const std::string& name) const {
    std::error_code failed;
    return std::filesystem::directory_iterator(directory_.path() + name, failed) ==
           std::filesystem::directory_iterator();
  }

  DirectoryForTest directory_;
  FakePlugins fake_;
  std::string other_;
  bool check_ = true;
};

// The later plugins would make and remove rules for the address of the one who has it.
TEST_F(TakenAddressTest, ThePluginsAreAskedForAnotherOneBeforeTheyMakeRules) {
  Take("10.254.7.2");
  const Result<MadeNetwork> made = Make();
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(made->status.address, "10.254.7.3");
  EXPECT_THAT(fake_.Calls(), ElementsAre("ADD first inside", "DEL first inside", "ADD first inside",
                                         "ADD last inside"));
  fake_.Forget();
  EXPECT_TRUE(Networks().Drop("one").ok());
  EXPECT_THAT(fake_.Calls(), ElementsAre("DEL last inside", "DEL first inside"));
}

TEST_F(TakenAddressTest, AfterThreeTriesItFails) {
  for (const char* const address : {"10.254.7.2", "10.254.7.3", "10.254.7.4"}) Take(address);
  const Result<MadeNetwork> made = Make();
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message(),
              HasSubstr("the address 10.254.7.4, which the CNI plugins of the network \"net\" have "
                        "given, is in use already: "));
  EXPECT_THAT(made.error().message(),
              HasSubstr(" answers for it: take the address from it, or out of the addresses of the "
                        "network"));
  EXPECT_TRUE(IsEmptyDirectory("/run"));
  EXPECT_TRUE(IsEmptyDirectory("/notes"));
}

TEST_F(TakenAddressTest, PluginsThatKnowOneAddressAreAskedTwice) {
  Take("10.254.7.2");
  MakePlugins("IP=10.254.7.2; ");
  EXPECT_FALSE(Make().ok());
  EXPECT_THAT(fake_.Calls(), ElementsAre("ADD first inside", "DEL first inside", "ADD first inside",
                                         "DEL first inside"));
}

TEST_F(TakenAddressTest, TheOperatorMayForbidTheCheck) {
  Take("10.254.7.2");
  check_ = false;
  const Result<MadeNetwork> made = Make();
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(made->status.address, "10.254.7.2");
}

}  // namespace
}  // namespace drover
