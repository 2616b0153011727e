// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/container/process_container.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/wait.h>

#include <cerrno>
#include <future>

#include "host/abi/abi_write.h"
#include "host/base/open_fds_for_test.h"
#include "host/container/process_container_state.h"
#include "host/library/test_files.h"
#include "host/plugin/plugin_host.h"

namespace drover {
namespace {

// Frames as a driver's process may send them. That process is there, and nobody listens to it.
class ProcessContainerTest : public testing::Test {
 protected:
  ProcessContainerTest() {
    PluginHost::Parts parts;
    parts.plugin = "test";
    parts.loop = &loop_;
    parts.log = [this](PluginLogLevel, const std::string&, const RunId*, const std::string& line) {
      log_ += line;
    };
    host_ = PluginHost::Make(std::move(parts));
    const UniqueFd file(open(TestPlugin("test").c_str(), O_RDONLY | O_CLOEXEC));
    state_ = std::make_shared<ProcessContainer::State>(
        ContainerProcess::Start(file.get(), "test").value(), "test.so", "test",
        ProcessContainer::Listener());
    state_->host = host_->face();
  }
  ~ProcessContainerTest() override {
    state_->Die(ContainerDeath());  // who waits for an answer goes on
    EXPECT_TRUE(loop_.RunToEnd(host_->Close(loop_.Now() + 5s), 20s));
  }

  Status Handle(std::uint16_t kind, WireMessage message, std::uint64_t id = 7) {
    Frame frame;
    frame.kind = kind;
    frame.id = id;
    frame.message = std::move(message);
    return state_->Handle(std::move(frame));
  }
  static WireMessage Exec() {
    WireMessage message;
    WireWriter to(&message);
    to(drover_run_id{});
    auto args = NewStruct<drover_exec_args>();
    for (drover_fd* fd : {&args.input, &args.output, &args.error}) {
      *fd = {memfd_create("given", MFD_CLOEXEC), DROVER_FD_GIVEN};
    }
    to.Struct(&args);
    return message;
  }

  RealLoop loop_;
  std::string log_;
  std::shared_ptr<PluginHost> host_;
  std::shared_ptr<ProcessContainer::State> state_;
};

TEST_F(ProcessContainerTest, AFrameWithBytesLeftOverIsAnError) {
  using namespace frame_kind;
  const auto expect_whole = [&](std::uint16_t kind, const std::string& body) {
    EXPECT_TRUE(Handle(kind, {body, {}}).ok()) << kind;
    EXPECT_EQ(Handle(kind, {body + "x", {}}).code(), Code::kInternal) << kind;
  };
  WireMessage no_error;
  WireWriter to_no_error(&no_error);
  PutError(&to_no_error, nullptr);
  WireMessage number;
  WireWriter to_number(&number);
  to_number(std::int32_t{0});
  expect_whole(kReturn, number.bytes + no_error.bytes);
  expect_whole(kStreamEnd, no_error.bytes);
  expect_whole(kStreamSend, number.bytes + '\0');  // of no type that there is
  expect_whole(kExecEnd, "");
  expect_whole(kExecResize, number.bytes + number.bytes);
  expect_whole(kTimerCancel, "");
  // The body of a completion that nobody waits for may be anything.
  EXPECT_TRUE(Handle(kComplete, {no_error.bytes + "xyz", {}}).ok());
  EXPECT_THAT(log_, testing::HasSubstr("it completed call 7, which is not known"));
}

// A timer's function may run before the call that has set the timer returns.
TEST_F(ProcessContainerTest, AnEndNamesEachFunctionThatHasNotReturned) {
  ProcessContainer::State::Waiting start, wait, timer;
  start.kind = frame_kind::verb::start;
  wait.kind = frame_kind::verb::wait;
  timer.kind = frame_kind::kTimer;
  const std::pair<std::uint64_t, ProcessContainer::State::Waiting*> all[] = {
      {1, &start}, {2, &wait}, {3, &wait}, {4, &timer}};
  for (const auto& [id, own] : all) state_->waiting[id] = own;
  state_->Die(ContainerDeath());
  EXPECT_THAT(state_->told,
              testing::HasSubstr("ended in start or wait or a timer's function with"));
  state_->waiting.clear();
}

TEST_F(ProcessContainerTest, DescriptorsThatNobodyTakesAreClosed) {
  const long before = OpenFds();
  WireMessage surplus = Exec();
  surplus.bytes += "x";
  EXPECT_FALSE(Handle(frame_kind::process::exec, std::move(surplus)).ok());
  EXPECT_EQ(OpenFds(), before);
  // This host has no such service.
  EXPECT_TRUE(Handle(frame_kind::process::exec, Exec()).ok());
  EXPECT_EQ(OpenFds(), before);
  using Service = ProcessContainer::State::Service;
  state_->services.emplace(8, std::make_unique<Service>(Service{state_.get(), 8}));
  EXPECT_TRUE(Handle(frame_kind::process::exec, Exec(), 8).ok());  // a second one
  EXPECT_EQ(OpenFds(), before);
}

// A process that serves: calls made as the host's pool makes them, in an order of the test.
class ServingContainerTest : public testing::Test {
 protected:
  ServingContainerTest() {
    PluginHost::Parts parts;
    parts.plugin = "test";
    parts.loop = &loop_;
    host_ = PluginHost::Make(std::move(parts));
    const UniqueFd file(open(TestPlugin("asks_in_wait").c_str(), O_RDONLY | O_CLOEXEC));
    std::promise<bool> loaded;
    ProcessContainer::Listener listener;
    listener.loaded = [&loaded](const Result<PluginInfo>& info) { loaded.set_value(info.ok()); };
    auto made = ProcessContainer::Start(file, "test.so", "test", std::move(listener));
    EXPECT_TRUE(made.ok());
    container_ = std::move(*made);
    EXPECT_TRUE(loaded.get_future().get());
    const auto call = NewCall("create", [](const void* result) -> Result<CallValue> {
      return CallValue(CreatedInstance{static_cast<const drover_create_result*>(result)->instance});
    });
    auto error = NewStruct<drover_error>();
    auto args = NewStruct<drover_create_args>();
    args.config = ToStr("{}");
    const drover_call frame = Frame(*call);
    EXPECT_EQ(container_->Create(host_->face(), &frame, &args, &error), DROVER_OK);
    EXPECT_TRUE(loop_.RunToEnd(call->done.Wait(), 20s));
    self_ = std::get<CreatedInstance>(**call->outcome).instance;
  }
  ~ServingContainerTest() override {
    container_.reset();
    EXPECT_TRUE(loop_.RunToEnd(host_->Close(loop_.Now() + 5s), 20s));
  }

  std::shared_ptr<PendingCall> NewCall(const char* verb, CallDecoder decode) {
    auto call = std::make_shared<PendingCall>(&loop_, verb, RunId(), decode);
    host_->calls().Add(call);
    return call;
  }
  static drover_call Frame(const PendingCall& call) {
    auto frame = NewStruct<drover_call>();
    frame.id = call.id;
    frame.deadline = INT64_MAX;
    return frame;
  }
  std::int32_t Wait(const PendingCall& call) {
    auto error = NewStruct<drover_error>();
    const auto args = NewStruct<drover_wait_args>();
    const drover_call frame = Frame(call);
    return container_->table()->wait(self_, &frame, &args, &error);
  }
  static Result<CallValue> Nothing(const void*) { return CallValue(); }

  RealLoop loop_;
  std::shared_ptr<PluginHost> host_;
  std::unique_ptr<ProcessContainer> container_;
  drover_instance* self_ = nullptr;
};

// Two threads of the host send the verb and its cancellation, and two of the process serve them.
TEST_F(ServingContainerTest, ACancellationThatComesBeforeItsVerbCounts) {
  const auto call = NewCall("wait", &Nothing);
  container_->table()->call_cancelled(self_, call->id);
  EXPECT_EQ(Wait(*call), DROVER_E_CANCELLED);
  const auto next = NewCall("wait", &Nothing);
  EXPECT_EQ(Wait(*next), DROVER_E_NOT_FOUND) << "that was the other one's";
}

// Also if its reader cannot be made: no other code reaps it.
TEST(ContainerProcessTest, WhatIsDroppedLeavesNoProcess) {
  const UniqueFd file(open(TestPlugin("test").c_str(), O_RDONLY | O_CLOEXEC));
  auto process = ContainerProcess::Start(file.get(), "test").value();
  const pid_t pid = process->pid();
  process.reset();
  siginfo_t info{};
  EXPECT_EQ(waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOHANG | WNOWAIT), -1);
  EXPECT_EQ(errno, ECHILD) << "it runs on, or nobody has reaped it";
}

// Those that come behind the end of their calls are not kept for ever.
TEST_F(ServingContainerTest, CancellationsOfNoCallDoNotHideTheOthers) {
  for (int i = 0; i < 3000; ++i) container_->table()->call_cancelled(self_, NextPluginId());
  const auto call = NewCall("wait", &Nothing);
  container_->table()->call_cancelled(self_, call->id);
  EXPECT_EQ(Wait(*call), DROVER_E_CANCELLED);
}

}  // namespace
}  // namespace drover
