// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/device_hook.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <utility>

#include "host/base/await_for_test.h"
#include "host/base/loop.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

class FakeKvm : public DeviceSource {
 public:
  const std::string& plugin() const override { return name_; }
  const DeviceGroups& devices() const override { return groups_; }
  Subscription OnDevices(std::function<void()> changed) override {
    return listeners_.Add(std::move(changed));
  }
  Co<Result<DeviceReservation>> Reserve(Context, AllocatedDevice) override {
    ++asked;
    co_return answer;
  }
  Co<Status> FollowDeviceStats(Context, Duration, std::function<void(DeviceStats)>) override {
    co_return Status();
  }
  void Go() {
    groups_.clear();
    listeners_.Call();
  }

  int asked = 0;
  Result<DeviceReservation> answer =
      DeviceReservation{{{"KVM", "1"}},
                        {{"/firmware", "/usr/share/firmware", true, ""}},
                        {{"/dev/kvm", "/dev/kvm", "rw"}}};

 private:
  const std::string name_ = "machine";
  DeviceGroups groups_ = {{{"linux", "kvm", "kvm"}, {}, {{"kvm0", true}}}};
  ListenerList<> listeners_;
};

class DeviceHookTest : public ::testing::Test {
 protected:
  DeviceHookTest() {
    Task task;
    task.name = "vm";
    task.devices = {{"kvm", 1, {}, {}}};
    request_.task = std::make_shared<const Task>(task);
    auto alloc = std::make_shared<Allocation>();
    alloc->devices["vm"] = {{{"linux", "kvm", "kvm"}, {"kvm0"}}};
    request_.alloc = std::move(alloc);
    request_.driver.name = "a-driver";
    request_.driver.fs_isolation = FsIsolation::kChroot;
  }

  Result<PrestartResponse> Prestart() {
    DeviceHook hook(manager_);
    return AwaitForTest(&loop_, hook.Prestart(Context(&loop_), request_));
  }

  SimLoop loop_;
  FakeKvm kvm_;
  const std::shared_ptr<DeviceManager> manager_ =
      std::make_shared<DeviceManager>(&loop_, std::vector<DeviceSource*>{&kvm_}, nullptr);
  PrestartRequest request_;
};

TEST_F(DeviceHookTest, ATaskGetsWhatItsPluginReturns) {
  const auto response = Prestart();
  ASSERT_TRUE(response.ok()) << response.error().message();
  EXPECT_EQ(response->device_env, (StringMap{{"KVM", "1"}}));
  EXPECT_TRUE(response->env.empty());
  EXPECT_EQ(response->mounts, kvm_.answer->mounts);
  EXPECT_EQ(response->devices, kvm_.answer->devices);
  EXPECT_FALSE(response->done);
  request_.data = response->data;
  ASSERT_TRUE(Prestart().ok());
  EXPECT_EQ(kvm_.asked, 2) << "each start asks";
}

TEST_F(DeviceHookTest, ForARunningTaskTheStoredAnswerHolds) {
  const StringMap data = Prestart()->data;
  kvm_.Go();
  request_.data = data;
  request_.running = true;
  const auto response = Prestart();
  ASSERT_TRUE(response.ok()) << response.error().message();
  EXPECT_EQ(response->devices, kvm_.answer->devices);
  EXPECT_EQ(response->device_env, kvm_.answer->env);
  EXPECT_EQ(response->data, data) << "nothing is to be stored";
  EXPECT_EQ(kvm_.asked, 1);
}

TEST_F(DeviceHookTest, AStoredAnswerForOtherDevicesDoesNotHold) {
  request_.data = Prestart()->data;
  request_.running = true;
  request_.data["devices"] = "[]";
  ASSERT_TRUE(Prestart().ok());
  EXPECT_EQ(kvm_.asked, 2);
  request_.data = {{"devices", R"([["linux","kvm","kvm",["kvm0"]]])"}, {"reservation", "x"}};
  ASSERT_TRUE(Prestart().ok());
  EXPECT_EQ(kvm_.asked, 3);
}

TEST_F(DeviceHookTest, ATaskThatSeesTheMachineNeedsNoMounts) {
  request_.driver.fs_isolation = FsIsolation::kNone;
  EXPECT_THAT(Prestart().error().message(), HasSubstr("cannot give its tasks"));
  kvm_.answer->mounts.clear();
  const auto response = Prestart();
  ASSERT_TRUE(response.ok()) << response.error().message();
  EXPECT_TRUE(response->devices.empty());
  EXPECT_EQ(response->device_env, (StringMap{{"KVM", "1"}}));
  kvm_.answer->devices[0].task_path = "/dev/other";
  EXPECT_THAT(Prestart().error().message(), HasSubstr("\"/dev/other\""));
}

TEST_F(DeviceHookTest, ErrorsEndTheStart) {
  kvm_.answer = Error(Code::kUnavailable, "it is gone", true);
  const auto failed = Prestart();
  EXPECT_TRUE(failed.error().recoverable());
  EXPECT_EQ(failed.error().message(), "plugin machine, devices linux/kvm/kvm: it is gone");
  request_.alloc = std::make_shared<Allocation>();
  EXPECT_EQ(Prestart().code(), Code::kFailedPrecondition);
}

}  // namespace
}  // namespace drover
