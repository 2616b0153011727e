// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/network_hook.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <optional>

#include "host/base/await_for_test.h"
#include "host/network/fake_plugins_for_test.h"
#include "host/network/network_files.h"
#include "host/process/network_namespace.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class NotingNetwork : public AllocControl {
 public:
  void RequestEnd(std::string) override {}
  void SetNetwork(AllocationNetwork network) override { seen = std::move(network); }
  std::optional<AllocationNetwork> seen;
};

class NetworkHookTest : public testing::Test {
 protected:
  NetworkHookTest() {
    AllocNetworksOptions options;
    options.directory = directory_.path() + "/run";
    options.notes = directory_.path() + "/notes";
    options.cni_path = fake_.path();
    options.cni_config_dir = directory_.path() + "/config";
    networks_ = std::make_shared<const AllocNetworks>(std::move(options));
    mkdir((directory_.path() + "/run").c_str(), 0700);
    mkdir((directory_.path() + "/config").c_str(), 0700);
    std::ofstream(directory_.path() + "/config/net.conflist") << FakePlugins::Network({"p"}).text;
  }
  ~NetworkHookTest() override { (void)DropNetworkNamespace(networks_->NamespaceFile("alloc")); }

  Status Run(Co<Status> stage) { return AwaitForTest(&loop_, std::move(stage)); }
  AllocHookRequest Request() const {
    auto job = std::make_shared<Job>();
    job->id = "job";
    job->groups.resize(1);
    job->groups[0].name = "group";
    job->groups[0].networks = {network_};
    auto alloc = std::make_shared<Allocation>();
    alloc->id = "alloc";
    alloc->job = std::move(job);
    alloc->group_name = "group";
    alloc->ports = {{"http", 20001, 80, "192.0.2.1"}, {"own", 20002, 0, "192.0.2.1", "task"}};
    AllocHookRequest request;
    request.alloc = std::move(alloc);
    return request;
  }
  std::unique_ptr<NetworkHook> MakeHook() {
    NetworkHookOptions options;
    options.pool = &pool_;
    options.networks = networks_;
    options.interpolate = [](const Allocation&, std::vector<std::string> texts) {
      for (std::string& text : texts) {
        if (text == "${name}") text = "web-1";
        if (text == "${bad}") text = "a b";
        if (text == "${none}") text = "";
      }
      return Result<std::vector<std::string>>(std::move(texts));
    };
    return std::make_unique<NetworkHook>(AllocHookEnv{&loop_, &resources_, &control_, nullptr},
                                         std::move(options));
  }
  // Makes a plugin that gives the namespace an address.
  void MakePlugin() {
    fake_.MakeGood("p", R"({"cniVersion": "0.4.0", "ips": [{"address": "10.254.8.2/24"}]})",
                   "nsenter --net=$CNI_NETNS sh -c 'ip link add eth0 type bridge && "
                   "ip address add 10.254.8.2/24 dev eth0'");
  }

  RealLoop loop_;
  WorkerPool pool_{1};
  DirectoryForTest directory_;
  FakePlugins fake_;
  Network network_{"cni/net", {}, {}, "${name}", {{"9.9.9.9"}, {}, {}}, {{"A", "b"}}};
  HookResources resources_;
  NotingNetwork control_;
  std::shared_ptr<const AllocNetworks> networks_;
};

TEST_F(NetworkHookTest, OnlyGroupsWithSuchANetworkNeedIt) {
  TaskGroup group;
  EXPECT_FALSE(NetworkHook::IsFor(group));
  group.networks.resize(1);
  for (const char* const mode : {"host", "none"}) {
    group.networks[0].mode = mode;
    EXPECT_FALSE(NetworkHook::IsFor(group)) << mode;
  }
  for (const char* const mode : {"bridge", "cni/net"}) {
    group.networks[0].mode = mode;
    EXPECT_TRUE(NetworkHook::IsFor(group)) << mode;
  }
  group.networks[0].mode = "host";
  group.networks[0].dns.options = {"rotate"};
  EXPECT_TRUE(NetworkHook::IsFor(group));
}

TEST_F(NetworkHookTest, TheNetworkIsThatOfTheJobAndOfTheAllocation) {
  if (geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
  MakePlugin();
  const auto hook = MakeHook();
  const Status made = Run(hook->Prerun(Context(&loop_), Request()));
  ASSERT_TRUE(made.ok()) << made.error().message();
  EXPECT_EQ(resources_.network_namespace(), networks_->NamespaceFile("alloc"));
  ASSERT_TRUE(control_.seen);
  EXPECT_EQ(control_.seen->address, "10.254.8.2");
  EXPECT_EQ(control_.seen->dns.servers, (std::vector<std::string>{"9.9.9.9"}));
  const std::string files = networks_->FilesDirectory("alloc");
  EXPECT_THAT(ReadHostText(files + "/hosts"), HasSubstr("10.254.8.2 web-1\n"));
  const NetworkNote note = **networks_->notes().Read("alloc");
  EXPECT_THAT(note.attachment.args, HasSubstr(";A=b;NOMAD_ALLOC_ID=alloc;NOMAD_GROUP_NAME=group;"
                                              "NOMAD_JOB_ID=job;"));
  EXPECT_EQ(note.attachment.runtime["portMappings"].size(), 2u) << "one port, two protocols";

  // The next agent finds it for tasks that must stop.
  HookResources of_next;
  NotingNetwork next_control;
  NetworkHookOptions options;
  options.pool = &pool_;
  options.networks = networks_;
  NetworkHook next(AllocHookEnv{&loop_, &of_next, &next_control, nullptr}, options);
  next.Restore(Request());
  EXPECT_EQ(of_next.network_namespace(), networks_->NamespaceFile("alloc"));
  EXPECT_EQ(next_control.seen, control_.seen);
  EXPECT_TRUE(Run(next.Postrun(Context(&loop_), Request())).ok());
  EXPECT_FALSE(networks_->notes().Has("alloc"));
  EXPECT_TRUE(Run(next.Destroy(Context(&loop_), Request())).ok());
  EXPECT_THAT(fake_.Calls(), ElementsAre("ADD p inside", "DEL p inside"));
}

TEST_F(NetworkHookTest, TextsAreCheckedAfterTheirVariables) {
  const auto hook = MakeHook();
  network_.hostname = "${bad}";
  EXPECT_EQ(Run(hook->Prerun(Context(&loop_), Request())).error().message(),
            "the network's hostname \"a b\" is not one after its variables are replaced");
  network_.hostname = "${none}";
  EXPECT_EQ(Run(hook->Prerun(Context(&loop_), Request())).error().message(),
            "the network's hostname \"\" is not one after its variables are replaced");
  network_.hostname = "";
  network_.dns.servers = {"${name}"};
  EXPECT_EQ(Run(hook->Prerun(Context(&loop_), Request())).error().message(),
            "the network's name server \"web-1\" is not one after its variables are replaced");
  network_.dns = {{}, {"${bad}"}, {}};
  EXPECT_THAT(Run(hook->Prerun(Context(&loop_), Request())).error().message(),
              HasSubstr("search domain or resolver option \"a b\""));
}

TEST_F(NetworkHookTest, TheHostsNetworkGetsOnlyAFile) {
  const auto hook = MakeHook();
  network_ = {};
  network_.dns.servers = {"9.9.9.9"};
  ASSERT_TRUE(Run(hook->Prerun(Context(&loop_), Request())).ok());
  EXPECT_EQ(resources_.network_namespace(), "");
  EXPECT_FALSE(control_.seen);
  const std::string files = networks_->FilesDirectory("alloc");
  EXPECT_EQ(ReadHostText(files + "/resolv.conf"), "nameserver 9.9.9.9\n");
  ASSERT_TRUE(Run(hook->Postrun(Context(&loop_), Request())).ok());
  EXPECT_NE(access(files.c_str(), F_OK), 0);
}

TEST_F(NetworkHookTest, AFailureNamesThePlugin) {
  if (geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
  fake_.Make("p", "echo garbage");
  const auto hook = MakeHook();
  EXPECT_EQ(Run(hook->Prerun(Context(&loop_), Request())).error().message(),
            "the CNI plugin \"p\" of the network \"net\" failed at ADD: its result is no JSON "
            "object, but garbage");
  EXPECT_EQ(resources_.network_namespace(), "");
  EXPECT_FALSE(networks_->notes().Has("alloc"));
}

TEST_F(NetworkHookTest, WithoutANoteTasksDoNotGetTheHostsNetwork) {
  MakeHook()->Restore(Request());
  EXPECT_EQ(resources_.network_namespace(), networks_->NamespaceFile("alloc"));
  EXPECT_FALSE(control_.seen);
}

TEST_F(NetworkHookTest, WithoutRootThereIsNoSuchNetwork) {
  if (geteuid() == 0) GTEST_SKIP() << "this is for agents that are not root";
  const auto hook = MakeHook();
  EXPECT_EQ(Run(hook->Prerun(Context(&loop_), Request())).code(), Code::kPermissionDenied);
}

}  // namespace
}  // namespace drover
