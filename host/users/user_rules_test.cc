// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/users/user_rules.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>

namespace drover {
namespace {

using ::testing::HasSubstr;

struct UserRulesTest : testing::Test {
  UserRulesTest() {
    rules.denied = {"root", "Administrator"};
    rules.checked_drivers = {"exec"};
    find = [this](const std::string& name) -> Result<std::optional<uid_t>> {
      ++look_ups;
      if (broken) return Error(Code::kUnavailable, "the user database: broken", true);
      const auto found = users.find(name);
      return found == users.end() ? std::nullopt : std::optional<uid_t>(found->second);
    };
  }
  std::string Check(const std::string& user, const std::string& driver = "exec",
                    bool in_image = false) {
    const Status status = CheckUser(rules, driver, user, in_image, find);
    return status.ok() ? "" : status.error().message();
  }

  UserRules rules;
  std::map<std::string, uid_t> users{{"root", 0},   {"toor", 0},      {"web", 1000},
                                     {"www", 1000}, {"3proxy", 1001}, {"lent", 80001},
                                     {"0day", 1002}};
  FindUser find;
  bool broken = false;
  int look_ups = 0;
};

TEST_F(UserRulesTest, NoFormOfRootGetsPast) {
  for (const char* user :
       {"root", "0", "root:root", "0:0", "root:web", "0:1000", "toor", "toor:toor"}) {
    EXPECT_THAT(Check(user),
                HasSubstr("running as user \"" + std::string(user) + "\" is disallowed"))
        << user;
  }
  for (const char* user : {"00", "000:0", "+0", "-0", "0x0", "0X0:0", " 0", "0 ", "root ", "\troot",
                           "4294967296", "4294967295", "-1", ":", ":0", "web:00", "web: 0"}) {
    EXPECT_THAT(Check(user), HasSubstr("is no user: write a name")) << user;
  }
  const Status refused = CheckUser(rules, "exec", "root", false, find);
  EXPECT_EQ(refused.code(), Code::kPermissionDenied);
  EXPECT_FALSE(refused.error().recoverable());
}

TEST_F(UserRulesTest, OthersMayRun) {
  for (const char* user : {"web", "1000", "web:web", "1000:1000", "3proxy", "0day", "unknown"}) {
    EXPECT_EQ(Check(user), "") << user;
  }
  EXPECT_EQ(Check("root", "raw_exec"), "");
  EXPECT_EQ(Check("00", "raw_exec"), "") << "the driver decides";
  rules.denied.clear();
  EXPECT_EQ(Check("root"), "");
}

TEST_F(UserRulesTest, ADeniedUserIsDeniedByItsId) {
  rules.denied = {"web", "1001", "unknown"};
  EXPECT_THAT(Check("www"), HasSubstr("it is the user \"web\", which is in user.denylist"));
  EXPECT_THAT(Check("1000"), HasSubstr("disallowed"));
  EXPECT_THAT(Check("3proxy"), HasSubstr("it is the user \"1001\""));
  EXPECT_THAT(Check("unknown"), HasSubstr("disallowed: it is in user.denylist of the agent"));
  EXPECT_EQ(Check("root"), "");
}

TEST_F(UserRulesTest, TheNamesOfAnImageAreNotThoseOfTheMachine) {
  rules.denied = {"root", "web", "1001"};
  EXPECT_THAT(Check("0", "exec", true), HasSubstr("disallowed"));
  EXPECT_THAT(Check("root", "exec", true), HasSubstr("disallowed"));
  EXPECT_THAT(Check("web", "exec", true), HasSubstr("disallowed"));
  EXPECT_THAT(Check("1001", "exec", true), HasSubstr("disallowed"));
  EXPECT_EQ(Check("1000", "exec", true), "");
  EXPECT_EQ(Check("3proxy", "exec", true), "");
  EXPECT_EQ(look_ups, 0);
}

TEST_F(UserRulesTest, WithoutTheUserDatabaseNobodyStarts) {
  broken = true;
  const Status failed = CheckUser(rules, "exec", "web", false, find);
  EXPECT_EQ(failed.code(), Code::kUnavailable);
  EXPECT_TRUE(failed.error().recoverable());
  EXPECT_THAT(Check("root"), HasSubstr("disallowed")) << "that needs no database";
}

TEST_F(UserRulesTest, NoJobNamesAUserThatTheAgentGives) {
  rules.dynamic_first = 80000;
  rules.dynamic_last = 80009;
  for (const char* user : {"80000", "80009", "80005:web", "web:80005"}) {
    EXPECT_THAT(Check(user, "raw_exec"), HasSubstr("the agent gives the users 80000 to 80009"))
        << user;
  }
  for (const char* user : {"79999", "80010", "web"}) EXPECT_EQ(Check(user, "raw_exec"), "") << user;
  EXPECT_EQ(Check("lent", "raw_exec"), "") << "a user of the machine is never given";
  EXPECT_EQ(Check("root", "raw_exec"), "");
  EXPECT_THAT(Check("root"), HasSubstr("disallowed"));
}

TEST(FindSystemUserTest, AsksTheMachine) {
  const auto root = FindSystemUser("root");
  ASSERT_TRUE(root.ok());
  EXPECT_EQ(*root, uid_t{0});
  const auto nobody = FindSystemUser("no-such-user-of-drover");
  ASSERT_TRUE(nobody.ok());
  EXPECT_EQ(*nobody, std::nullopt);
}

}  // namespace
}  // namespace drover
