// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/fetch_artifact.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <set>
#include <thread>

#include "host/artifact/fetch_budget.h"
#include "host/artifact/fetch_child.h"
#include "host/artifact/fetch_file.h"
#include "host/artifact/file_checksum.h"
#include "host/artifact/local_artifact_fetcher.h"
#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"
#include "host/base/write_whole.h"
#include "host/child/file_rules.h"
#include "host/client/scripted_server_for_test.h"

namespace drover {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;
using testing::Not;

// Fetches with the real process, which is this program again.
struct FetchArtifactTest : testing::Test {
  FetchArtifactTest() {
    fs::create_directories(root.path() + "/web/local");
    fetch.root = root.path();
    fetch.task = "web";
    fetch.place = "web/local";
    fetch.staging = StagingName("web", 0);
    fetch.order.without_rules = FileRulesVersion() == 0;
    fetch.order.limits.http_time = 20s;
  }
  ~FetchArtifactTest() override {
    EXPECT_FALSE(fs::exists(root.path() + "/" + StagingName("web", 0))) << "something is left";
  }

  Status Fetch(const std::string& source) {
    fetch.order.artifact.source = source;
    return FetchArtifact(fetch);
  }
  std::string Read(const std::string& path) const {
    std::ifstream file(root.path() + "/" + path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  static std::string Sha256(const std::string& text) {
    const UniqueFd file(memfd_create("text", MFD_CLOEXEC));
    EXPECT_TRUE(WriteWhole(file.get(), text).ok());
    return ChecksumOfFile(file.get(), "sha256").value();
  }

  const DirectoryForTest root;
  ArtifactFetch fetch;
};

TEST_F(FetchArtifactTest, AFileComesIntoTheDestination) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Reply("content");
  });
  const UniqueFd progress(memfd_create("progress", MFD_CLOEXEC));
  fetch.progress = progress.get();
  const Status fetched = Fetch(server.address() + "/dir/file.txt");
  ASSERT_TRUE(fetched.ok()) << fetched.error().message();
  EXPECT_EQ(Read("web/local/file.txt"), "content");
  EXPECT_EQ(LoadProgress(progress.get()).bytes, 7u);
  EXPECT_EQ(LoadProgress(progress.get()).total, 7u);
  struct stat info{};
  ASSERT_EQ(stat((root.path() + "/web/local/file.txt").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, geteuid());
  EXPECT_EQ(info.st_mode & 07777, 0755u) << "it may be a program";
  fetch.place = "web/local/named";
  fetch.order.artifact.mode = Artifact::Mode::kFile;
  ASSERT_TRUE(Fetch(server.address() + "/dir/file.txt").ok());
  EXPECT_EQ(Read("web/local/named"), "content");
}

TEST_F(FetchArtifactTest, TheOwnerOfTheTaskGetsTheFiles) {
  if (geteuid() != 0) GTEST_SKIP() << "only root gives files away";
  ASSERT_EQ(chown((root.path() + "/web").c_str(), 1234, 2345), 0);
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Reply("content");
  });
  fetch.chown = true;
  ASSERT_TRUE(Fetch(server.address() + "/file").ok());
  struct stat info{};
  ASSERT_EQ(stat((root.path() + "/web/local/file").c_str(), &info), 0);
  EXPECT_EQ(info.st_uid, 1234u);
  EXPECT_EQ(info.st_gid, 2345u);
}

TEST_F(FetchArtifactTest, ChecksumsDecide) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    const std::string head = peer->ReadHead();
    const bool sums = head.find("/SUMS") != head.npos;
    peer->Reply(sums ? Sha256("content") + "  file\n" : "content");
  });
  const std::string file = server.address() + "/file?checksum=";
  const Status right = Fetch(file + "sha256:" + Sha256("content"));
  EXPECT_TRUE(right.ok()) << right.error().message();
  EXPECT_TRUE(Fetch(file + "file:" + server.address() + "/SUMS").ok());
  fs::remove(root.path() + "/web/local/file");
  const Status wrong = Fetch(file + "sha256:" + Sha256("other"));
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message(), HasSubstr("but must have " + Sha256("other")));
  EXPECT_TRUE(wrong.error().recoverable());
  EXPECT_FALSE(fs::exists(root.path() + "/web/local/file"));
}

TEST_F(FetchArtifactTest, TheCacheSparesADownload) {
  std::atomic<int> asked{0};
  ScriptedServer server([&asked](ScriptedPeer* peer, int) {
    peer->ReadHead();
    ++asked;
    peer->Reply("content");
  });
  const DirectoryForTest data;
  const auto cache = ArtifactCache::Create(data.path() + "/artifacts", 1000).value();
  fetch.cache = cache.get();
  const std::string source = server.address() + "/file?checksum=sha256:" + Sha256("content");
  ASSERT_TRUE(Fetch(source).ok());
  fs::remove(root.path() + "/web/local/file");
  ASSERT_TRUE(Fetch(source).ok());
  EXPECT_EQ(Read("web/local/file"), "content");
  EXPECT_EQ(asked, 1);
  // The task may write to its file, and the kept one stays as it is.
  std::ofstream(root.path() + "/web/local/file", std::ios::app) << "changed";
  ASSERT_TRUE(Fetch(source).ok());
  EXPECT_EQ(Read("web/local/file"), "content");
}

TEST_F(FetchArtifactTest, FilesOfTheMachineNeedPermission) {
  const DirectoryForTest files;
  fs::permissions(files.path(), fs::perms(0755));
  std::ofstream(files.path() + "/one") << "1";
  const Status refused = Fetch(files.path() + "/one");
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.code(), Code::kPermissionDenied);
  EXPECT_THAT(refused.error().message(), HasSubstr("file_sources"));
  fetch.order.file_sources = {files.path()};
  const Status fetched = Fetch(files.path() + "/one");
  ASSERT_TRUE(fetched.ok()) << fetched.error().message();
  EXPECT_EQ(Read("web/local/one"), "1");
  ASSERT_TRUE(Fetch("file://" + files.path()).ok()) << "a directory";
  if (fetch.order.without_rules) return;
  fs::create_symlink("/etc/passwd", files.path() + "/link");
  EXPECT_FALSE(Fetch(files.path() + "/link").ok());
}

TEST_F(FetchArtifactTest, TheCallerEndsItEarly) {
  const UniqueFd stop(eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
  ScriptedServer server([&stop](ScriptedPeer* peer, int) {
    peer->ReadHead();
    eventfd_write(stop.get(), 1);
    peer->ReadToEnd();
  });
  fetch.stop = stop.get();
  EXPECT_EQ(Fetch(server.address() + "/file").code(), Code::kCancelled);
}

TEST_F(FetchArtifactTest, ErrorsOfTheJobAreNotRetriedAndShowNoSecret) {
  const Status wrong = Fetch("ftp://me:hunter2@x/a?token=hunter2");
  ASSERT_FALSE(wrong.ok());
  EXPECT_FALSE(wrong.error().recoverable());
  EXPECT_THAT(wrong.error().message(), Not(HasSubstr("hunter2")));
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 503 Busy\r\nContent-Length: 0\r\n\r\n");
  });
  const Status busy = Fetch("http://me:hunter2@" + server.address().substr(7) + "/a?token=hunter2");
  ASSERT_FALSE(busy.ok());
  EXPECT_TRUE(busy.error().recoverable());
  EXPECT_THAT(busy.error().message(), HasSubstr("status 503"));
  EXPECT_THAT(busy.error().message(), Not(HasSubstr("hunter2")));
}

TEST_F(FetchArtifactTest, LimitsHoldInTheProcess) {
  ScriptedServer server([](ScriptedPeer* peer, int) {
    peer->ReadHead();
    peer->Send("HTTP/1.1 200 OK\r\n\r\n");
    while (peer->Send(std::string(65536, 'x'))) {
    }
  });
  fetch.order.limits.most_bytes = 1 << 20;
  const Status fetched = Fetch(server.address() + "/file");
  ASSERT_FALSE(fetched.ok());
  EXPECT_THAT(fetched.error().message(), HasSubstr("more than the limit of 1048576 bytes"));
  EXPECT_FALSE(fs::exists(root.path() + "/web/local/file"));
}

TEST(SystemFilesTest, NoSecretOfTheMachineIsAmongThem) {
  for (const bool by_git : {false, true}) {
    const std::vector<std::string> files = SystemFilesOfFetches(by_git);
    EXPECT_TRUE(IsBelowAny("/etc/ssl/certs/ca-certificates.crt", files));
    for (const char* secret : {"/etc/ssl/private/server.key", "/etc/pki/tls/private/server.key",
                               "/etc/letsencrypt/live/a/privkey.pem", "/etc/shadow", "/root/.netrc",
                               "/etc/drover/token", "/proc/1/environ", "/var/lib/drover/seal"}) {
      EXPECT_FALSE(IsBelowAny(secret, files)) << secret;
    }
  }
}

TEST(StagingNameTest, NoTaskAndNoOtherArtifactHasIt) {
  const std::string a = std::string(254, 'x') + "a", b = std::string(254, 'x') + "b";
  const std::set<std::string> names = {StagingName("web", 0), StagingName("web", 1),
                                       StagingName("0-web", 0), StagingName(a, 0),
                                       StagingName(b, 0)};
  EXPECT_EQ(names.size(), 5u);
  for (const std::string& name : names) {
    EXPECT_LE(name.size(), 255u);
    EXPECT_NE(name.find('\\'), name.npos) << "a task could have this name";
  }
}

}  // namespace
}  // namespace drover
