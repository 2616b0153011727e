// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/client/client_options.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace drover {
namespace {

class EnvironmentTest : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"DROVER_ADDR", "NOMAD_ADDR", "NOMAD_TOKEN", "DROVER_REGION",
                             "NOMAD_REGION", "NOMAD_SKIP_VERIFY"}) {
      unsetenv(name);
    }
  }
  void TearDown() override { SetUp(); }
};

TEST_F(EnvironmentTest, OptionsComeBeforeItAndDroversNamesBeforeNomads) {
  EXPECT_EQ(WithEnvironment({})->address, "http://127.0.0.1:4646");
  setenv("NOMAD_ADDR", "http://nomad:1/", 1);
  setenv("NOMAD_TOKEN", "secret", 1);
  EXPECT_EQ(WithEnvironment({})->region, "");
  for (const char* yes : {"1", "t", "TRUE"}) {
    setenv("NOMAD_SKIP_VERIFY", yes, 1);
    EXPECT_TRUE(WithEnvironment({})->tls_skip_verify) << yes;
  }
  for (const char* no : {"0", "false", "", "yes"}) {
    setenv("NOMAD_SKIP_VERIFY", no, 1);
    EXPECT_FALSE(WithEnvironment({})->tls_skip_verify) << no;
  }
  setenv("NOMAD_REGION", "eu", 1);
  EXPECT_EQ(WithEnvironment({})->region, "eu");
  EXPECT_EQ(WithEnvironment({})->address, "http://nomad:1");
  setenv("NOMAD_ADDR", "unix:///secrets/api.sock", 1);  // as tasks have it
  EXPECT_EQ(WithEnvironment({})->address, "unix:///secrets/api.sock");
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
