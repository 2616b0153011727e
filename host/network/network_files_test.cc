// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/network/network_files.h"

#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

TEST(NetworkFilesTest, TheNameHasAllAddresses) {
  const AllocationNetwork network{"eth0", "172.26.64.2", "fd00::2"};
  const std::string text = HostsText(network, "web");
  EXPECT_THAT(text, HasSubstr("127.0.0.1 localhost\n"));
  EXPECT_THAT(text, HasSubstr("\n172.26.64.2 web\nfd00::2 web\n"));
  EXPECT_THAT(HostsText(network, ""), Not(HasSubstr("172.26.64.2")));
}

TEST(NetworkFilesTest, TheJobSaysHowNamesAreLookedUp) {
  const DnsConfig dns{{"9.9.9.9", "2620:fe::fe"}, {"svc.example", "example"}, {"ndots:2"}};
  EXPECT_EQ(ResolvText(dns, "nameserver 127.0.0.53\nsearch lan\n", "", true),
            "nameserver 9.9.9.9\nnameserver 2620:fe::fe\nsearch svc.example example\n"
            "options ndots:2\n");
}

TEST(NetworkFilesTest, WithoutServersThoseOfTheHostStay) {
  const std::string host = "# made by hand\nnameserver 192.0.2.1\nsearch lan\noptions edns0\n";
  EXPECT_EQ(ResolvText({}, host, "", true), "nameserver 192.0.2.1\nsearch lan\noptions edns0\n");
  EXPECT_EQ(ResolvText({{}, {"mine"}, {}}, host, "", true),
            "nameserver 192.0.2.1\nsearch mine\noptions edns0\n");
}

TEST(NetworkFilesTest, AServerOnTheLoopbackIsNoneForAnotherNetwork) {
  const std::string stub = "nameserver 127.0.0.53\nsearch lan\n";
  const std::string resolved = "nameserver 192.0.2.7\nnameserver ::1\n";
  EXPECT_EQ(ResolvText({}, stub, resolved, true), "nameserver 192.0.2.7\nsearch lan\n");
  EXPECT_EQ(ResolvText({}, stub, resolved, false), "nameserver 127.0.0.53\nsearch lan\n");
  EXPECT_EQ(ResolvText({}, stub, "", true), "search lan\n");
}

// A local resolver without systemd-resolved is common. Tasks get a mount of the file, so it must be
// there.
TEST(NetworkFilesTest, TheTextIsNeverEmpty) {
  for (const char* const host : {"", "nameserver 127.0.0.1\n", "# nothing\n"})
    EXPECT_THAT(ResolvText({}, host, "", true), HasSubstr("# The host has no name server")) << host;
}

TEST(NetworkFilesTest, CommentsAreNoServers) {
  EXPECT_EQ(ResolvText({}, "nameserver 192.0.2.1 # of the router\nsearch lan ; home\n", "", true),
            "nameserver 192.0.2.1\nsearch lan\n");
}

TEST(NetworkFilesTest, FilesComeAndGo) {
  const DirectoryForTest directory;
  const std::string files = directory.path() + "/files";
  ASSERT_TRUE(MakeNetworkFiles(files, {"hosts\n", "resolv\n", ""}).ok());
  EXPECT_EQ(ReadHostText(files + "/hosts"), "hosts\n");
  EXPECT_EQ(ReadHostText(files + "/resolv.conf"), "resolv\n");
  EXPECT_NE(access((files + "/hostname").c_str(), F_OK), 0);
  struct stat before{};
  ASSERT_EQ(stat((files + "/hosts").c_str(), &before), 0);
  EXPECT_EQ(before.st_mode & 0777, 0644u);
  ASSERT_TRUE(MakeNetworkFiles(files, {"other\n", "resolv\n", "web\n"}).ok());
  EXPECT_EQ(ReadHostText(files + "/hosts"), "other\n");
  EXPECT_EQ(ReadHostText(files + "/hostname"), "web\n");
  EXPECT_TRUE(DropNetworkFiles(files).ok());
  EXPECT_NE(access(files.c_str(), F_OK), 0);
  EXPECT_TRUE(DropNetworkFiles(files).ok());
}

}  // namespace
}  // namespace drover
