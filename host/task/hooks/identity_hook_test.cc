// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/identity_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <variant>

#include "host/base/directory_for_test.h"
#include "host/identity/aes_gcm.h"
#include "host/identity/memory_key_store_for_test.h"
#include "host/task/hook_chain.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

// Notes what a hook asks of its task.
struct NotingControl : TaskControl {
  void EmitEvent(TaskEvent) override {}
  void RequestRestart(TaskEvent event, bool failure) override {
    EXPECT_FALSE(failure);
    asked.push_back("restart: " + std::string(event.Detail(event_key::kRestartReason)));
  }
  void RequestKill(TaskEvent) override { asked.emplace_back("kill"); }
  void RequestSignal(TaskEvent, std::string signal) override { asked.push_back(signal); }

  std::vector<std::string> asked;
};

// A store on a disk that hangs until the test releases it.
struct HangingKeyStore : MemoryKeyStore {
  explicit HangingKeyStore(Loop* loop) : release(loop) {}
  Co<Status> Put(std::string id, std::string record) override {
    co_await release.Wait();
    co_return co_await MemoryKeyStore::Put(std::move(id), std::move(record));
  }

  Event release;
};

struct IdentityHookTest : testing::Test {
  IdentityHookTest() {
    std::filesystem::create_directories(dir.path() + "/secrets");
    std::filesystem::create_directories(dir.path() + "/local");
    job->id = job->name = "web";
    job->groups.resize(1);
    job->groups[0].name = "g";
    job->groups[0].tasks.resize(1);
    task().name = "t";
    alloc->id = "11111111-2222-3333-4444-555555555555";
    alloc->group_name = "g";
    alloc->job = job;
    KeyringOptions of_ring;
    of_ring.loop = &loop;
    of_ring.store = &store;
    of_ring.seal_key = std::make_shared<const SealKey>(SecretBytes(std::string(kAesKeyBytes, 's')));
    ring.emplace(std::move(of_ring));
    MakeHook();
  }
  ~IdentityHookTest() override {
    if (hook) Exit();
  }

  // Makes the hook of the next agent.
  void MakeHook() {
    IdentityHookOptions options;
    options.loop = &loop;
    options.keyring = &*ring;
    options.issuer = "https://drover.example.org";
    options.report = [this](const Error& error) { reports.push_back(error.message()); };
    hook = std::make_shared<IdentityHook>(std::move(options));
    hook->Attach(control);
  }
  Task& task() { return job->groups[0].tasks[0]; }
  Identity& AddIdentity(const std::string& name, Duration ttl) {
    Identity& identity = task().identities.emplace_back();
    identity.name = name;
    identity.audience = {"aud-" + name};
    identity.ttl = ttl;
    return identity;
  }

  template <typename T>
  static Co<void> KeepAnswer(Co<T> from, std::optional<T>* to) {
    to->emplace(co_await std::move(from));
  }
  template <typename T>
  T Ask(Co<T> question) {
    std::optional<T> answer;
    EXPECT_TRUE(loop.RunToEnd(KeepAnswer(std::move(question), &answer)));
    return std::move(*answer);
  }
  PrestartRequest Request(bool running) {
    PrestartRequest request;
    request.alloc = alloc;
    request.task = std::shared_ptr<const Task>(alloc, &task());
    request.data = data;
    request.location.task_dir = dir.path();
    request.running = running;
    return request;
  }
  Result<PrestartResponse> Prestart(bool running = false) {
    return Ask(hook->Prestart(Context(&loop), Request(running)));
  }
  // Starts the task, and returns its environment.
  StringMap Start(bool running = false) {
    const auto response = Prestart(running);
    EXPECT_TRUE(response.ok()) << (response.ok() ? "" : response.error().message());
    if (!response.ok()) return {};
    EXPECT_FALSE(response->done);
    data = response->data;
    EXPECT_TRUE(Ask(hook->Poststart(Context(&loop), PoststartRequest())).ok());
    loop.RunReady();
    return response->env;
  }
  void Exit() { EXPECT_TRUE(Ask(hook->Exited(Context(&loop), HookRequest())).ok()); }

  std::string FileOf(const std::string& path) const {
    std::stringstream text;
    text << std::ifstream(dir.path() + "/" + path).rdbuf();
    return text.str();
  }
  Result<Claims> ClaimsIn(const std::string& token, const std::string& audience) {
    TokenCheck check;
    check.audience = audience;
    check.now = loop.Wall();
    check.is_alive = [](const Claims&) { return true; };
    return VerifyToken(token, *ring->public_keys(), check);
  }

  SimLoop loop;
  const DirectoryForTest dir;
  std::shared_ptr<Job> job = std::make_shared<Job>();
  std::shared_ptr<Allocation> alloc = std::make_shared<Allocation>();
  MemoryKeyStore store;
  std::optional<Keyring> ring;
  std::shared_ptr<NotingControl> control = std::make_shared<NotingControl>();
  std::shared_ptr<IdentityHook> hook;
  StringMap data;
  std::vector<std::string> reports;
};

TEST_F(IdentityHookTest, IsNeededForATokenThatTheTaskGets) {
  EXPECT_FALSE(IdentityHook::IsNeeded(task()));
  AddIdentity("cloud", 0s);
  EXPECT_FALSE(IdentityHook::IsNeeded(task()));
  task().identities[0].file = true;
  EXPECT_TRUE(IdentityHook::IsNeeded(task()));
  task().identities.clear();
  task().identity.env = true;
  EXPECT_TRUE(IdentityHook::IsNeeded(task()));
}

TEST_F(IdentityHookTest, TheTaskGetsTheTokensThatItAsksFor) {
  task().identity.env = true;
  task().identity.file = true;
  AddIdentity("cloud", 1h).env = true;
  Identity& other = AddIdentity("other", 0s);
  other.file = true;
  AddIdentity("placed", 0s).file = true;
  task().identities.back().filepath = "local/token";
  AddIdentity("unused", 0s);
  const StringMap env = Start();
  ASSERT_EQ(env.size(), 2u);
  const auto own = ClaimsIn(env.at("NOMAD_TOKEN"), kApiAudience);
  ASSERT_TRUE(own.ok()) << own.error().message();
  EXPECT_EQ(own->subject, "global:default:web:g:t:default");
  EXPECT_EQ(own->allocation_id, alloc->id);
  EXPECT_EQ(own->issuer, "https://drover.example.org");
  EXPECT_FALSE(own->expires);
  EXPECT_EQ(FileOf("secrets/nomad_token"), env.at("NOMAD_TOKEN"));
  const auto cloud = ClaimsIn(env.at("NOMAD_TOKEN_cloud"), "aud-cloud");
  ASSERT_TRUE(cloud.ok()) << cloud.error().message();
  EXPECT_EQ(cloud->expires, cloud->issued_at + 3600);
  EXPECT_EQ(FileOf("secrets/nomad_cloud.jwt"), "");
  EXPECT_TRUE(ClaimsIn(FileOf("secrets/nomad_other.jwt"), "aud-other").ok());
  EXPECT_TRUE(ClaimsIn(FileOf("local/token"), "aud-placed").ok());
  EXPECT_EQ(data.size(), 1u) << "only the time of a token that expires is stored";
  for (const auto& [key, value] : data) EXPECT_LT(value.size(), 30u);
}

TEST_F(IdentityHookTest, EachStartGetsNewTokens) {
  task().identity.env = true;
  const std::string first = Start().at("NOMAD_TOKEN");
  Exit();
  EXPECT_NE(Start().at("NOMAD_TOKEN"), first);
}

TEST_F(IdentityHookTest, ATokenThatCannotBeWrittenFailsTheStart) {
  task().identity.file = true;
  std::filesystem::remove_all(dir.path() + "/secrets");
  const auto response = Prestart();
  ASSERT_FALSE(response.ok());
  EXPECT_THAT(response.error().message(), HasSubstr("the token of the identity \"default\": "));
  EXPECT_EQ(hook->FailureEvent(response.error()).type, event_type::kHookFailed);
}

TEST_F(IdentityHookTest, AStartWaitsForItsTokensForAMinuteAtMost) {
  task().identity.env = true;
  HangingKeyStore hanging(&loop);
  KeyringOptions of_ring;
  of_ring.loop = &loop;
  of_ring.store = &hanging;
  of_ring.seal_key = std::make_shared<const SealKey>(SecretBytes(std::string(kAesKeyBytes, 's')));
  Keyring slow(std::move(of_ring));
  IdentityHookOptions options;
  options.loop = &loop;
  options.keyring = &slow;
  HookChain chain({std::make_shared<IdentityHook>(std::move(options))}, nullptr);
  std::map<std::string, HookState> kept;
  std::optional<HookChain::PrestartResult> result;
  const auto save = []() -> Co<Status> { co_return Status(); };
  loop.Spawn(KeepAnswer(chain.Prestart(Context(&loop), Context(&loop), Request(false), &kept, save),
                        &result));
  loop.Advance(1min - 1ns);
  EXPECT_FALSE(result.has_value());
  loop.Advance(2s);
  ASSERT_TRUE(result.has_value());
  const auto* const failed = std::get_if<HookChain::Failed>(&*result);
  ASSERT_NE(failed, nullptr);
  EXPECT_EQ(failed->error.message(), "prestart hook \"identity\" failed: it took longer than 1m0s");
  hanging.release.Set();
  loop.RunReady();
}

TEST_F(IdentityHookTest, IsRenewedAtHalfOfItsTtl) {
  AddIdentity("cloud", 1h).file = true;
  Start();
  const std::string first = FileOf("secrets/nomad_cloud.jwt");
  loop.Advance(30min - 1s);
  EXPECT_EQ(FileOf("secrets/nomad_cloud.jwt"), first);
  loop.Advance(1s);
  const std::string second = FileOf("secrets/nomad_cloud.jwt");
  EXPECT_NE(second, first);
  loop.Advance(30min);
  EXPECT_NE(FileOf("secrets/nomad_cloud.jwt"), second);
  EXPECT_FALSE(ClaimsIn(first, "aud-cloud").ok()) << "an hour has passed";
  EXPECT_TRUE(ClaimsIn(second, "aud-cloud").ok());
  EXPECT_THAT(control->asked, IsEmpty());
  Exit();
  EXPECT_EQ(loop.live_timers(), 0u);
}

TEST_F(IdentityHookTest, OneWithoutAnEndIsNotRenewed) {
  task().identity.file = true;
  Start();
  EXPECT_EQ(loop.live_timers(), 0u);
}

TEST_F(IdentityHookTest, TheTaskHearsOfARenewalAsItWants) {
  const auto signalled = [this](const std::string& name, const char* signal, Duration ttl) {
    Identity& identity = AddIdentity(name, ttl);
    identity.file = true;
    identity.change_mode = Identity::ChangeMode::kSignal;
    identity.change_signal = signal;
  };
  signalled("a", "SIGHUP", 1h);
  signalled("b", "SIGHUP", 1h);
  signalled("c", "SIGUSR1", 1h);
  signalled("d", "SIGUSR2", 2h);
  Start();
  loop.Advance(30min);
  EXPECT_THAT(control->asked, ElementsAre("SIGHUP", "SIGUSR1"));
  control->asked.clear();
  Identity& last = AddIdentity("e", 1h);
  last.env = true;
  last.change_mode = Identity::ChangeMode::kRestart;
  Exit();
  Start();
  loop.Advance(30min);
  EXPECT_THAT(control->asked, ElementsAre("restart: the token of the identity \"e\" was renewed"));
}

TEST_F(IdentityHookTest, ARenewalThatFailsIsTriedAgain) {
  AddIdentity("cloud", 1h).file = true;
  task().identities[0].change_mode = Identity::ChangeMode::kSignal;
  task().identities[0].change_signal = "SIGHUP";
  Start();
  std::filesystem::remove_all(dir.path() + "/secrets");
  loop.Advance(30min);
  EXPECT_THAT(reports, SizeIs(1));
  EXPECT_THAT(reports[0], HasSubstr("the token of the identity \"cloud\" could not be renewed"));
  loop.Advance(10s);
  EXPECT_THAT(reports, SizeIs(2));
  EXPECT_THAT(control->asked, IsEmpty());
  std::filesystem::create_directories(dir.path() + "/secrets");
  loop.Advance(20s);
  EXPECT_THAT(reports, SizeIs(2));
  EXPECT_TRUE(ClaimsIn(FileOf("secrets/nomad_cloud.jwt"), "aud-cloud").ok());
  EXPECT_THAT(control->asked, ElementsAre("SIGHUP"));
}

TEST_F(IdentityHookTest, ATaskThatRunsKeepsItsTokensOverARestartOfTheAgent) {
  task().identity.file = true;
  AddIdentity("cloud", 1h).file = true;
  Start();
  const std::string own = FileOf("secrets/nomad_token");
  const std::string first = FileOf("secrets/nomad_cloud.jwt");
  loop.Advance(20min);
  EXPECT_TRUE(Ask(hook->Shutdown(Context(&loop), HookRequest())).ok());
  EXPECT_EQ(loop.live_timers(), 0u);
  MakeHook();
  EXPECT_THAT(Start(true), IsEmpty());
  EXPECT_EQ(data.size(), 1u);
  loop.Advance(10min - 1s);
  EXPECT_EQ(FileOf("secrets/nomad_cloud.jwt"), first);
  loop.Advance(1s);
  EXPECT_NE(FileOf("secrets/nomad_cloud.jwt"), first);
  EXPECT_EQ(FileOf("secrets/nomad_token"), own);
}

TEST_F(IdentityHookTest, ATokenOfUnknownAgeIsRenewedAtOnce) {
  AddIdentity("cloud", 1h).file = true;
  for (const char* text : {"", "yesterday", "0"}) {
    data = {{"cloud", text}};
    std::filesystem::remove(dir.path() + "/secrets/nomad_cloud.jwt");
    Start(true);
    EXPECT_TRUE(ClaimsIn(FileOf("secrets/nomad_cloud.jwt"), "aud-cloud").ok()) << text;
    Exit();
  }
  // The clock was set back: the token counts as new.
  data = {{"cloud", std::to_string(loop.Wall() + 7'200'000'000'000)}};
  std::filesystem::remove(dir.path() + "/secrets/nomad_cloud.jwt");
  Start(true);
  EXPECT_EQ(FileOf("secrets/nomad_cloud.jwt"), "");
}

TEST_F(IdentityHookTest, AStartThatIsGivenUpGetsNoMoreTokens) {
  task().identity.file = true;
  AddIdentity("cloud", 1h).file = true;
  Context context(&loop);
  context.Cancel();
  EXPECT_EQ(Ask(hook->Prestart(context, Request(false))).code(), Code::kCancelled);
  EXPECT_EQ(FileOf("secrets/nomad_cloud.jwt"), "");
}

}  // namespace
}  // namespace drover
