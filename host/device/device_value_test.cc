// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/device/device_value.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(DeviceValueTest, TextsAreReadAsWhatTheyMean) {
  EXPECT_EQ(ParseDeviceValue("true"), (DeviceValue{true}));
  EXPECT_EQ(ParseDeviceValue(" false "), (DeviceValue{false}));
  EXPECT_EQ(ParseDeviceValue("11264"), (DeviceValue{std::int64_t{11264}}));
  EXPECT_EQ(ParseDeviceValue("-3"), (DeviceValue{std::int64_t{-3}}));
  EXPECT_EQ(ParseDeviceValue("+3"), (DeviceValue{std::int64_t{3}}));
  EXPECT_EQ(ParseDeviceValue("1.5"), (DeviceValue{1.5}));
  EXPECT_EQ(ParseDeviceValue("11264 MiB"), (DeviceValue{std::int64_t{11264}, "MiB"}));
  EXPECT_EQ(ParseDeviceValue("1.5GiB"), (DeviceValue{1.5, "GiB"}));
  for (const char* text : {"", "gpu", "1.2.3", "12 parsecs", "MiB", "-", "+", "0x10", "1e5"}) {
    EXPECT_EQ(ParseDeviceValue(text), (DeviceValue{std::string(text)})) << text;
  }
}

TEST(DeviceValueTest, AValueIsATextAgain) {
  for (const char* text : {"true", "11264 MiB", "1.5 GHz", "-3", "a text"}) {
    EXPECT_EQ(ParseDeviceValue(text).Text(), text);
  }
}

TEST(DeviceValueTest, NumbersAreComparedAfterTheirUnits) {
  const auto order = [](const char* left, const char* right) {
    return Compare(ParseDeviceValue(left), ParseDeviceValue(right));
  };
  EXPECT_TRUE(order("2 GiB", "2048 MiB") == 0);
  EXPECT_TRUE(order("2 GB", "2 GiB") < 0);
  EXPECT_TRUE(order("1.5 GHz", "1400 MHz") > 0);
  EXPECT_TRUE(order("500 mW", "0.5 W") == 0);
  EXPECT_TRUE(order("3", "3.5") < 0);
  EXPECT_TRUE(order("9007199254740993", "9007199254740992") > 0);  // beyond a double
  // A number with a unit and one without have no order, nor have those of different dimensions.
  EXPECT_TRUE(order("2 GiB", "2") == std::partial_ordering::unordered);
  EXPECT_TRUE(order("2 GiB", "2 GHz") == std::partial_ordering::unordered);
  EXPECT_TRUE(order("2 GiB", "big") == std::partial_ordering::unordered);
  EXPECT_TRUE(order("true", "true") == 0);
  EXPECT_TRUE(order("true", "false") == std::partial_ordering::unordered);
  EXPECT_TRUE(order("a", "b") < 0);
  const DeviceValue own{std::int64_t{3}, "lanes"};
  EXPECT_TRUE(Compare(own, {std::int64_t{2}, "lanes"}) > 0);
  EXPECT_TRUE(Compare(own, {std::int64_t{2}, "GiB"}) == std::partial_ordering::unordered);
}

}  // namespace
}  // namespace drover
