// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/config/address_template.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using ::testing::HasSubstr;

const std::vector<InterfaceAddress> kAddresses = {
    {"eth0", "fd00::7"}, {"eth0", "203.0.113.9"}, {"eth1", "10.1.2.3"}, {"eth2", "192.168.0.2"},
    {"eth3", "fe80::1"}, {"eth4", "2001:db8::4"}, {"lo", "127.0.0.1"}};

std::string Filled(const std::string& text) {
  const Result<std::string> filled = FillAddressTemplate(text, kAddresses);
  return filled.ok() ? *filled : "error: " + filled.error().message();
}

TEST(AddressTemplateTest, FillsInAddressesOfTheMachine) {
  EXPECT_EQ(Filled("{{ GetPrivateIP }}"), "10.1.2.3");
  EXPECT_EQ(Filled("{{GetPublicIP}}:4646"), "203.0.113.9:4646");
  EXPECT_EQ(Filled("{{ GetInterfaceIP \"eth2\" }}"), "192.168.0.2");
  EXPECT_EQ(Filled("{{ GetInterfaceIP `eth0` }}"), "203.0.113.9");
  EXPECT_EQ(Filled("{{ GetInterfaceIP \"eth4\" }}"), "2001:db8::4");
  EXPECT_EQ(Filled("10.0.0.1"), "10.0.0.1");
}

TEST(AddressTemplateTest, ATemplateWithoutAnAddressIsAMistake) {
  EXPECT_THAT(Filled("{{ GetInterfaceIP \"eth9\" }}"),
              HasSubstr("no address of this machine fits"));
  EXPECT_FALSE(FillAddressTemplate("{{ GetPrivateIP }}", {{"lo", "127.0.0.1"}}).ok());
  EXPECT_FALSE(FillAddressTemplate("{{ GetPublicIP }}", {{"eth0", "169.254.1.1"}}).ok());
}

TEST(AddressTemplateTest, OtherTemplatesAreRefusedByName) {
  for (const char* text : {"{{ GetAllInterfaces | attr \"address\" }}", "{{ GetInterfaceIP eth0 }}",
                           "{{ GetInterfaceIP \"eth0\" | upper }}", "{{ }}"}) {
    EXPECT_THAT(Filled(text), HasSubstr("is not supported by this version; known here: {{ GetPriv"))
        << text;
  }
  EXPECT_THAT(Filled("{{ GetPrivateIP"), HasSubstr("no closing braces"));
}

TEST(AddressTemplateTest, KnowsTemplates) {
  EXPECT_TRUE(HasAddressTemplate("{{ GetPrivateIP }}"));
  EXPECT_FALSE(HasAddressTemplate("127.0.0.1"));
}

}  // namespace
}  // namespace drover
