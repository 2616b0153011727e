// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/alloc_networks.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <optional>
#include <thread>

#include "host/network/fake_plugins_for_test.h"
#include "host/network/network_files.h"
#include "host/process/network_namespace.h"

namespace drover {
namespace {

using nlohmann::json;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr char kAddress[] = R"({"cniVersion": "0.4.0", "ips": [{"address": "10.254.7.2/24"}]})";
// Gives the namespace an interface with the address above. A bridge needs no peer.
constexpr char kGiveAddress[] =
    "nsenter --net=$CNI_NETNS sh -c 'ip link show eth0 >/dev/null 2>&1 || "
    "(ip link add eth0 type bridge && ip address add 10.254.7.2/24 dev eth0)'";

TEST(RuntimeConfigTest, PortsAreMappedForBothProtocols) {
  NetworkWish wish;
  wish.ports = {{"http", 20001, 80, "192.0.2.1"}, {"same", 20002, -1, "0.0.0.0"}};
  wish.dns.servers = {"9.9.9.9"};
  EXPECT_EQ(RuntimeConfig(wish), json::parse(R"({
    "portMappings": [
      {"hostPort": 20001, "containerPort": 80, "protocol": "tcp", "hostIP": "192.0.2.1"},
      {"hostPort": 20001, "containerPort": 80, "protocol": "udp", "hostIP": "192.0.2.1"},
      {"hostPort": 20002, "containerPort": 20002, "protocol": "tcp"},
      {"hostPort": 20002, "containerPort": 20002, "protocol": "udp"}],
    "dns": {"servers": ["9.9.9.9"], "searches": [], "options": []}})"));
  EXPECT_EQ(RuntimeConfig({}), json::object());
}

class AllocNetworksTest : public testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
    const bool there = access("/usr/sbin/ip", X_OK) == 0 || access("/sbin/ip", X_OK) == 0;
    if (!there) GTEST_SKIP() << "the plugins of this test need the program ip (iproute2)";
    ASSERT_EQ(mkdir((directory_.path() + "/run").c_str(), 0700), 0);
    ASSERT_EQ(mkdir((directory_.path() + "/config").c_str(), 0700), 0);
    Configure({"first", "last"});
  }
  void TearDown() override {
    for (const char* const id : {"one", "two"}) {
      if (made_) (void)DropNetworkNamespace(Networks().NamespaceFile(id));
    }
  }

  void Configure(const std::vector<std::string>& plugins) {
    made_ = true;
    std::ofstream(directory_.path() + "/config/net.conflist") << FakePlugins::Network(plugins).text;
  }
  AllocNetworks Networks() const {
    AllocNetworksOptions options;
    options.directory = directory_.path() + "/run";
    options.notes = directory_.path() + "/notes";
    options.cni_path = fake_.path();
    options.cni_config_dir = directory_.path() + "/config";
    return AllocNetworks(options);
  }
  static NetworkWish Wish(const std::string& id = "one") {
    NetworkWish wish;
    wish.alloc_id = id;
    wish.mode = "cni/net";
    wish.hostname = "web";
    wish.dns.servers = {"9.9.9.9"};
    return wish;
  }
  void MakeGoodPlugins() {
    fake_.MakeGood("first", kAddress, kGiveAddress);
    fake_.MakeGood("last", kAddress);
  }
  // Returns the names of everything that is left of the networks.
  std::vector<std::string> Left() const {
    std::vector<std::string> names;
    for (const char* const place : {"/run", "/notes"}) {
      std::error_code failed;
      for (const auto& entry :
           std::filesystem::directory_iterator(directory_.path() + place, failed)) {
        names.push_back(entry.path().filename());
      }
    }
    return names;
  }

  bool made_ = false;
  DirectoryForTest directory_;
  FakePlugins fake_;
};

TEST_F(AllocNetworksTest, ItIsMadeOnceAndLeavesNothing) {
  MakeGoodPlugins();
  const Result<MadeNetwork> made = Networks().Make(Wish());
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(made->network_namespace, directory_.path() + "/run/one");
  EXPECT_EQ(made->status, (AllocationNetwork{"eth0", "10.254.7.2", "", {{"9.9.9.9"}, {}, {}}}));
  EXPECT_TRUE(OpenNetworkNamespace(made->network_namespace).ok());
  const std::string files = Networks().FilesDirectory("one");
  EXPECT_THAT(ReadHostText(files + "/hosts"), HasSubstr("10.254.7.2 web\n"));
  EXPECT_EQ(ReadHostText(files + "/resolv.conf"), "nameserver 9.9.9.9\n");
  EXPECT_EQ(ReadHostText(files + "/hostname"), "web\n");

  // The next agent finds it again.
  const Result<MadeNetwork> again = Networks().Make(Wish());
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->status, made->status);
  EXPECT_EQ(Networks().Known("one")->status, made->status);
  EXPECT_THAT(fake_.Calls(), ElementsAre("ADD first inside", "ADD last inside"));

  fake_.Forget();
  const Status dropped = Networks().Drop("one");
  ASSERT_TRUE(dropped.ok()) << dropped.error().message();
  EXPECT_THAT(fake_.Calls(), ElementsAre("DEL last inside", "DEL first inside"));
  EXPECT_EQ(fake_.ConfigOf("first", "DEL")["prevResult"], json::parse(kAddress));
  EXPECT_THAT(Left(), IsEmpty());
  EXPECT_TRUE(Networks().Drop("one").ok());
  EXPECT_FALSE(Networks().Known("one"));
}

TEST_F(AllocNetworksTest, AFailedPluginLeavesNothing) {
  fake_.MakeGood("first", kAddress, kGiveAddress);
  fake_.Make("last", R"(echo '{"code": 7, "msg": "no more rules"}'; exit 1)");
  const Result<MadeNetwork> made = Networks().Make(Wish());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(),
            "the CNI plugin \"last\" of the network \"net\" failed at ADD: no more rules");
  EXPECT_THAT(fake_.Calls(), ElementsAre("ADD first inside", "ADD last inside", "DEL last inside",
                                         "DEL first inside"));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(AllocNetworksTest, APluginThatLiesIsFoundOut) {
  fake_.MakeGood("first", kAddress);  // gives no address
  fake_.MakeGood("last", kAddress);
  const Result<MadeNetwork> made = Networks().Make(Wish());
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(),
            "its CNI plugins report the address 10.254.7.2, but the interface eth0 in its network "
            "namespace has no such address");
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(AllocNetworksTest, WhatCannotBeRemovedStaysNoted) {
  fake_.MakeGood("first", kAddress, kGiveAddress);
  fake_.Make("last", "exit 1", "exit 2");
  const Result<MadeNetwork> made = Networks().Make(Wish());
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message(), HasSubstr("what it has made could not be removed: the CNI "
                                                "plugin \"last\" of the network \"net\" failed at "
                                                "DEL"));
  EXPECT_TRUE(Networks().notes().Has("one"));
  EXPECT_FALSE(Networks().Drop("one").ok());
  MakeGoodPlugins();
  EXPECT_TRUE(Networks().Drop("one").ok());
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(AllocNetworksTest, AMissingPluginMakesNothing) {
  fake_.MakeGood("first", kAddress, kGiveAddress);
  const Result<MadeNetwork> made = Networks().Make(Wish());
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message(), HasSubstr("there is no CNI plugin \"last\" in"));
  EXPECT_THAT(fake_.Calls(), IsEmpty());
  EXPECT_THAT(Left(), IsEmpty());
  NetworkWish other = Wish();
  other.mode = "cni/other";
  EXPECT_THAT(Networks().Make(other).error().message(),
              HasSubstr("there is no CNI network \"other\" in"));
  EXPECT_THAT(Left(), IsEmpty());
}

// Without it, the plugin could neither add nor remove anything.
TEST_F(AllocNetworksTest, AMissingPluginForAddressesMakesNothing) {
  MakeGoodPlugins();
  std::ofstream(directory_.path() + "/config/net.conflist")
      << R"({"cniVersion": "0.4.0", "name": "net", "plugins": [
              {"type": "first", "ipam": {"type": "leases"}}]})";
  const Result<MadeNetwork> made = Networks().Make(Wish());
  ASSERT_FALSE(made.ok());
  EXPECT_THAT(made.error().message(), HasSubstr("there is no CNI plugin \"leases\" in"));
  EXPECT_THAT(fake_.Calls(), IsEmpty());
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(AllocNetworksTest, AnAllocationThatEndsMeanwhileLeavesNothing) {
  MakeGoodPlugins();
  const std::string begun = directory_.path() + "/begun";
  const std::string ended = directory_.path() + "/ended";
  ASSERT_EQ(mkfifo(begun.c_str(), 0600), 0);
  ASSERT_EQ(mkfifo(ended.c_str(), 0600), 0);
  fake_.MakeGood("last", kAddress, "echo > " + begun + "; cat " + ended);
  std::atomic<bool> gone = false;
  std::thread ends([&] {
    std::ifstream pipe(begun);
    std::string line;
    std::getline(pipe, line);
    gone = true;
    std::ofstream(ended) << "";
  });
  const Result<MadeNetwork> made = Networks().Make(Wish(), &gone);
  // If no plugin was called, these let the thread go on.
  UniqueFd(open(begun.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC)).Reset();
  const UniqueFd other_end(open(ended.c_str(), O_RDWR | O_NONBLOCK | O_CLOEXEC));
  ends.join();
  EXPECT_EQ(made.code(), Code::kCancelled);
  EXPECT_THAT(fake_.Calls(), ElementsAre("ADD first inside", "ADD last inside", "DEL last inside",
                                         "DEL first inside"));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(AllocNetworksTest, WhatAKilledAgentHasBegunIsUndoneFirst) {
  MakeGoodPlugins();
  ASSERT_TRUE(Networks().Make(Wish()).ok());
  NetworkNote note = **Networks().notes().Read("one");
  note.result = nullptr;  // killed before the plugins had ended
  ASSERT_TRUE(Networks().notes().Write(note).ok());
  fake_.Forget();
  EXPECT_FALSE(Networks().Known("one"));
  ASSERT_TRUE(Networks().Make(Wish()).ok());
  EXPECT_THAT(fake_.Calls(), ElementsAre("DEL last inside", "DEL first inside", "ADD first inside",
                                         "ADD last inside"));
  // Some plugins remove only rules for the addresses that they are told.
  EXPECT_EQ(fake_.ConfigOf("last", "DEL")["prevResult"]["ips"],
            json::parse(R"([{"address": "10.254.7.2/24", "interface": 0, "version": "4"}])"));
  EXPECT_TRUE(Networks().Drop("one").ok());
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(AllocNetworksTest, AfterARebootItIsMadeAnew) {
  MakeGoodPlugins();
  ASSERT_TRUE(Networks().Make(Wish()).ok());
  ASSERT_TRUE(DropNetworkNamespace(Networks().NamespaceFile("one")).ok());
  fake_.Forget();
  const Result<MadeNetwork> made = Networks().Make(Wish());
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_THAT(fake_.Calls(),
              ElementsAre("DEL last", "DEL first", "ADD first inside", "ADD last inside"));
  EXPECT_TRUE(Networks().Drop("one").ok());
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(AllocNetworksTest, AnotherRunDirectoryKeepsAndRemovesIt) {
  MakeGoodPlugins();
  const Result<MadeNetwork> made = Networks().Make(Wish());
  ASSERT_TRUE(made.ok());
  ASSERT_EQ(mkdir((directory_.path() + "/other").c_str(), 0700), 0);
  AllocNetworksOptions options;
  options.directory = directory_.path() + "/other";
  options.notes = directory_.path() + "/notes";
  options.cni_path = fake_.path();
  const AllocNetworks next(options);
  const Result<MadeNetwork> again = next.Make(Wish());
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->network_namespace, made->network_namespace) << "its tasks are in it";
  EXPECT_EQ(next.Known("one")->network_namespace, made->network_namespace);
  EXPECT_THAT(ReadHostText(next.FilesDirectory("one") + "/hosts"), HasSubstr("10.254.7.2 web\n"));
  EXPECT_TRUE(next.Drop("one").ok());
  EXPECT_FALSE(OpenNetworkNamespace(made->network_namespace).ok());
  EXPECT_THAT(Left(), ElementsAre("one.lock")) << "of the agent before";
  EXPECT_TRUE(std::filesystem::is_empty(directory_.path() + "/other"));
}

TEST_F(AllocNetworksTest, AChangedConfigurationRemovesWhatTheOldOneHasMade) {
  MakeGoodPlugins();
  ASSERT_TRUE(Networks().Make(Wish()).ok());
  Configure({"other"});
  fake_.Forget();
  EXPECT_TRUE(Networks().Drop("one").ok());
  EXPECT_THAT(fake_.Calls(), ElementsAre("DEL last inside", "DEL first inside"));
  EXPECT_THAT(Left(), IsEmpty());
}

// The kernel starts no program with so long a variable, also not the one that removes the network.
TEST_F(AllocNetworksTest, ArgumentsThatNoPluginCanGetMakeNothing) {
  MakeGoodPlugins();
  NetworkWish wish = Wish();
  for (int i = 0; i < 64; ++i) wish.args["A" + std::to_string(i)] = std::string(4096, 'x');
  const Result<MadeNetwork> made = Networks().Make(wish);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(),
            "the arguments for the CNI plugins are longer than 65536 bytes");
  EXPECT_THAT(fake_.Calls(), IsEmpty());
  EXPECT_THAT(Left(), IsEmpty());
}

// Plugins split the text at each "=", and refuse all of it if one value has another one.
TEST_F(AllocNetworksTest, ValuesThatPluginsRefuseAreLeftOut) {
  MakeGoodPlugins();
  NetworkWish wish = Wish();
  wish.args = {{"A", "b"}, {"NOMAD_GROUP_NAME", "a;b"}, {"NOMAD_JOB_ID", "a=b"}};
  ASSERT_TRUE(Networks().Make(wish).ok());
  EXPECT_EQ((*Networks().notes().Read("one"))->attachment.args, "IgnoreUnknown=true;A=b");
  EXPECT_TRUE(Networks().Drop("one").ok());
}

// The hook has given a call up that still waited, and then dropped what there was.
TEST_F(AllocNetworksTest, AfterItsEndNothingIsMade) {
  MakeGoodPlugins();
  std::atomic<bool> gone = true;
  EXPECT_EQ(Networks().Make(Wish(), &gone).code(), Code::kCancelled);
  EXPECT_THAT(fake_.Calls(), IsEmpty());
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(AllocNetworksTest, DropWaitsForWhoMakesIt) {
  const std::string path = directory_.path() + "/run/one.lock";
  Result<NetworkLock> taken = NetworkLock::Take(path);
  ASSERT_TRUE(taken.ok());
  std::optional<NetworkLock> maker(std::move(*taken));
  Status dropped = Error(Code::kInternal, "not yet");
  std::thread dropper([&] { dropped = Networks().Drop("one"); });
  // The maker writes its note while the other waits, or before that.
  MakeGoodPlugins();
  NetworkNote note;
  note.alloc_id = note.attachment.container = "one";
  note.network = FakePlugins::Network({"last"});
  note.attachment.path = fake_.path();
  EXPECT_TRUE(Networks().notes().Write(note).ok());
  maker.reset();
  dropper.join();
  EXPECT_TRUE(dropped.ok()) << dropped.error().message();
  EXPECT_THAT(fake_.Calls(), ElementsAre("DEL last"));
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(AllocNetworksTest, ALockOfAKilledAgentGoes) {
  std::ofstream(directory_.path() + "/run/one.lock").close();
  EXPECT_TRUE(Networks().Drop("one").ok());
  EXPECT_THAT(Left(), IsEmpty());
}

// portmap would map nothing, and say nothing.
TEST_F(AllocNetworksTest, APortOfTheOtherFamilyIsRefused) {
  Configure({"first", "portmap"});
  fake_.MakeGood("first", kAddress, kGiveAddress);
  fake_.MakeGood("portmap", kAddress);
  NetworkWish wish = Wish();
  wish.ports = {{"http", 20001, 80, "2001:db8::1"}};
  const Result<MadeNetwork> made = Networks().Make(wish);
  ASSERT_FALSE(made.ok());
  EXPECT_EQ(made.error().message(),
            "the port \"http\" is on the address 2001:db8::1 of the host, but the network gives "
            "allocations no IPv6 address: add one to the network, or use another host_network");
  EXPECT_THAT(Left(), IsEmpty());
  wish.ports = {{"http", 20001, 80, "192.0.2.1"}};
  EXPECT_TRUE(Networks().Make(wish).ok());
  EXPECT_TRUE(Networks().Drop("one").ok());
}

TEST_F(AllocNetworksTest, ASweepLeavesALaterNetworkAlone) {
  MakeGoodPlugins();
  ASSERT_TRUE(Networks().Make(Wish()).ok());
  ASSERT_TRUE(Networks().Make(Wish("two")).ok());
  const std::vector<NoteIdentity> seen = Networks().notes().List();
  ASSERT_EQ(seen.size(), 2u);
  ASSERT_TRUE(Networks().Drop("one").ok());
  ASSERT_TRUE(Networks().Make(Wish()).ok());
  for (const NoteIdentity& note : seen) EXPECT_TRUE(Networks().DropIfStill(note).ok());
  EXPECT_TRUE(Networks().notes().Has("one"));
  EXPECT_FALSE(Networks().notes().Has("two"));
  EXPECT_TRUE(Networks().Drop("one").ok());
  EXPECT_TRUE(Networks().DropIfStill(seen[0]).ok());
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(AllocNetworksTest, StraysGoButNotWhatIsKnownOrNoted) {
  MakeGoodPlugins();
  ASSERT_TRUE(Networks().Make(Wish()).ok());
  const std::string run = directory_.path() + "/run/";
  ASSERT_TRUE(KeepNetworkNamespace(run + "two").ok());
  ASSERT_TRUE(KeepNetworkNamespace(run + "kept").ok());
  ASSERT_TRUE(MakeNetworkFiles(run + "two.files", {"hosts\n", "", ""}).ok());
  std::ofstream(run + "two.lock").close();
  std::ofstream(run + "half").close();  // killed before the mount
  std::ofstream(directory_.path() + "/notes/two.note.new").close();
  Networks().DropStrays([](const std::string& id) { return id == "kept"; });
  EXPECT_THAT(Left(),
              testing::UnorderedElementsAre("one", "one.files", "one.lock", "kept", "one.note"));
  Networks().DropStrays([](const std::string&) { return false; });
  EXPECT_TRUE(Networks().Drop("one").ok());
  EXPECT_THAT(Left(), IsEmpty());
}

TEST_F(AllocNetworksTest, TheHostsNetworkGetsOnlyItsFiles) {
  NetworkWish wish = Wish();
  wish.mode = "host";
  wish.hostname.clear();
  ASSERT_TRUE(Networks().MakeFiles(wish).ok());
  const std::string files = Networks().FilesDirectory("one");
  EXPECT_EQ(ReadHostText(files + "/resolv.conf"), "nameserver 9.9.9.9\n");
  EXPECT_NE(access((files + "/hosts").c_str(), F_OK), 0);
  EXPECT_TRUE(Networks().Drop("one").ok());
  EXPECT_THAT(Left(), IsEmpty());
}

}  // namespace
}  // namespace drover
