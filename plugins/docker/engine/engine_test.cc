// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "engine/engine.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <atomic>
#include <chrono>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "engine/fake_engine_for_test.h"

namespace drover_docker {
namespace {

using namespace std::chrono_literals;
using FakePeer = FakeEngine::Peer;
using FakeRequest = FakeEngine::Request;

EngineOptions QuickOptions() {
  EngineOptions out;
  out.limits.first_byte = out.limits.silence = 5s;
  out.watch.sweep = 200ms;
  out.watch.retry = 10ms;
  return out;
}

const std::string kImageId = "sha256:" + std::string(64, 'a');

std::string Inspection(const std::string& id, bool running, int code = 0) {
  return R"({"Id":")" + id + R"(","Name":"/n","Config":{},"State":{"Status":")" +
         (running ? "running" : "exited") + R"(","Running":)" + (running ? "true" : "false") +
         R"(,"ExitCode":)" + std::to_string(code) + "}}";
}

// Containers that run or have ended, with their events.
class FakeContainers {
 public:
  FakeContainers() : engine([this](const FakeRequest& r, FakePeer& p) { Answer(r, p); }) {}

  void Run(const std::string& id) {
    std::lock_guard<std::mutex> lock(mutex_);
    running_[id] = true;
  }
  void End(const std::string& id, bool event) {
    std::lock_guard<std::mutex> lock(mutex_);
    running_[id] = false;
    if (event) {
      events_.push_back(R"({"Type":"container","Action":"die","Actor":{"ID":")" + id + R"("}})");
    }
  }
  void Forget(const std::string& id) {
    std::lock_guard<std::mutex> lock(mutex_);
    running_.erase(id);
  }
  int streams() const { return streams_; }
  std::atomic<bool> hang{false};
  std::atomic<bool> stop{false};
  std::atomic<bool> lost{false};  // something else answers at the address
  std::atomic<int> asked{0};      // while it is lost

 private:
  void Answer(const FakeRequest& request, FakePeer& peer) {
    if (hang) return peer.AwaitClose();
    if (lost) {
      ++asked;
      peer.Answer(404, "404 page not found");
      return;
    }
    if (request.target.rfind("/events", 0) == 0) return Events(peer);
    if (request.target.rfind("/containers/json", 0) == 0) {
      std::string out;
      std::lock_guard<std::mutex> lock(mutex_);
      for (const auto& [id, running] : running_) {
        out += (out.empty() ? "" : ",") + (R"({"Id":")" + id) + R"(","State":")" +
               (running ? "running" : "exited") + "\"}";
      }
      peer.Answer(200, "[" + out + "]");
      return;
    }
    const std::size_t end = request.target.rfind("/json");
    const std::string id = request.target.substr(12, end - 12);
    std::lock_guard<std::mutex> lock(mutex_);
    const auto found = running_.find(id);
    if (found == running_.end()) {
      peer.Answer(404, R"({"message":"No such container"})");
    } else {
      peer.Answer(200, Inspection(id, found->second, 3));
    }
  }

  void Events(FakePeer& peer) {
    std::size_t sent = 0;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      sent = events_.size();
    }
    bool more = peer.BeginChunks();
    ++streams_;
    while (more && !stop) {
      std::vector<std::string> events;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        events.assign(events_.begin() + static_cast<std::ptrdiff_t>(sent), events_.end());
        sent = events_.size();
      }
      for (const std::string& event : events) more = peer.Chunk(event);
      if (events.empty()) more = peer.Chunk("\n");
      std::this_thread::sleep_for(2ms);
    }
    --streams_;
    peer.Close();
  }

  std::mutex mutex_;
  std::map<std::string, bool> running_;
  std::vector<std::string> events_;
  std::atomic<int> streams_{0};

 public:
  FakeEngine engine;  // the last: its threads use the others
};

class EngineWatchTest : public testing::Test {
 protected:
  ~EngineWatchTest() override { fake.stop = true; }
  FakeContainers fake;
};

TEST_F(EngineWatchTest, ReportsManyEndsWithOneStream) {
  constexpr int kMany = 200;
  for (int i = 0; i < kMany; ++i) fake.Run("c" + std::to_string(i));
  Engine engine(fake.engine.address(), QuickOptions());
  std::atomic<int> ended{0};
  for (int i = 0; i < kMany; ++i) {
    engine.watch().Await("c" + std::to_string(i), [&](drover::Outcome<ContainerInfo> result) {
      if (result.ok() && result.value().exit_code == 3) ++ended;
    });
  }
  EXPECT_TRUE(Eventually([&] { return fake.streams() == 1; }));
  for (int i = 0; i < kMany; ++i) fake.End("c" + std::to_string(i), true);
  EXPECT_TRUE(Eventually([&] { return ended == kMany; })) << ended;
  EXPECT_LE(fake.streams(), 1);
}

TEST_F(EngineWatchTest, FindsWhatNoEventReported) {
  fake.Run("a");
  fake.Run("b");
  Engine engine(fake.engine.address(), QuickOptions());
  std::atomic<int> ended{0};
  std::atomic<int> gone{0};
  const auto done = [&](const drover::Outcome<ContainerInfo>& result) {
    if (result.ok()) ++ended;
    if (!result.ok() && result.error().code() == drover::Code::kNotFound) ++gone;
  };
  engine.watch().Await("a", done);
  engine.watch().Await("b", done);
  EXPECT_TRUE(Eventually([&] { return fake.streams() == 1; }));
  fake.End("a", false);
  fake.Forget("b");
  EXPECT_TRUE(Eventually([&] { return ended == 1 && gone == 1; }));
}

TEST_F(EngineWatchTest, SurvivesARestartOfTheEngine) {
  fake.Run("a");
  Engine engine(fake.engine.address(), QuickOptions());
  std::atomic<bool> ended{false};
  std::atomic<int> connected{0};
  std::atomic<int> broken{0};
  engine.watch().OnConnection([&](bool now, const std::string&) { ++(now ? connected : broken); });
  engine.watch().Await("a", [&](const drover::Outcome<ContainerInfo>& r) { ended = r.ok(); });
  EXPECT_TRUE(Eventually([&] { return connected == 1; }));
  fake.stop = true;
  fake.engine.Stop();
  EXPECT_TRUE(Eventually([&] { return broken >= 1; }));
  fake.End("a", false);
  EXPECT_FALSE(ended);
  fake.stop = false;
  fake.engine.Start();
  EXPECT_TRUE(Eventually([&] { return ended.load(); }));
  EXPECT_TRUE(Eventually([&] { return connected >= 2; }));
}

TEST_F(EngineWatchTest, A404OfSomethingElseEndsNoTask) {
  fake.Run("a");
  fake.lost = true;
  Engine engine(fake.engine.address(), QuickOptions());
  std::atomic<int> code{-1};
  engine.watch().Await("a", [&](const drover::Outcome<ContainerInfo>& result) {
    code = result.ok() ? result.value().exit_code : -2;
  });
  EXPECT_TRUE(Eventually([&] { return fake.asked >= 5; }));
  EXPECT_EQ(code, -1);
  fake.lost = false;
  fake.End("a", true);
  EXPECT_TRUE(Eventually([&] { return code == 3; })) << code;
}

TEST_F(EngineWatchTest, ForgottenWaitsAreNotCalledAndTheEndCallsTheOthers) {
  fake.Run("a");
  std::atomic<int> calls{0};
  std::atomic<int> cancelled{0};
  {
    Engine engine(fake.engine.address(), QuickOptions());
    const std::uint64_t number =
        engine.watch().Await("a", [&](const drover::Outcome<ContainerInfo>&) { ++calls; });
    engine.watch().Await("a", [&](const drover::Outcome<ContainerInfo>& result) {
      if (!result.ok() && result.error().code() == drover::Code::kCancelled) ++cancelled;
    });
    engine.watch().Forget(number);
  }
  EXPECT_EQ(calls, 0);
  EXPECT_EQ(cancelled, 1);
}

TEST_F(EngineWatchTest, WaitContainerIsCancelledWhileTheEngineHangs) {
  fake.Run("a");
  Engine engine(fake.engine.address(), QuickOptions());
  const CancelToken cancel;
  std::atomic<bool> thrown{false};
  std::thread waiter([&] {
    EXPECT_THROW(engine.WaitContainer("a", cancel), drover::Error);
    thrown = true;
  });
  EXPECT_TRUE(Eventually([&] { return fake.streams() == 1; }));
  fake.hang = true;
  cancel.Cancel();
  waiter.join();
  EXPECT_TRUE(thrown);
}

TEST(EngineTest, AgreesAboutTheVersion) {
  FakeEngine fake([](const FakeRequest&, FakePeer& peer) { peer.Answer(200, "{}"); });
  Engine engine(fake.address(), QuickOptions());
  EXPECT_EQ(engine.ApiVersion({}), "1.41");
  EXPECT_EQ(engine.Version().version, "20.10.24");
  engine.Ping();
  EXPECT_TRUE(engine.Info().is_object());
}

TEST(EngineTest, WhatIsThereAlreadyIsNoError) {
  std::atomic<int> status{204};
  FakeEngine fake([&](const FakeRequest&, FakePeer& peer) {
    peer.Send("HTTP/1.1 " + std::to_string(status) + " Some\r\n" +
              (status == 204 || status == 304 ? "" : "Content-Length: 0\r\n") + "\r\n");
  });
  Engine engine(fake.address(), QuickOptions());
  EXPECT_TRUE(engine.StartContainer("a", {}));
  EXPECT_TRUE(engine.StopContainer("a", 1s, "", {}));
  EXPECT_TRUE(engine.RemoveContainer("a", true, true, {}));
  status = 304;
  EXPECT_FALSE(engine.StartContainer("a", {}));
  EXPECT_FALSE(engine.StopContainer("a", 1s, "", {}));
  status = 404;
  EXPECT_FALSE(engine.RemoveContainer("a", true, true, {}));
  try {
    engine.StartContainer("a", {});
    ADD_FAILURE();
  } catch (const EngineError& error) {
    EXPECT_TRUE(error.not_found());
  }
  status = 409;
  EXPECT_FALSE(engine.KillContainer("a", "SIGTERM", {}));
  const std::vector<std::string> requests = fake.requests();
  EXPECT_EQ(requests.at(2), "POST /containers/a/stop?t=1");
  EXPECT_EQ(requests.at(3), "DELETE /containers/a?force=true&v=true");
}

TEST(EngineTest, HostileNamesStayInTheirPlace) {
  FakeEngine fake([](const FakeRequest&, FakePeer& peer) { peer.Answer(404, "{}"); });
  Engine engine(fake.address(), QuickOptions());
  EXPECT_THROW(engine.InspectContainer("../images/x?a=b\r\nHost: y", {}), EngineError);
  EXPECT_EQ(fake.requests().back(),
            "GET /containers/..%2Fimages%2Fx%3Fa%3Db%0D%0AHost%3A%20y/json");
  for (const char* wrong : {"", ".", ".."}) {
    EXPECT_THROW(engine.InspectContainer(wrong, {}), drover::Error) << wrong;
    EXPECT_THROW(engine.InspectNetwork(wrong, {}), drover::Error) << wrong;
  }
  for (const char* wrong : {"", "a/../b", "/a", "a//b", "../containers/x"}) {
    EXPECT_THROW(engine.InspectImage(wrong, {}), drover::Error) << wrong;
  }
}

TEST(EngineTest, PullsWithSlowLayersAndProgress) {
  std::string head;
  FakeEngine fake([&](const FakeRequest& request, FakePeer& peer) {
    if (request.target.rfind("/images/create", 0) != 0) {
      peer.Answer(200, R"({"Id":")" + kImageId + "\"}");
      return;
    }
    head = request.head;
    peer.BeginChunks();
    for (int i = 1; i <= 5; ++i) {
      peer.Chunk(R"({"status":"Downloading","id":"l","progressDetail":{"current":)" +
                 std::to_string(i * 10) + R"(,"total":50}})");
      std::this_thread::sleep_for(10ms);
    }
    peer.EndChunks();
  });
  Engine engine(fake.address(), QuickOptions());
  std::vector<std::uint64_t> done;
  RegistryAuth auth;
  auth.username = "u";
  auth.password = "p";
  const std::string id =
      engine.PullImage(ImageRef::Parse("reg:5000/a:1"), auth,
                       [&](const PullProgress& now) { done.push_back(now.done); }, 5s, {});
  EXPECT_EQ(id, kImageId);
  EXPECT_EQ(done, (std::vector<std::uint64_t>{10, 20, 30, 40, 50}));
  EXPECT_NE(head.find("X-Registry-Auth: " + auth.Header()), std::string::npos);
  EXPECT_NE(head.find("fromImage=reg%3A5000%2Fa&tag=1"), std::string::npos) << head;
}

TEST(EngineTest, AFailedPullSaysWhy) {
  FakeEngine fake([](const FakeRequest&, FakePeer& peer) {
    peer.BeginChunks();
    peer.Chunk(R"({"errorDetail":{"message":"manifest for a:1 not found"},"error":"x"})");
    peer.EndChunks();
  });
  Engine engine(fake.address(), QuickOptions());
  try {
    engine.PullImage(ImageRef::Parse("a:1"), std::nullopt, nullptr, 5s, {});
    ADD_FAILURE();
  } catch (const EngineError& error) {
    EXPECT_TRUE(error.not_found());
    EXPECT_NE(error.message().find("pull image docker.io/library/a:1"), std::string::npos);
  }
}

TEST(EngineTest, ASilentPullEndsAndACancelledOneAtOnce) {
  std::atomic<int> asked{0};
  FakeEngine fake([&](const FakeRequest&, FakePeer& peer) {
    peer.BeginChunks();
    peer.Chunk(R"({"status":"Downloading","id":"l","progressDetail":{"current":1,"total":5}})");
    ++asked;
    peer.AwaitClose();
  });
  Engine engine(fake.address(), QuickOptions());
  const ImageRef ref = ImageRef::Parse("a");
  try {
    engine.PullImage(ref, std::nullopt, nullptr, 100ms, {});
    ADD_FAILURE();
  } catch (const drover::Error& error) {
    EXPECT_EQ(error.code(), drover::Code::kTimeout);
  }
  const CancelToken cancel;
  std::thread canceller([&] {
    EXPECT_TRUE(Eventually([&] { return asked == 2; }));
    cancel.Cancel();
  });
  try {
    engine.PullImage(ref, std::nullopt, nullptr, 60s, cancel);
    ADD_FAILURE();
  } catch (const drover::Error& error) {
    EXPECT_EQ(error.code(), drover::Code::kCancelled);
  }
  canceller.join();
}

TEST(EngineTest, FollowsStatistics) {
  FakeEngine fake([](const FakeRequest&, FakePeer& peer) {
    bool more = peer.BeginChunks();
    while (more) {
      more = peer.Chunk(R"({"memory_stats":{"usage":5}})");
      std::this_thread::sleep_for(2ms);
    }
    peer.Close();
  });
  Engine engine(fake.address(), QuickOptions());
  std::atomic<int> samples{0};
  std::atomic<int> ended{0};
  {
    const Engine::Subscription following = engine.FollowStats(
        "a", [&](const nlohmann::json& sample) { samples += sample.is_object() ? 1 : 0; },
        [&](const std::optional<drover::Error>& error) {
          if (error && error->code() == drover::Code::kCancelled) ++ended;
        });
    EXPECT_TRUE(Eventually([&] { return samples > 5; }));
  }
  EXPECT_TRUE(Eventually([&] { return ended == 1; }));
}

TEST(EngineTest, AStreamThatIsRefusedOrNoJsonEndsWithItsError) {
  std::atomic<int> status{404};
  FakeEngine fake([&](const FakeRequest&, FakePeer& peer) {
    if (status != 200) {
      peer.Answer(status, R"({"message":"No such container"})");
      return;
    }
    peer.BeginChunks();
    peer.Chunk("something");
    peer.AwaitClose();
  });
  Engine engine(fake.address(), QuickOptions());
  for (const drover::Code code : {drover::Code::kNotFound, drover::Code::kUnavailable}) {
    std::atomic<int> got{0};
    const Engine::Subscription following = engine.FollowStats(
        "a", [](const nlohmann::json&) {},
        [&](const std::optional<drover::Error>& error) {
          got = error ? static_cast<int>(error->code()) : -1;
        });
    EXPECT_TRUE(Eventually([&] { return got != 0; }));
    EXPECT_EQ(got, static_cast<int>(code));
    status = 200;
  }
}

// Runs a session against a command that answers with its input.
TEST(EngineTest, RunsACommandInAContainer) {
  std::atomic<int> inspections{0};
  FakeEngine fake([&](const FakeRequest& request, FakePeer& peer) {
    if (request.target == "/containers/a/exec") {
      peer.Answer(201, R"({"Id":"e1"})");
    } else if (request.target == "/exec/e1/start") {
      peer.Send("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
      std::string all;
      for (std::string piece = peer.Read(); !piece.empty(); piece = peer.Read()) all += piece;
      peer.Send(FrameForTest(1, "out:" + all) + FrameForTest(2, "err"));
      peer.Close();
    } else {
      const bool running = ++inspections < 3;
      peer.Answer(
          200, std::string(R"({"Running":)") + (running ? "true" : "false") + R"(,"ExitCode":7})");
    }
  });
  Engine engine(fake.address(), QuickOptions());
  int input[2], output[2], error[2];
  ASSERT_EQ(::pipe(input) + ::pipe(output) + ::pipe(error), 0);
  ExecStreams streams;
  streams.input = drover::Fd(input[0]);
  streams.output = drover::Fd(output[1]);
  streams.error = drover::Fd(error[1]);
  ASSERT_EQ(::write(input[1], "hello", 5), 5);
  ::close(input[1]);
  ExecSpec spec;
  spec.argv = {"cat"};
  std::atomic<int> code{-1};
  engine.ExecSession("a", spec, std::move(streams), CancelToken(), nullptr,
                     [&](const drover::Outcome<drover::ExitResult>& result) {
                       code = result.ok() ? result.value().exit_code : 1000;
                     });
  EXPECT_TRUE(Eventually([&] { return code != -1; }));
  EXPECT_EQ(code, 7);
  char buffer[100];
  ssize_t size = ::read(output[0], buffer, sizeof buffer);
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(size)), "out:hello");
  size = ::read(error[0], buffer, sizeof buffer);
  EXPECT_EQ(std::string(buffer, static_cast<std::size_t>(size)), "err");
  ::close(output[0]);
  ::close(error[0]);
}

TEST(EngineTest, ItsEndEndsASessionThatHangs) {
  std::atomic<bool> begun{false};
  FakeEngine fake([&](const FakeRequest& request, FakePeer& peer) {
    if (request.target == "/containers/a/exec") {
      peer.Answer(201, R"({"Id":"e1"})");
      return;
    }
    peer.Send("HTTP/1.1 101 UPGRADED\r\nConnection: Upgrade\r\nUpgrade: tcp\r\n\r\n");
    begun = true;
    peer.AwaitClose();
  });
  std::atomic<int> code{0};
  int input[2];
  ASSERT_EQ(::pipe(input), 0);
  {
    Engine engine(fake.address(), QuickOptions());
    ExecStreams streams;
    streams.input = drover::Fd(input[0]);
    engine.ExecSession("a", ExecSpec(), std::move(streams), CancelToken(), nullptr,
                       [&](const drover::Outcome<drover::ExitResult>& result) {
                         code = result.ok() ? 1000 : static_cast<int>(result.error().code());
                       });
    EXPECT_TRUE(Eventually([&] { return begun.load(); }));
  }
  EXPECT_EQ(code, static_cast<int>(drover::Code::kCancelled));
  ::close(input[1]);
}

TEST(EngineTest, AStreamThatIsRefusedForItsVersionLetsTheVersionBeAgreedAgain) {
  FakeEngine fake([&](const FakeRequest& request, FakePeer& peer) {
    if (request.target.rfind("/containers/a/", 0) != 0) return peer.AwaitClose();
    peer.Answer(400, R"({"message":"client version 1.41 is too new"})");
  });
  Engine engine(fake.address(), QuickOptions());
  const auto versions = [&] {
    int out = 0;
    for (const std::string& one : fake.requests()) out += one == "GET /version" ? 1 : 0;
    return out;
  };
  engine.ApiVersion(CancelToken());
  engine.ApiVersion(CancelToken());
  EXPECT_EQ(versions(), 1);
  std::atomic<bool> ended{false};
  const Engine::Subscription stats = engine.FollowStats(
      "a", [](const nlohmann::json&) {},
      [&](const std::optional<drover::Error>& error) { ended = error.has_value(); });
  EXPECT_TRUE(Eventually([&] { return ended.load(); }));
  engine.ApiVersion(CancelToken());
  EXPECT_EQ(versions(), 2);
}

TEST(EngineTest, ARedirectIsNoSuccess) {
  std::atomic<int> status{200};
  FakeEngine fake([&](const FakeRequest&, FakePeer& peer) { peer.Answer(status, "{}"); });
  Engine engine(fake.address(), QuickOptions());
  for (const int bad : {300, 301, 302, 307, 399}) {
    status = bad;
    EXPECT_THROW(engine.StartContainer("a", CancelToken()), EngineError) << bad;
    EXPECT_THROW(engine.RemoveContainer("a", true, true, CancelToken()), EngineError) << bad;
  }
  status = 201;
  EXPECT_TRUE(engine.StartContainer("a", CancelToken()));
}

TEST(EngineTest, AListIsNoLongerThanItsLabels) {
  FakeEngine fake([](const FakeRequest&, FakePeer& peer) {
    peer.Answer(200, R"([{"Id":"a","Labels":{"n":"1","k":"x"}},{"Id":"b","Labels":{"n":"2"}},
                         {"Id":"c"},{"Id":"d","Labels":{"n":"1"}}])");
  });
  Engine engine(fake.address(), QuickOptions());
  const auto ids = [&](const std::vector<std::string>& labels) {
    std::string out;
    for (const ContainerInfo& info : engine.ListContainers(labels, CancelToken())) out += info.id;
    return out;
  };
  EXPECT_EQ(ids({}), "abcd");
  EXPECT_EQ(ids({"n=1"}), "ad");
  EXPECT_EQ(ids({"n"}), "abd");
  EXPECT_EQ(ids({"n=1", "k=x"}), "a");
}

}  // namespace
}  // namespace drover_docker
