// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/device/device_reservation.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using ::testing::HasSubstr;

DeviceReservation Whole() {
  DeviceReservation whole;
  whole.env = {{"KVM", "1"}};
  whole.mounts = {{"/firmware", "/usr/share/firmware", true, "private"}};
  whole.devices = {{"/dev/kvm", "/dev/kvm", "rw"}};
  return whole;
}

std::string MistakeOf(const DeviceReservation& reservation) {
  const Status checked = CheckReservation(reservation);
  return checked.ok() ? "" : checked.error().message();
}

TEST(DeviceReservationTest, TheAnswerOfAPluginIsChecked) {
  EXPECT_EQ(MistakeOf({}), "");
  EXPECT_EQ(MistakeOf(Whole()), "");
  for (const char* path : {"", "dev/kvm", "/dev/../etc/shadow", "/.."}) {
    DeviceReservation wrong = Whole();
    wrong.devices[0].host_path = path;
    EXPECT_THAT(MistakeOf(wrong), HasSubstr("is no absolute path")) << path;
    wrong = Whole();
    wrong.mounts[0].task_path = path;
    EXPECT_THAT(MistakeOf(wrong), HasSubstr("is no absolute path")) << path;
  }
  for (const char* letters : {"", "rwx", "rwmr"}) {
    DeviceReservation wrong = Whole();
    wrong.devices[0].permissions = letters;
    EXPECT_THAT(MistakeOf(wrong), HasSubstr("must be some of the letters")) << letters;
  }
  DeviceReservation wrong = Whole();
  wrong.mounts[0].propagation = "shared";
  EXPECT_THAT(MistakeOf(wrong), HasSubstr("is not known"));
  wrong = Whole();
  wrong.env["A=B"] = "";
  EXPECT_THAT(MistakeOf(wrong), HasSubstr("cannot be set"));
  wrong = Whole();
  wrong.env["NOMAD_ALLOC_ID"] = "";
  EXPECT_THAT(MistakeOf(wrong), HasSubstr("belongs to the host"));
  wrong = Whole();
  wrong.env["LONG"] = std::string(300'000, 'x');
  EXPECT_THAT(MistakeOf(wrong), HasSubstr("larger than"));
  wrong = Whole();
  for (int i = 0; i < 1024; ++i) wrong.env["V" + std::to_string(i)] = "";
  EXPECT_THAT(MistakeOf(wrong), HasSubstr("more than 1024"));
}

TEST(DeviceReservationTest, ReservationsOfSeveralDevicesAreOne) {
  DeviceReservation sum = Whole();
  EXPECT_TRUE(AddReservation(Whole(), &sum).ok());
  EXPECT_EQ(sum, Whole());
  DeviceReservation more;
  more.env = {{"TUN", "1"}};
  more.devices = {{"/dev/net/tun", "/dev/net/tun", "rw"}};
  EXPECT_TRUE(AddReservation(more, &sum).ok());
  EXPECT_EQ(sum.devices.size(), 2u);
  more = {};
  more.devices = {{"/dev/kvm", "/dev/zero", "rw"}};
  EXPECT_THAT(AddReservation(more, &sum).error().message(), HasSubstr("\"/dev/kvm\""));
  more = {};
  more.env = {{"KVM", "2"}};
  EXPECT_THAT(AddReservation(more, &sum).error().message(), HasSubstr("different values"));
}

TEST(DeviceReservationTest, IsStoredAndReadAgain) {
  EXPECT_EQ(DecodeReservation(EncodeReservation(Whole())).value(), Whole());
  EXPECT_EQ(DecodeReservation(EncodeReservation({})).value(), DeviceReservation());
  for (const char* text : {"", "{}", "[]", R"({"env":1,"mounts":[],"devices":[]})"}) {
    EXPECT_FALSE(DecodeReservation(text).ok()) << text;
  }
}

TEST(DeviceReservationTest, AListNamesEachDevice) {
  const AllocatedDevice kvm = {{"linux", "kvm", "kvm"}, {"0"}};
  AllocatedDevice other = kvm;
  other.ids = {"1"};
  EXPECT_EQ(DeviceList({kvm}), R"([["linux","kvm","kvm",["0"]]])");
  EXPECT_NE(DeviceList({kvm}), DeviceList({other}));
  EXPECT_NE(DeviceList({kvm, other}), DeviceList({other, kvm}));
}

}  // namespace
}  // namespace drover
