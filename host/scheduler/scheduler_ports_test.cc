// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gmock/gmock.h>

#include <thread>

#include "host/scheduler/scheduler_fixture.h"

namespace drover {
namespace {

using SchedulerTest = SchedulerFixture;
using ::testing::IsEmpty;

JobRegistration WithStaticPort(JobRegistration registration, int value) {
  auto job = std::make_shared<Job>(*registration.job);
  Port port;
  port.label = "http";
  port.value = value;
  Network network;
  network.reserved_ports.push_back(port);
  job->groups[0].networks.push_back(network);
  registration.job = std::move(job);
  return registration;
}

TEST_F(SchedulerTest, AStaticPortWaitsForTheAllocationThatHasIt) {
  MakeNodeReady();
  MustRegister(WithStaticPort(Registration("web", 1), 8080));
  const std::string old = Live().at(0)->id();
  const JobReply reply = MustRegister(WithStaticPort(Registration("web", 1, 101), 8080));
  EXPECT_THAT(Live(), IsEmpty()) << "the old one still has the port";
  const auto eval = Eval(reply.eval_id);
  ASSERT_EQ(eval->failed_groups.count("g"), 1u);
  EXPECT_EQ(eval->failed_groups.at("g").dimension_exhausted.begin()->first,
            "network: port 8080 is taken");
  EXPECT_EQ(Eval(eval->blocked_eval)->status, "blocked");
  EXPECT_EQ(JobOf("web")->status, "pending");
  Report(old, ClientStatus::kComplete);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->alloc->ports.at(0).value, 8080);
  EXPECT_EQ(Eval(eval->blocked_eval)->status, "complete");
  EXPECT_EQ(ports.taken(), 1u);
}

TEST_F(SchedulerTest, AFailedAllocationHasItsPortsUntilItsLastTaskEnds) {
  MakeNodeReady();
  MustRegister(WithStaticPort(Registration("first", 1), 8080));
  const std::string first = Live().at(0)->id();
  ReportFailure(first, RunnerState::kRunning);
  EXPECT_EQ(ports.taken(), 1u);
  MustRegister(WithStaticPort(Registration("second", 1), 8080));
  EXPECT_THAT(Live(), IsEmpty()) << "a task of the first may still listen";
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  EXPECT_THAT(Live(), IsEmpty());
  ReportFailure(first, RunnerState::kDead);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->alloc->job->id, "second");
  Report(Live()[0]->id(), ClientStatus::kComplete);
  EXPECT_EQ(ports.taken(), 0u);
}

// The new version of a job must not wait for ever for the ports of its own failed allocation.
TEST_F(SchedulerTest, AnUpdateWaitsForThePortsOfItsFailedAllocationAndGetsThem) {
  MakeNodeReady();
  MustRegister(WithStaticPort(Registration("web", 1), 8080));
  const std::string old = Live().at(0)->id();
  ReportFailure(old, RunnerState::kRunning);
  MustRegister(WithStaticPort(Registration("web", 1, 101), 8080));
  EXPECT_THAT(Live(), IsEmpty());
  ReportFailure(old, RunnerState::kDead);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->alloc->ports.at(0).value, 8080);
  EXPECT_EQ(Live()[0]->previous, old);
}

TEST_F(SchedulerTest, AnAllocationThatFailsWhileItStopsKeepsItsPorts) {
  MakeNodeReady();
  MustRegister(WithStaticPort(Registration("first", 1), 8080));
  const std::string first = Live().at(0)->id();
  ASSERT_TRUE(scheduler.Deregister({"default", "first"}, true, false).ok());
  MustRegister(WithStaticPort(Registration("second", 1), 8080));
  ReportFailure(first, RunnerState::kRunning);
  EXPECT_THAT(Live(), IsEmpty());
  ReportFailure(first, RunnerState::kDead);
  EXPECT_EQ(Live().size(), 1u);
  EXPECT_EQ(ports.taken(), 1u);
}

TEST_F(SchedulerTest, APortThatAForeignProcessLeavesIsTaken) {
  MakeNodeReady();
  ASSERT_TRUE(ports.TakeStatic(ports.address(), 8080).ok());
  MustRegister(WithStaticPort(Registration("web", 1), 8080));
  ASSERT_THAT(Live(), IsEmpty());
  ports.Release(ports.address(), 8080);
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  EXPECT_EQ(Live().size(), 1u);
}

// A check of a port is a system call, and readers wait for each write: the check must come before.
TEST_F(SchedulerTest, PortsAreLookedAtBesideReaders) {
  MakeNodeReady();
  int looks = 0;
  ports.look = [&] {
    ++looks;
    std::thread reader([this] { store.Read([](const Tables&) {}); });
    reader.join();
  };
  MustRegister(WithStaticPort(Registration("web", 1), 8080));
  EXPECT_EQ(Live().size(), 1u);
  EXPECT_GT(looks, 0);
}

TEST_F(SchedulerTest, AnUpdateWhoseStaticPortSomebodyElseHasStopsNothing) {
  MakeNodeReady();
  ASSERT_TRUE(ports.TakeStatic(ports.address(), 9090).ok());
  MustRegister(WithStaticPort(Registration("web", 1), 8080));
  const auto before = Live();
  const JobReply reply = MustRegister(WithStaticPort(Registration("web", 1, 101), 9090));
  EXPECT_EQ(Live(), before);
  EXPECT_EQ(Eval(reply.eval_id)
                ->failed_groups.at("g")
                .dimension_exhausted.at("network: port 9090 is taken"),
            1);
  ports.Release(ports.address(), 9090);
  EXPECT_TRUE(Await<Result<Duration>>(scheduler.Heartbeat(context, "node")).ok());
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->alloc->ports.at(0).value, 9090);
}

// The node's address has changed since the task started, and the task listens on all addresses.
TEST_F(SchedulerTest, AnUpdateOfWhatWasPlacedOnAnotherAddressStopsIt) {
  MakeNodeReady();
  MustRegister(WithStaticPort(Registration("web", 1), 8080));
  const std::string old = Live().at(0)->id();
  ports.own = "127.0.0.2";
  ports.foreign = {{"127.0.0.2", 8080}};
  MustRegister(WithStaticPort(Registration("web", 1, 101), 8080));
  ASSERT_TRUE(Alloc(old)->alloc->server_terminal());
  ports.foreign.clear();
  Report(old, ClientStatus::kComplete);
  ASSERT_EQ(Live().size(), 1u);
  EXPECT_EQ(Live()[0]->alloc->ports.at(0).host_ip, "127.0.0.2");
}

TEST_F(SchedulerTest, AnUpdateToAnAddressWhereAnotherHasThePortStopsNothing) {
  MakeNodeReady();
  MustRegister(WithStaticPort(Registration("first", 1), 8080));
  const std::string first = Live().at(0)->id();
  ports.own = "127.0.0.2";
  MustRegister(WithStaticPort(Registration("second", 1), 8080));
  ASSERT_EQ(Live().size(), 2u);
  MustRegister(WithStaticPort(Registration("first", 1, 101), 8080));
  EXPECT_FALSE(Alloc(first)->terminal());
}

}  // namespace
}  // namespace drover
