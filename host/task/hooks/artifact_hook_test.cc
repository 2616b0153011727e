// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/hooks/artifact_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "host/base/gate.h"

namespace drover {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

// Notes the events of a task.
struct EventNotes : TaskControl {
  void EmitEvent(TaskEvent event) override { events.push_back(std::move(event)); }
  void RequestRestart(TaskEvent, bool) override {}
  void RequestKill(TaskEvent) override {}
  void RequestSignal(TaskEvent, std::string) override {}

  std::vector<std::string> messages() const {
    std::vector<std::string> all;
    for (const TaskEvent& event : events) all.push_back(DisplayMessage(event));
    return all;
  }

  std::vector<TaskEvent> events;
};

// Replaces ${A}, and fails for ${BAD}.
struct OneVariable : TaskPreparer {
  Result<std::vector<std::string>> Interpolate(const PrepareRequest& request,
                                               std::vector<std::string> texts) override {
    EXPECT_NE(request.task, nullptr);
    for (std::string& text : texts) {
      if (text.find("${BAD}") != text.npos) return Error(Code::kInvalidArgument, "bad");
      for (std::size_t at; (at = text.find("${A}")) != text.npos;) text.replace(at, 4, "value");
    }
    return texts;
  }
  Result<TaskConfig> Prepare(const PrepareRequest&) override { return TaskConfig(); }
};

// A download that takes as long as its source says, such as "3s", and fails if it says so.
struct TimedFetcher : ArtifactFetcher {
  explicit TimedFetcher(Loop* of) : loop(of) {}

  Co<Status> Fetch(Context context, ArtifactRequest request,
                   std::function<void(const ArtifactProgress&)> progress) override {
    requests.push_back(request);
    most = std::max(most, ++running);
    const std::string source = request.artifact.source;
    const Duration whole = ParseDuration(source.substr(0, source.find(' '))).value_or(0s);
    Status status;
    for (Duration done = 0s; done < whole && status.ok(); done += 500ms) {
      status = co_await Sleep(context, 500ms);
      const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(done + 500ms).count();
      progress({source, static_cast<std::uint64_t>(ms) * 1000, 60'000'000});
    }
    --running;
    if (!status.ok()) {
      cancelled.insert(source);
      co_return status;
    }
    if (fails.count(source) > 0) co_return Error(Code::kUnavailable, source + " failed", true);
    co_return Status();
  }
  Duration longest() const override { return 10min; }

  Loop* const loop;
  std::vector<ArtifactRequest> requests;
  std::set<std::string> fails, cancelled;
  int running = 0, most = 0;
};

struct ArtifactHookTest : testing::Test {
  ArtifactHookTest() {
    task->name = "web";
    location.alloc_dir = "/data/ALLOC/alloc";
    location.task_dir = "/data/ALLOC/web";
    location.local_dir = "/data/ALLOC/web/local";
  }

  Artifact& Add(const std::string& source) {
    Artifact& artifact = task->artifacts.emplace_back();
    artifact.source = source;
    return artifact;
  }
  void Start() {
    hook = std::make_unique<ArtifactHook>(&loop, &fetcher, &preparer, task->artifacts.size());
    hook->Attach(notes);
  }
  static Co<void> Keep(Co<Result<PrestartResponse>> from,
                       std::optional<Result<PrestartResponse>>* to) {
    to->emplace(co_await std::move(from));
  }
  Result<PrestartResponse> Prestart(bool running = false) {
    PrestartRequest request;
    auto alloc = std::make_shared<Allocation>();
    alloc->job = std::make_shared<Job>();
    request.alloc = std::move(alloc);
    request.task = task;
    request.location = location;
    request.running = running;
    std::optional<Result<PrestartResponse>> answer;
    EXPECT_TRUE(loop.RunToEnd(Keep(hook->Prestart(life, std::move(request)), &answer)));
    return std::move(*answer);
  }

  SimLoop loop;
  Context life{&loop};
  std::shared_ptr<EventNotes> notes = std::make_shared<EventNotes>();
  std::shared_ptr<Task> task = std::make_shared<Task>();
  TaskLocation location;
  OneVariable preparer;
  TimedFetcher fetcher{&loop};
  std::unique_ptr<ArtifactHook> hook;
};

TEST_F(ArtifactHookTest, EachArtifactIsFetchedOnce) {
  Artifact& first = Add("0s ${A}");
  first.destination = "local/${A}";
  first.options = {{"o", "${A}"}};
  first.headers = {{"h", "x${A}"}};
  Add("0s b");
  Start();
  const Result<PrestartResponse> response = Prestart();
  ASSERT_TRUE(response.ok()) << response.error().message();
  EXPECT_TRUE(response->done);
  ASSERT_EQ(fetcher.requests.size(), 2u);
  EXPECT_EQ(fetcher.requests[0].artifact.source, "0s value");
  EXPECT_EQ(fetcher.requests[0].artifact.options.at("o"), "value");
  EXPECT_EQ(fetcher.requests[0].artifact.headers.at("h"), "xvalue");
  EXPECT_EQ(fetcher.requests[0].place, "web/local/value");
  EXPECT_EQ(fetcher.requests[0].task, "web");
  EXPECT_EQ(fetcher.requests[1].index, 1u);
  EXPECT_EQ(fetcher.requests[1].place, "web/local");
  EXPECT_THAT(notes->messages(), ElementsAre("Client is downloading artifacts"));
  EXPECT_EQ(notes->events[0].type, "Downloading Artifacts");
}

TEST_F(ArtifactHookTest, ThreeAreFetchedAtATime) {
  for (int i = 0; i < 7; ++i) Add("1s " + std::to_string(i));
  Start();
  const TimePoint begin = loop.Now();
  ASSERT_TRUE(Prestart().ok());
  EXPECT_EQ(fetcher.requests.size(), 7u);
  EXPECT_EQ(fetcher.most, 3);
  EXPECT_EQ(loop.Now() - begin, 3s);
  EXPECT_EQ(hook->deadline(HookStage::kPrestart), 31min);
}

TEST_F(ArtifactHookTest, AfterAFailureOnlyTheRestIsFetched) {
  Add("0s good");
  Add("1s bad");
  Add("10s slow");
  fetcher.fails = {"1s bad"};
  Start();
  const Result<PrestartResponse> failed = Prestart();
  ASSERT_FALSE(failed.ok());
  EXPECT_TRUE(failed.error().recoverable());
  EXPECT_EQ(failed.error().message(), "1s bad failed");
  EXPECT_EQ(fetcher.cancelled, std::set<std::string>{"10s slow"});
  const TaskEvent event = hook->FailureEvent(failed.error());
  EXPECT_EQ(event.type, "Failed Artifact Download");
  EXPECT_EQ(DisplayMessage(event), "1s bad failed");
  fetcher.requests.clear();
  fetcher.fails.clear();
  ASSERT_TRUE(Prestart().ok());
  ASSERT_EQ(fetcher.requests.size(), 2u);
  EXPECT_EQ(fetcher.requests[0].artifact.source, "1s bad");
  EXPECT_EQ(fetcher.requests[1].artifact.source, "10s slow");
}

TEST_F(ArtifactHookTest, ALongDownloadIsReportedNowAndThen) {
  Add("40s file");
  Start();
  ASSERT_TRUE(Prestart().ok());
  EXPECT_THAT(notes->messages(), ElementsAre("Client is downloading artifacts",
                                             "Downloading 40s file: 2.0 MB of 60.0 MB, 1.0 MB/s",
                                             "Downloading 40s file: 8.0 MB of 60.0 MB, 1.0 MB/s",
                                             "Downloading 40s file: 32.0 MB of 60.0 MB, 1.0 MB/s",
                                             "Downloaded 40s file: 40.0 MB of 60.0 MB, 1.0 MB/s"));
}

TEST_F(ArtifactHookTest, AKillEndsTheDownloads) {
  Add("1000s a");
  Add("1000s b");
  Start();
  loop.After(5s, [this] { life.Cancel("killed"); });
  const TimePoint begin = loop.Now();
  EXPECT_EQ(Prestart().code(), Code::kCancelled);
  EXPECT_EQ(loop.Now() - begin, 5s);
  EXPECT_EQ(fetcher.running, 0);
}

TEST_F(ArtifactHookTest, ATaskThatRunsHasItsArtifacts) {
  Add("1s a");
  Start();
  const Result<PrestartResponse> response = Prestart(/*running=*/true);
  ASSERT_TRUE(response.ok());
  EXPECT_TRUE(response->done);
  EXPECT_THAT(fetcher.requests, IsEmpty());
  EXPECT_THAT(notes->events, IsEmpty());
}

TEST_F(ArtifactHookTest, APlaceElsewhereIsAnError) {
  Add("0s a").destination = "local/${A}/../../../other";
  Start();
  const Result<PrestartResponse> response = Prestart();
  ASSERT_FALSE(response.ok());
  EXPECT_FALSE(response.error().recoverable());
  EXPECT_THAT(response.error().message(), HasSubstr("is no place for an artifact"));
  EXPECT_THAT(fetcher.requests, IsEmpty());
}

TEST_F(ArtifactHookTest, DestinationsMayBePathsOfTheHostOrTheTask) {
  const auto place = [this](const std::string& destination) {
    return PlaceOfDestination(destination, "web", location).value_or("none");
  };
  EXPECT_EQ(place("local/a"), "web/local/a");
  EXPECT_EQ(place("/local/a"), "web/local/a");
  EXPECT_EQ(place("/secrets/a"), "web/secrets/a");
  EXPECT_EQ(place("/alloc/data"), "alloc/data");
  EXPECT_EQ(place("/alloc2/data"), "web/alloc2/data");
  EXPECT_EQ(place("/data/ALLOC/web/local/a"), "web/local/a");
  EXPECT_EQ(place("/data/ALLOC/alloc/data/a"), "alloc/data/a");
  EXPECT_EQ(place("/data/ALLOC/web2/local/a"), "web/data/ALLOC/web2/local/a");
  EXPECT_EQ(place("../alloc"), "none");
  EXPECT_EQ(place("/data/ALLOC/web/../other"), "none");
}

TEST(ShownBytesTest, AreShort) {
  EXPECT_EQ(ShownBytes(0), "0 B");
  EXPECT_EQ(ShownBytes(999), "999 B");
  EXPECT_EQ(ShownBytes(1500), "1.5 kB");
  EXPECT_EQ(ShownBytes(12'345'678), "12.3 MB");
  EXPECT_EQ(ShownBytes(~std::uint64_t{0}), "18446.7 PB");
}

}  // namespace
}  // namespace drover
