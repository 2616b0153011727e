// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/place/run_places.h"

#include <gmock/gmock.h>
#include <sys/wait.h>

#include "host/base/directory_for_test.h"
#include "host/process/process_test_fixture.h"

namespace drover {
namespace {

using ::testing::Contains;
using ::testing::ElementsAre;
using ::testing::Pair;
using ::testing::UnorderedElementsAre;

// A tree of files like the kernel's, but writing to them has no effect.
class FakePlaces : public ::testing::Test {
 protected:
  FakePlaces() : notes_(open(root_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    for (const char* name : {"two/drover", "mem", "cpu", "systemd"}) {
      std::filesystem::create_directories(root_.path() + "/" + name);
    }
  }
  RunPlaces Unified() {
    return RunPlaces("cgroup2 " + root_.path() + "/two cgroup2 rw 0 0\n",
                     root_.path() + "/two/drover", "drover", notes_.get());
  }
  RunPlaces Hybrid() {
    const std::string& root = root_.path();
    return RunPlaces("cgroup2 " + root + "/two cgroup2 rw 0 0\ncgroup " + root +
                         "/mem cgroup rw,memory 0 0\ncgroup " + root +
                         "/cpu cgroup rw,cpu,cpuacct 0 0\ncgroup " + root +
                         "/systemd cgroup rw,name=systemd 0 0\n",
                     root + "/two/drover", "drover", notes_.get());
  }
  bool Exists(const std::string& path) const {
    return std::filesystem::exists(root_.path() + "/" + path);
  }

  const DirectoryForTest root_;
  const UniqueFd notes_;
  const RunId run_ = RunId::Random();
};

TEST_F(FakePlaces, Version2HasOneDirectory) {
  RunPlaces places = Unified();
  EXPECT_FALSE(places.Has(run_));
  const Result<RunPlace> place = places.Make(run_);
  ASSERT_TRUE(place.ok()) << place.error().message();
  EXPECT_EQ(place->cgroup, "/drover/" + run_.ToString());
  const std::string path = root_.path() + "/two/drover/" + run_.ToString();
  EXPECT_THAT(place->directories, ElementsAre(Pair("", path)));
  EXPECT_TRUE(std::filesystem::is_directory(path));
  EXPECT_TRUE(places.Has(run_));
  std::ofstream(path + "/memory.events") << "low 0\noom 1\noom_kill 2\n";
  EXPECT_EQ(places.OomKills(run_), 2u);
  std::filesystem::remove(path + "/memory.events");
  EXPECT_TRUE(places.Remove(run_));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_FALSE(places.Has(run_));
  EXPECT_TRUE(places.Remove(run_)) << "a run without a place";
}

TEST_F(FakePlaces, WithControllersOfVersion1EnginesUseThat) {
  RunPlaces places = Hybrid();
  const Result<RunPlace> place = places.Make(run_);
  ASSERT_TRUE(place.ok()) << place.error().message();
  const std::string name = "/drover/" + run_.ToString();
  EXPECT_EQ(place->cgroup, name);
  EXPECT_THAT(place->directories,
              UnorderedElementsAre(Pair("memory", root_.path() + "/mem" + name),
                                   Pair("cpuacct", root_.path() + "/cpu" + name)));
  EXPECT_FALSE(Exists("two" + name));
  EXPECT_FALSE(Exists("systemd" + name)) << "the engine makes it";
  // What the engine has made is removed as well, in each hierarchy.
  std::filesystem::create_directories(root_.path() + "/systemd" + name + "/container");
  EXPECT_TRUE(places.Remove(run_));
  for (const char* hierarchy : {"mem", "cpu", "systemd"}) {
    EXPECT_FALSE(Exists(hierarchy + name)) << hierarchy;
    EXPECT_FALSE(places.Has(run_));
  }
}

TEST_F(FakePlaces, TheNextAgentFindsAPlaceWhereItIs) {
  const Result<RunPlace> made = Unified().Make(run_);
  ASSERT_TRUE(made.ok()) << made.error().message();
  // The next agent has another root, and was killed before or not: it gets the same place.
  RunPlaces next("cgroup2 " + root_.path() + "/two cgroup2 rw 0 0\n", root_.path() + "/two/other",
                 "other", notes_.get());
  EXPECT_TRUE(next.Has(run_));
  const Result<RunPlace> again = next.Make(run_);
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->cgroup, made->cgroup);
  EXPECT_EQ(again->directories, made->directories);
  EXPECT_TRUE(next.Remove(run_));
  EXPECT_FALSE(std::filesystem::exists(made->directories.at(0).second));
}

TEST_F(FakePlaces, AMachineWithoutCgroupsHasNoPlaces) {
  RunPlaces none("tmpfs /tmp tmpfs rw 0 0\n", "", "drover", notes_.get());
  EXPECT_EQ(none.Make(run_).code(), Code::kFailedPrecondition);
  EXPECT_FALSE(none.Has(run_));
}

// A process that an engine would have started, in cgroups of its own below a place.
class PlaceTest : public ProcessFixture {
 protected:
  void SetUp() override {
    ProcessFixture::SetUp();
    if (!has_cgroups()) GTEST_SKIP() << "it needs root and cgroups";
  }
  // Starts a process below PLACE, in each hierarchy.
  pid_t StartIn(const RunPlace& place) {
    const pid_t child = fork();
    if (child == 0) {
      execl("/bin/sleep", "sleep", "1000", nullptr);
      _exit(127);
    }
    for (const auto& [controller, path] : place.directories) {
      const std::string own = path + "/engine";
      EXPECT_TRUE(mkdir(own.c_str(), 0755) == 0 || errno == EEXIST) << own;
      const std::string pid = std::to_string(child);
      EXPECT_EQ(WriteSmallFile(AT_FDCWD, (own + "/cgroup.procs").c_str(), pid), 0) << own;
    }
    return child;
  }
  // Starts a shim that reads the output of RUN, which ends at once.
  Result<ProcessInfo> ReadOutput(const RunId& run) {
    OutputSpec spec;
    spec.run = run;
    for (UniqueFd* pipe : {&spec.stdout_pipe, &spec.stderr_pipe}) {
      int ends[2];
      EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
      pipe->Reset(ends[0]);
      close(ends[1]);
    }
    spec.logs.directory = LogDirectory();
    spec.logs.task = "web";
    return Await(service_->StartOutput(Forever(), std::move(spec)));
  }
  // Returns the signal that has ended CHILD.
  static int SignalOf(pid_t child) {
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    return WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  }
  RunId NewRun() {
    const RunId run = RunId::Random();
    started_.push_back(run);
    return run;
  }
};

TEST_F(PlaceTest, TheHostMeasuresKillsAndRemovesWhatIsThere) {
  const RunId run = NewRun();
  EXPECT_EQ(service_->Kill(run).code(), Code::kNotFound);
  const Result<RunPlace> place = service_->MakePlace(run);
  ASSERT_TRUE(place.ok()) << place.error().message();
  EXPECT_TRUE(service_->HasPlace(run));
  const pid_t child = StartIn(*place);
  const Result<ProcessUsage> usage =
      Await(service_->Usage(Forever(), run, UsageDetail::kProcesses));
  ASSERT_TRUE(usage.ok()) << usage.error().message();
  EXPECT_THAT(usage->processes, Contains(testing::Field(&ProcessUsage::Process::pid, child)));
  EXPECT_EQ(service_->PlaceOomKills(run), 0u);
  ASSERT_TRUE(service_->Kill(run).ok());
  EXPECT_EQ(SignalOf(child), SIGKILL);
  const Status released = Await(service_->Release(Forever(), run));
  EXPECT_TRUE(released.ok()) << released.error().message();
  EXPECT_FALSE(service_->HasPlace(run));
  for (const auto& [controller, path] : place->directories) {
    EXPECT_FALSE(std::filesystem::exists(path)) << path;
  }
}

TEST_F(PlaceTest, TheNextAgentRemovesThePlaceOfARunThatIsGone) {
  const RunId run = NewRun();
  const Result<RunPlace> place = service_->MakePlace(run);
  ASSERT_TRUE(place.ok()) << place.error().message();
  const pid_t child = StartIn(*place);
  Restart();
  EXPECT_TRUE(service_->HasPlace(run));
  // A zombie counts as a member until it is reaped.
  std::thread reaper([child] { EXPECT_EQ(SignalOf(child), SIGKILL); });
  const Status released = Await(service_->Release(Forever(), run));
  reaper.join();
  EXPECT_TRUE(released.ok()) << released.error().message();
  for (const auto& [controller, path] : place->directories) {
    EXPECT_FALSE(std::filesystem::exists(path)) << path;
  }
}

TEST_F(PlaceTest, TheNextAgentTakesAPlaceOver) {
  const RunId run = NewRun();
  const Result<RunPlace> place = service_->MakePlace(run);
  ASSERT_TRUE(place.ok()) << place.error().message();
  const pid_t child = StartIn(*place);
  Restart();
  const Result<RunPlace> again = service_->MakePlace(run);
  ASSERT_TRUE(again.ok()) << again.error().message();
  EXPECT_EQ(again->cgroup, place->cgroup);
  std::thread reaper([child] { EXPECT_EQ(SignalOf(child), SIGKILL); });
  const Status removed = Await(service_->RemovePlace(Forever(), run));
  reaper.join();
  EXPECT_TRUE(removed.ok()) << removed.error().message();
  EXPECT_FALSE(service_->HasPlace(run));
}

TEST_F(PlaceTest, ARunWithAPlaceHasNoProcessOfTheHost) {
  const RunId run = NewRun();
  ASSERT_TRUE(service_->MakePlace(run).ok());
  for (int agent = 0; agent < 2; ++agent) {
    ProcessSpec spec = Shell("true");
    spec.run = run;
    EXPECT_EQ(Start(std::move(spec)).code(), Code::kFailedPrecondition);
    EXPECT_EQ(service_->AddNamed(run, "tpm").code(), Code::kFailedPrecondition);
    Restart();
  }
}

TEST_F(PlaceTest, ARunWithProcessesOfTheHostHasNoPlace) {
  const RunId run = MustStart(Shell("exec sleep 1000"));
  const RunId named = NewRun();
  ASSERT_TRUE(service_->AddNamed(named, "tpm").ok());
  for (int agent = 0; agent < 2; ++agent) {
    EXPECT_EQ(service_->MakePlace(run).code(), Code::kFailedPrecondition);
    EXPECT_EQ(service_->MakePlace(named).code(), Code::kFailedPrecondition);
    EXPECT_FALSE(service_->HasPlace(run));
    EXPECT_FALSE(service_->HasPlace(named));
    Restart();
  }
}

TEST_F(PlaceTest, WhatIsThereGoesOnWithoutAShim) {
  const RunId run = NewRun();
  const Result<RunPlace> place = service_->MakePlace(run);
  ASSERT_TRUE(place.ok()) << place.error().message();
  const pid_t child = StartIn(*place);
  Restart();
  EXPECT_EQ(Await(service_->Attach(Forever(), run)).code(), Code::kNotFound);
  EXPECT_TRUE(Alive(child));
  EXPECT_TRUE(service_->HasPlace(run));
  EXPECT_TRUE(service_->Kill(run).ok());
  EXPECT_EQ(SignalOf(child), SIGKILL);
}

TEST_F(PlaceTest, ThePlaceOutlivesTheOutput) {
  const RunId run = NewRun();
  ASSERT_TRUE(service_->MakePlace(run).ok());
  const std::string in_the_way = directory_ + "/run/" + run.Short() + ".tmp";
  ASSERT_EQ(mkdir(in_the_way.c_str(), 0700), 0);
  EXPECT_FALSE(ReadOutput(run).ok());
  EXPECT_TRUE(service_->HasPlace(run));
  ASSERT_EQ(rmdir(in_the_way.c_str()), 0);
  for (int time = 0; time < 2; ++time) {
    const Result<ProcessInfo> reader = ReadOutput(run);
    ASSERT_TRUE(reader.ok()) << reader.error().message();
    EXPECT_EQ(WaitFor(run).exit_code, 0);
    EXPECT_TRUE(service_->HasPlace(run));
  }
}

}  // namespace
}  // namespace drover
