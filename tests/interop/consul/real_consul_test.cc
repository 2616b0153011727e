// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/base/directory_for_test.h"
#include "host/base/loop.h"
#include "host/base/unique_fd.h"
#include "host/base/worker_pool.h"
#include "host/client/scripted_server_for_test.h"
#include "host/consul/consul_agent.h"
#include "host/consul/consul_checks.h"
#include "host/consul/consul_sync.h"
#include "host/consul/make_consul_service.h"

extern char** environ;

namespace drover {
namespace {

constexpr char kRealAlloc[] = "0a1b2c3d-0000-4000-8000-0000000000aa";
constexpr char kRealOther[] = "0a1b2c3d-0000-4000-8000-0000000000bb";

// A process of Consul.
class RealConsul {
 public:
  RealConsul() : directory_(::testing::TempDir()), port_(FreePort()), server_port_(FreePort()) {}
  ~RealConsul() { Kill(); }

  // Returns when its API answers.
  void Start() {
    const std::string ready = directory_.path() + "/ready";
    std::filesystem::remove(ready);
    std::filesystem::create_directories(data());
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const UniqueFd read_end(ends[0]);
    input_.Reset(ends[1]);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, read_end.get(), 0);
    const std::string log = directory_.path() + "/log";
    for (const int fd : {1, 2}) {
      posix_spawn_file_actions_addopen(&actions, fd, log.c_str(), O_WRONLY | O_CREAT | O_APPEND,
                                       0600);
    }
    std::vector<std::string> env = {"CONSUL_PORT=" + std::to_string(port_),
                                    "CONSUL_SERVER_PORT=" + std::to_string(server_port_),
                                    "CONSUL_DATA=" + data(), "CONSUL_READY=" + ready};
    std::vector<char*> env_pointers;
    for (char** at = environ; *at != nullptr; ++at) env_pointers.push_back(*at);
    for (std::string& one : env) env_pointers.push_back(one.data());
    env_pointers.push_back(nullptr);
    std::vector<std::string> args = {std::getenv("DROVER_CONSUL_PROGRAM"), "-test.run=TestServe",
                                     "-test.timeout=10m"};
    std::vector<char*> arg_pointers;
    for (std::string& one : args) arg_pointers.push_back(one.data());
    arg_pointers.push_back(nullptr);
    const int error = posix_spawn(&pid_, arg_pointers[0], &actions, nullptr, arg_pointers.data(),
                                  env_pointers.data());
    posix_spawn_file_actions_destroy(&actions);
    ASSERT_EQ(error, 0);
    for (int i = 0; i < 600 && !std::filesystem::exists(ready); ++i) usleep(50'000);
    std::string address;
    std::ifstream(ready) >> address;
    ASSERT_EQ(address, "127.0.0.1:" + std::to_string(port_)) << "see " << log;
  }
  void Kill() {
    if (pid_ <= 0) return;
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
    pid_ = 0;
  }
  void Wipe() const { std::filesystem::remove_all(data()); }
  void Signal(int signal) const { kill(pid_, signal); }
  std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }

 private:
  static int FreePort() {
    const ScriptedServer server([](ScriptedPeer*, int) {});
    const std::string address = server.address();
    return std::stoi(address.substr(address.rfind(':') + 1));
  }
  std::string data() const { return directory_.path() + "/data"; }

  const DirectoryForTest directory_;
  const int port_;
  const int server_port_;  // the same after a restart, since the server's log names it
  UniqueFd input_;         // Consul ends with it, also if this test is killed
  pid_t pid_ = 0;
};

template <typename T>
Co<void> KeepReal(Co<T> work, std::optional<T>* out) {
  *out = co_await std::move(work);
}

class RealConsulTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (std::getenv("DROVER_CONSUL_PROGRAM") == nullptr) {
      GTEST_SKIP() << "DROVER_CONSUL_PROGRAM is not set: run tests/interop/consul/test_consul.py";
    }
    consul_.Start();
    ConsulOptions options;
    options.url = consul_.url();
    options.timeout = 1s;
    agent_ = *ConsulAgent::Create(std::move(options), &pool_);
    Begin();
  }
  void TearDown() override {
    if (sync_ != nullptr) End();
  }
  void Begin() {
    ConsulSync::Options options;
    options.node_id = "node-1";
    options.log = [this](const std::string& sentence) { log_.push_back(sentence); };
    sync_ = std::make_unique<ConsulSync>(&loop_, agent_.get(), std::move(options));
    sync_->Start();
  }
  void End() {
    EXPECT_TRUE(loop_.RunToEnd(sync_->Stop()));
    sync_.reset();
  }
  template <typename T>
  T Wait(Co<T> work) {
    std::optional<T> out;
    EXPECT_TRUE(loop_.RunToEnd(KeepReal(std::move(work), &out), 60s));
    return *std::move(out);
  }
  // Returns what Consul has, by a connection of its own.
  ConsulServices Services() {
    const Result<ConsulServices> read = Wait(agent_->ListServices(Context(&loop_)));
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message());
    return read.value_or(ConsulServices());
  }
  ConsulCheckStateMap Checks() {
    const Result<ConsulCheckStateMap> read = Wait(agent_->ListChecks(Context(&loop_)));
    EXPECT_TRUE(read.ok()) << (read.ok() ? "" : read.error().message());
    return read.value_or(ConsulCheckStateMap());
  }
  bool RunUntil(const std::function<bool()>& done, Duration limit) {
    const TimePoint end = loop_.Now() + limit;
    while (!done() && loop_.Now() < end) Wait(Sleep(Context(&loop_), 50ms)).ok();
    return done();
  }

  // A service with a check of each kind. PORT is that of a server on loopback.
  static ConsulService ServiceOf(const std::string& alloc_id, const std::string& name,
                                 int port = 9) {
    Service service;
    service.meta = {{"k", "v"}};
    service.tagged_addresses = {{"wan", "198.51.100.1:8080"}};
    service.weights = ServiceWeights{3, 2};
    for (const CheckType type :
         {CheckType::kTcp, CheckType::kHttp, CheckType::kScript, CheckType::kGrpc}) {
      ServiceCheck check;
      check.name = std::string(CheckTypeName(type));
      check.type = type;
      check.interval = 1s;
      check.timeout = 1s;
      check.path = "/health";
      check.method = "POST";
      check.body = "x";
      check.header = {{"X-Test", {"a", "b"}}};
      check.initial_status = InitialStatus::kWarning;
      check.notes = "n";
      check.success_before_passing = type == CheckType::kScript ? 0 : 1;
      check.failures_before_warning = type == CheckType::kScript ? 0 : 1;
      check.failures_before_critical = type == CheckType::kScript ? 0 : 2;
      check.tls_server_name = type == CheckType::kGrpc ? "web.example" : "";
      check.on_update = type == CheckType::kGrpc ? OnUpdate::kIgnore : OnUpdate::kRequireHealthy;
      service.checks.push_back(std::move(check));
    }
    ServiceRegistration registration;
    registration.id = ConsulIdPrefixOf(alloc_id) + "web-" + name + "-";
    registration.name = name;
    registration.node_id = "node-1";
    registration.alloc_id = alloc_id;
    registration.tags = {"a", "b"};
    registration.address = "127.0.0.1";
    registration.port = port;
    const Result<ConsulService> made = MakeConsulService(
        service, "web", registration, [port](const ServiceCheck&) -> Result<ConsulAddress> {
          return ConsulAddress{"127.0.0.1", port};
        });
    EXPECT_TRUE(made.ok());
    return made.value_or(ConsulService());
  }

  RealConsul consul_;
  WorkerPool pool_{1};
  RealLoop loop_;
  std::vector<std::string> log_;
  std::unique_ptr<ConsulAgent> agent_;
  std::unique_ptr<ConsulSync> sync_;
};

TEST_F(RealConsulTest, WhatIsRegisteredIsWhatConsulTellsOf) {
  sync_->Restored({});
  const ConsulService service = ServiceOf(kRealAlloc, "www");
  sync_->Set(kRealAlloc, "web", {service});
  ASSERT_TRUE(RunUntil([&] { return sync_->counters().registered == 1; }, 5s));
  const ConsulServices services = Services();
  ASSERT_EQ(services.count(service.id), 1u);
  EXPECT_TRUE(SameConsulService(service, services.at(service.id)));
  EXPECT_EQ(Checks().size(), 4u);
  EXPECT_THAT(log_, ::testing::IsEmpty());
  // Another agent of this node has nothing to change.
  End();
  Begin();
  sync_->Set(kRealAlloc, "web", {service});
  ASSERT_TRUE(RunUntil([&] { return sync_->counters().comparisons == 1; }, 5s));
  RunUntil([] { return false; }, 500ms);
  EXPECT_EQ(sync_->counters().registered, 0u);
  const Status cleared = Wait(sync_->Clear(Context(&loop_), kRealAlloc, "web"));
  EXPECT_TRUE(cleared.ok());
  EXPECT_EQ(Services().size(), 0u);
  EXPECT_EQ(Checks().size(), 0u);
}

TEST_F(RealConsulTest, OnlyOwnServicesOfEndedAllocationsGo) {
  ConsulService theirs = ServiceOf(kRealOther, "theirs");
  theirs.meta[kConsulMetaNode] = "node-2";
  const ConsulService gone = ServiceOf(kRealOther, "gone");
  const ConsulService stays = ServiceOf(kRealAlloc, "stays");
  for (const ConsulService& service : {theirs, gone, stays}) {
    const Status done =
        Wait(agent_->Register(Context(&loop_), std::make_shared<const ConsulService>(service)));
    ASSERT_TRUE(done.ok()) << done.error().message();
  }
  sync_->Restored({{kRealAlloc, "web"}});
  EXPECT_TRUE(RunUntil([&] { return Services().count(gone.id) == 0; }, 5s));
  EXPECT_EQ(Services().count(theirs.id), 1u);
  EXPECT_EQ(Services().count(stays.id), 1u);
}

TEST_F(RealConsulTest, WhateverHappensItIsRightAgainFiveSecondsAfterItIsBack) {
  sync_->Restored({});
  const ConsulService web = ServiceOf(kRealAlloc, "www"), api = ServiceOf(kRealOther, "api");
  sync_->Set(kRealAlloc, "web", {web});
  ASSERT_TRUE(RunUntil([&] { return sync_->counters().registered == 1; }, 5s));
  const auto is_right = [&](bool with_api) {
    return RunUntil(
        [&] {
          const ConsulServices services = Services();
          return services.count(web.id) == 1 && services.count(api.id) == (with_api ? 1u : 0u);
        },
        5s);
  };
  consul_.Kill();
  sync_->Set(kRealOther, "web", {api});
  RunUntil([] { return false; }, 3s);
  consul_.Start();
  EXPECT_TRUE(is_right(true)) << "after it was away";
  consul_.Kill();
  consul_.Wipe();
  sync_->Set(kRealOther, "web", {});
  consul_.Start();
  EXPECT_TRUE(is_right(false)) << "after it lost everything";
  consul_.Signal(SIGSTOP);
  sync_->Set(kRealOther, "web", {api});
  RunUntil([] { return false; }, 4s);
  consul_.Signal(SIGCONT);
  EXPECT_TRUE(is_right(true)) << "after it stood still";
}

TEST_F(RealConsulTest, ItsChecksDecideOnTheHealthOfAnAllocation) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    const std::string head = peer->ReadHead();
    if (head.starts_with("POST /health ")) peer->Reply("fine", "Connection: close\r\n");
  });
  const std::string address = server.address();
  const ConsulService service =
      ServiceOf(kRealAlloc, "www", std::stoi(address.substr(address.rfind(':') + 1)));
  sync_->Restored({});
  sync_->Set(kRealAlloc, "web", {service});
  ConsulChecks checks(&loop_, agent_.get(), sync_.get());
  int changes = 0;
  {
    const Subscription subscription = checks.OnChange(kRealAlloc, [&changes] { ++changes; });
    RunUntil([] { return false; }, 4s);
    EXPECT_FALSE(checks.Passing(kRealAlloc)) << "the script has not run";
    sync_->Report(service.id, "script", ConsulStatus::kPassing, "it runs");
    EXPECT_TRUE(RunUntil([&] { return checks.Passing(kRealAlloc); }, 10s));
    EXPECT_EQ(changes, 1);
  }
  EXPECT_TRUE(loop_.RunToEnd(checks.Stop()));
  // The server ends when nobody asks it any more.
  EXPECT_TRUE(Wait(sync_->Clear(Context(&loop_), kRealAlloc, "web")).ok());
}

}  // namespace
}  // namespace drover
