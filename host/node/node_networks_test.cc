// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/node_networks.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <sched.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <thread>

#include "host/base/directory_for_test.h"
#include "host/network/fake_plugins_for_test.h"
#include "host/network/namespace_addresses.h"
#include "host/process/network_namespace.h"

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

class NodeNetworksTest : public testing::Test {
 protected:
  NodeNetworksTest() {
    for (const char* const name : {"/run", "/allocs", "/config"})
      mkdir((directory_.path() + name).c_str(), 0700);
    std::ofstream(directory_.path() + "/config/net.conflist") << FakePlugins::Network({"p"}).text;
    fake_.MakeGood("p", "{}");
  }

  std::unique_ptr<NodeNetworks> Make(bool kept) {
    NodeNetworksOptions options;
    options.info = &info_;
    options.workers = &workers_;
    options.loaders = &workers_;
    options.client.run_dir = directory_.path() + "/run";
    options.client.alloc_dir = directory_.path() + "/allocs";
    options.client.cni_path = fake_.path();
    options.client.cni_config_dir = directory_.path() + "/config";
    options.node_id = "node";
    options.kept = kept;
    if (kept) options.notes_dir = directory_.path() + "/notes";
    Result<std::unique_ptr<NodeNetworks>> made = NodeNetworks::Create(std::move(options));
    DROVER_CHECK(made.ok());
    return std::move(*made);
  }
  // Writes a note of a network that the plugin p has made for ALLOC_ID.
  void Note(const std::string& notes, const std::string& alloc_id,
            const std::string& network_namespace = "/nonexistent") {
    NetworkNote note;
    note.alloc_id = alloc_id;
    note.network = FakePlugins::Network({"p"});
    note.attachment.container = alloc_id;
    note.attachment.network_namespace = network_namespace;
    note.attachment.path = fake_.path();
    ASSERT_TRUE(NetworkNotes(directory_.path() + notes).Write(note).ok());
  }
  void DropLeftovers(NodeNetworks* networks, bool keep_unknown = false) {
    auto give_up = std::make_shared<std::atomic<bool>>(false);
    DROVER_CHECK(loop_.RunToEnd(networks->DropLeftovers(keep_unknown, give_up)));
  }
  bool Exists(const std::string& path) const {
    return access((directory_.path() + path).c_str(), F_OK) == 0;
  }
  static std::shared_ptr<const Allocation> Alloc(const std::string& mode) {
    auto job = std::make_shared<Job>();
    job->groups.resize(1);
    job->groups[0].name = "group";
    if (!mode.empty()) job->groups[0].networks.resize(1);
    if (!mode.empty()) job->groups[0].networks[0].mode = mode;
    auto alloc = std::make_shared<Allocation>();
    alloc->id = "alloc";
    alloc->group_name = "group";
    alloc->job = std::move(job);
    return alloc;
  }

  RealLoop loop_;
  WorkerPool workers_{1};
  NodeInfo info_;
  DirectoryForTest directory_;
  FakePlugins fake_;
};

TEST_F(NodeNetworksTest, TheNodeOffersWhatItsPluginsMake) {
  const auto networks = Make(false);
  EXPECT_EQ(networks->WhyNot("host"), "");
  if (geteuid() != 0) {
    EXPECT_EQ(networks->WhyNot("bridge"), "it needs an agent that is root");
    return;
  }
  EXPECT_EQ(networks->attributes(), (StringMap{{"network.mode.cni/net", "net"}}));
  EXPECT_EQ(networks->WhyNot("cni/net"), "");
  EXPECT_THAT(networks->WhyNot("bridge"), HasSubstr("there is no CNI plugin \"bridge\" in"));
  EXPECT_EQ(networks->WhyNot("cni/other"),
            "no configuration in " + directory_.path() + "/config has this name");
}

TEST_F(NodeNetworksTest, WhatTheOperatorAddsIsFound) {
  if (geteuid() != 0) GTEST_SKIP() << "networks need root";
  const auto networks = Make(false);
  bool changed = true;
  StringMap all = {{"arch", "amd64"}, {"network.mode.cni/net", "net"}};
  const auto refresh = [&]() -> Co<void> { changed = co_await networks->Refresh(&all); };
  DROVER_CHECK(loop_.RunToEnd(refresh()));
  EXPECT_FALSE(changed);
  std::ofstream(directory_.path() + "/config/more.conflist")
      << R"({"cniVersion": "1.0.0", "name": "more", "plugins": [{"type": "p"}]})";
  unlink((directory_.path() + "/config/net.conflist").c_str());
  DROVER_CHECK(loop_.RunToEnd(refresh()));
  EXPECT_TRUE(changed);
  EXPECT_EQ(networks->attributes(), (StringMap{{"network.mode.cni/more", "more"}}));
  EXPECT_EQ(all, (StringMap{{"arch", "amd64"}, {"network.mode.cni/more", "more"}}));
  EXPECT_THAT(networks->WhyNot("cni/net"), HasSubstr("has this name"));
}

TEST_F(NodeNetworksTest, TheVersionsOfPluginsAreAttributes) {
  if (geteuid() != 0) GTEST_SKIP() << "networks need root";
  const std::string file = fake_.path() + "/versioned";
  std::ofstream(file) << "#!/bin/sh\necho CNI versioned plugin v1.2.3\n";
  chmod(file.c_str(), 0755);
  const auto networks = Make(false);
  bool changed = false;
  StringMap all = networks->attributes();
  const auto find = [&]() -> Co<void> { changed = co_await networks->FindVersions(&all); };
  const StringMap both = {{"network.mode.cni/net", "net"},
                          {"plugins.cni.version.versioned", "v1.2.3"}};
  DROVER_CHECK(loop_.RunToEnd(find()));
  EXPECT_TRUE(changed);
  EXPECT_EQ(all, both);
  EXPECT_EQ(networks->attributes(), both);
  DROVER_CHECK(loop_.RunToEnd(find()));
  EXPECT_FALSE(changed);
  // A look at the configurations keeps them.
  unlink((directory_.path() + "/config/net.conflist").c_str());
  const auto refresh = [&]() -> Co<void> { changed = co_await networks->Refresh(&all); };
  DROVER_CHECK(loop_.RunToEnd(refresh()));
  EXPECT_EQ(all, (StringMap{{"plugins.cni.version.versioned", "v1.2.3"}}));
  unlink(file.c_str());
  DROVER_CHECK(loop_.RunToEnd(find()));
  EXPECT_TRUE(changed);
  EXPECT_EQ(all, StringMap());
}

TEST_F(NodeNetworksTest, AnAgentThatEndsAsksNoPluginForItsVersion) {
  if (geteuid() != 0) GTEST_SKIP() << "networks need root";
  const auto write = [this](const char* name, const char* script) {
    const std::string file = fake_.path() + name;
    std::ofstream(file) << "#!/bin/sh\n" << script << "\n";
    chmod(file.c_str(), 0755);
  };
  write("/versioned", "echo CNI versioned plugin v1.2.3");
  const auto networks = Make(false);
  bool changed = false;
  StringMap all;
  const auto find = [&]() -> Co<void> { changed = co_await networks->FindVersions(&all); };
  DROVER_CHECK(loop_.RunToEnd(find()));
  EXPECT_TRUE(changed);
  const StringMap before = all;
  write("/hangs", "exec sleep 1000");
  unlink((fake_.path() + "/versioned").c_str());
  networks->StopAsking();
  DROVER_CHECK(loop_.RunToEnd(find()));
  EXPECT_FALSE(changed);
  EXPECT_EQ(all, before);
}

// The end of the agent does not wait for a plugin. The next agent removes the network.
TEST_F(NodeNetworksTest, AnAgentThatEndsCallsNoPlugin) {
  if (geteuid() != 0) GTEST_SKIP() << "networks need root";
  Note("/notes", "unknown");
  const auto networks = Make(true);
  networks->FindUnknown([](const std::string&) { return false; });
  networks->Stop();
  DropLeftovers(networks.get());
  EXPECT_THAT(fake_.Calls(), IsEmpty());
  EXPECT_TRUE(Exists("/notes/unknown.note"));
}

TEST_F(NodeNetworksTest, OnlyAllocationsWithANetworkHaveTheHook) {
  const auto networks = Make(false);
  LocalAllocEnv env;
  networks->AddHook(&env);
  ASSERT_EQ(env.extra_hooks.size(), 1u);
  const auto has_hook = [&](const std::string& mode) {
    AllocHookEnv of{&loop_, nullptr, nullptr, nullptr, Alloc(mode)};
    return env.extra_hooks[0](of) != nullptr;
  };
  EXPECT_FALSE(has_hook(""));
  EXPECT_FALSE(has_hook("host"));
  EXPECT_TRUE(has_hook("none"));
  EXPECT_FALSE(Exists("/run/networks-run-node"));
  EXPECT_TRUE(has_hook("cni/net"));
  EXPECT_TRUE(Exists("/run/networks-run-node"));
  TaskHooks hooks;
  networks->AddTaskHooks(*Alloc("none"), &hooks);
  EXPECT_THAT(hooks.before_stats, IsEmpty());
  networks->AddTaskHooks(*Alloc("cni/net"), &hooks);
  EXPECT_EQ(hooks.before_stats.size(), 1u);
}

TEST_F(NodeNetworksTest, ItsDirectoryGoesWithIt) {
  Make(true);
  EXPECT_FALSE(Exists("/notes"));
  {
    const auto networks = Make(false);
    LocalAllocEnv env;
    networks->AddHook(&env);
    (void)env.extra_hooks[0](AllocHookEnv{&loop_, nullptr, nullptr, nullptr, Alloc("bridge")});
    EXPECT_TRUE(Exists("/run/networks-run-node"));
  }
  EXPECT_FALSE(Exists("/run/networks-run-node"));
}

TEST_F(NodeNetworksTest, NothingIsMadeInADirectoryThatAnotherNodeHas) {
  const std::string path = directory_.path() + "/run/networks-run-node";
  ASSERT_EQ(mkdir(path.c_str(), 0700), 0);
  const UniqueFd other(open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(flock(other.get(), LOCK_EX), 0);
  const auto networks = Make(false);
  LocalAllocEnv env;
  networks->AddHook(&env);
  const auto hook =
      env.extra_hooks[0](AllocHookEnv{&loop_, nullptr, nullptr, nullptr, Alloc("cni/net")});
  AllocHookRequest request;
  request.alloc = Alloc("cni/net");
  Status status;
  const auto prerun = [&]() -> Co<void> {
    status = co_await hook->Prerun(Context(&loop_), request);
  };
  ASSERT_TRUE(loop_.RunToEnd(prerun()));
  ASSERT_FALSE(status.ok());
  EXPECT_EQ(status.error().message(), "cannot lock " + path);
  EXPECT_THAT(fake_.Calls(), IsEmpty());
}

TEST_F(NodeNetworksTest, NetworksOfUnknownAllocationsAreRemoved) {
  if (geteuid() != 0) GTEST_SKIP() << "networks need root";
  Note("/notes", "known");
  Note("/notes", "unknown");
  const auto networks = Make(true);
  networks->FindUnknown([](const std::string& id) { return id == "known"; });
  Note("/notes", "later");
  DropLeftovers(networks.get());
  EXPECT_THAT(fake_.Calls(), ElementsAre("DEL p"));
  EXPECT_TRUE(Exists("/notes/known.note"));
  EXPECT_TRUE(Exists("/notes/later.note"));
  EXPECT_FALSE(Exists("/notes/unknown.note"));
}

TEST_F(NodeNetworksTest, NetworksOfUnknownTasksMayStay) {
  if (geteuid() != 0) GTEST_SKIP() << "networks need root";
  Note("/notes", "unused");
  const std::string file = directory_.path() + "/namespace";
  const Result<UniqueFd> inside = KeepNetworkNamespace(file);
  ASSERT_TRUE(inside.ok()) << inside.error().message();
  Note("/notes", "used", file);
  const pid_t task = fork();
  if (task == 0) {
    if (setns(inside->get(), CLONE_NEWNET) == 0) pause();
    _exit(1);
  }
  while (!HasProcess(*inside)) std::this_thread::yield();
  const auto networks = Make(true);
  networks->FindUnknown([](const std::string&) { return false; });
  DropLeftovers(networks.get(), /*keep_unknown=*/true);
  EXPECT_TRUE(Exists("/notes/used.note"));
  EXPECT_FALSE(Exists("/notes/unused.note"));
  EXPECT_THAT(fake_.Calls(), ElementsAre("DEL p"));

  // The task has ended, and the next agent finds it so.
  kill(task, SIGKILL);
  waitpid(task, nullptr, 0);
  networks->FindUnknown([](const std::string&) { return false; });
  DropLeftovers(networks.get(), /*keep_unknown=*/true);
  EXPECT_FALSE(Exists("/notes/used.note"));
  EXPECT_FALSE(OpenNetworkNamespace(file).ok());
}

TEST_F(NodeNetworksTest, NetworksOfKilledRunsAreRemoved) {
  if (geteuid() != 0) GTEST_SKIP() << "networks need root";
  for (const char* const name : {"/run/networks-run-dead", "/run/networks-run-living"})
    ASSERT_EQ(mkdir((directory_.path() + name).c_str(), 0700), 0);
  Note("/run/networks-run-dead", "one");
  Note("/run/networks-run-living", "two");
  const std::string living = directory_.path() + "/run/networks-run-living";
  const UniqueFd lock(open(living.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  ASSERT_EQ(flock(lock.get(), LOCK_EX), 0);
  const auto networks = Make(false);
  DropLeftovers(networks.get());
  EXPECT_THAT(fake_.Calls(), ElementsAre("DEL p"));
  EXPECT_FALSE(Exists("/run/networks-run-dead"));
  EXPECT_TRUE(Exists("/run/networks-run-living/two.note"));
}

}  // namespace
}  // namespace drover
