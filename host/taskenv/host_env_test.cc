// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/taskenv/host_env.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace drover {
namespace {

TEST(HostEnvTest, KeepsCredentialsAndTheAgentsOwnAffairs) {
  for (const char* name : {"VAULT_TOKEN", "NOMAD_TOKEN", "CONSUL_HTTP_TOKEN", "AWS_ACCESS_KEY_ID",
                           "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "DB_PASSWORD",
                           "GOOGLE_APPLICATION_CREDENTIALS", "NOTIFY_SOCKET", "LISTEN_FDS",
                           "LD_PRELOAD", "NOMAD_ADDR", "DROVER_TRACE"}) {
    EXPECT_TRUE(IsDeniedHostVariable(name)) << name;
  }
  for (const char* name : {"PATH", "HOME", "LANG", "TZ", "http_proxy", "TOKENS", "OLD_"}) {
    EXPECT_FALSE(IsDeniedHostVariable(name)) << name;
  }
}

TEST(HostEnvTest, ReadsTheEnvironmentOfTheProcess) {
  setenv("HOST_ENV_TEST", "a=b", 1);
  setenv("HOST_ENV_TEST_TOKEN", "secret", 1);
  const StringMap env = ReadHostEnv();
  ASSERT_TRUE(env.count("HOST_ENV_TEST"));
  EXPECT_EQ(env.at("HOST_ENV_TEST"), "a=b");
  EXPECT_FALSE(env.count("HOST_ENV_TEST_TOKEN"));
  unsetenv("HOST_ENV_TEST");
  unsetenv("HOST_ENV_TEST_TOKEN");
}

}  // namespace
}  // namespace drover
