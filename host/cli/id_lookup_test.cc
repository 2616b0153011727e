// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/id_lookup.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace drover {
namespace {

TEST(ListedPrefixTest, HasTheHyphensOfAnIdAndAnEvenNumberOfDigits) {
  EXPECT_EQ(*ListedPrefix("ab"), "ab");
  EXPECT_EQ(*ListedPrefix("abc"), "ab");
  EXPECT_EQ(*ListedPrefix("12345678-9"), "12345678");
  EXPECT_EQ(*ListedPrefix("1234567890"), "12345678-90");
  EXPECT_EQ(*ListedPrefix("0123456789abcdef0123456789abcdef"),
            "01234567-89ab-cdef-0123-456789abcdef");
}

TEST(ListedPrefixTest, NeedsTwoCharacters) {
  EXPECT_EQ(ListedPrefix("a").code(), Code::kInvalidArgument);
  EXPECT_EQ(ListedPrefix("a-").code(), Code::kInvalidArgument);
}

TEST(ApiPathTest, EscapesWhatWouldBeAnotherPath) {
  EXPECT_EQ(ApiPath("/v1/job", "a/b ?c", "/plan"), "/v1/job/a%2Fb%20%3Fc/plan");
  EXPECT_EQ(ApiPath("/v1/job", "ü-._~"), "/v1/job/%C3%BC-._~");
}

class EnvironmentTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"DROVER_ADDR", "NOMAD_ADDR", "NOMAD_TOKEN"}) unsetenv(name);
  }
  void TearDown() override { SetUp(); }
};

TEST_F(EnvironmentTest, OptionsComeBeforeItAndDroversNamesBeforeNomads) {
  EXPECT_EQ(WithEnvironment({})->address, "http://127.0.0.1:4646");
  setenv("NOMAD_ADDR", "http://nomad:1/", 1);
  setenv("NOMAD_TOKEN", "secret", 1);
  EXPECT_EQ(WithEnvironment({})->address, "http://nomad:1");
  setenv("DROVER_ADDR", "https://drover:2", 1);
  EXPECT_EQ(WithEnvironment({})->address, "https://drover:2");
  ClientOptions options;
  options.address = "unix:///run/x";
  EXPECT_EQ(WithEnvironment(options)->address, "unix:///run/x");
  EXPECT_EQ(WithEnvironment(options)->token, "secret");
}

TEST_F(EnvironmentTest, AnAddressNeedsAScheme) {
  ClientOptions options;
  for (const char* address : {"127.0.0.1:4646", "ftp://x", "http://", "unix://x"}) {
    options.address = address;
    EXPECT_EQ(WithEnvironment(options).code(), Code::kInvalidArgument) << address;
  }
}

}  // namespace
}  // namespace drover
