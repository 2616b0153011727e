// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/taskenv/host_env.h"

#include <gtest/gtest.h>

#include <cstdlib>

namespace drover {
namespace {

TEST(HostEnvTest, KeepsCredentialsAndTheAgentsOwnAffairs) {
  for (const char* name : {"VAULT_TOKEN",
                           "NOMAD_TOKEN",
                           "CONSUL_HTTP_TOKEN",
                           "AWS_ACCESS_KEY_ID",
                           "AWS_SECRET_ACCESS_KEY",
                           "AWS_SESSION_TOKEN",
                           "DB_PASSWORD",
                           "GOOGLE_APPLICATION_CREDENTIALS",
                           "NOTIFY_SOCKET",
                           "LISTEN_FDS",
                           "LD_PRELOAD",
                           "NOMAD_ADDR",
                           "DROVER_TRACE",
                           "FOO_API_KEY",
                           "SENTRY_DSN",
                           "database_password",
                           "PGPASSWORD",
                           "AZURE_CREDENTIAL_FILE",
                           "MYSQL_PWD",
                           "GITHUB_PAT",
                           "SIGNING_KEY",
                           "REDISCLI_AUTH"}) {
    EXPECT_TRUE(IsDeniedHostVariable(name)) << name;
  }
  for (const char* name : {"PATH", "HOME", "LANG", "TZ", "http_proxy", "TOKENS", "OLD_", "PWD",
                           "OLDPWD", "KEYMAP", "COMPATH", "DATABASE_URL"}) {
    EXPECT_FALSE(IsDeniedHostVariable(name)) << name;
  }
}

TEST(HostEnvTest, FindsThePasswordOfAUrl) {
  for (const char* value : {"postgres://user:secret@db:5432/name", "http://:secret@host",
                            "a=b,redis://u:p@h/0", "amqps://u:p@1@host", "x http://a/ ftp://u:p@h"})
    EXPECT_TRUE(HasPassword(value)) << value;
  for (const char* value :
       {"http://proxy:3128", "http://user@host:80/", "a:b@c", "://", "", "http://host/?next=a:b@c",
        "http://host:80/ a@b", "ssh://git@host:22/x"})
    EXPECT_FALSE(HasPassword(value)) << value;
}

TEST(HostEnvTest, ReadsTheEnvironmentOfTheProcess) {
  setenv("HOST_ENV_TEST_URL", "postgres://user:secret@host/name", 1);
  setenv("HOST_ENV_TEST", "a=b", 1);
  setenv("HOST_ENV_TEST_TOKEN", "secret", 1);
  const StringMap env = ReadHostEnv();
  ASSERT_TRUE(env.count("HOST_ENV_TEST"));
  EXPECT_EQ(env.at("HOST_ENV_TEST"), "a=b");
  EXPECT_FALSE(env.count("HOST_ENV_TEST_TOKEN"));
  EXPECT_FALSE(env.count("HOST_ENV_TEST_URL"));
  unsetenv("HOST_ENV_TEST_URL");
  unsetenv("HOST_ENV_TEST");
  unsetenv("HOST_ENV_TEST_TOKEN");
}

}  // namespace
}  // namespace drover
