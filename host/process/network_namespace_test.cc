// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/process/network_namespace.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include "host/base/directory_for_test.h"
#include "host/process/process_test_fixture.h"

namespace drover {
namespace {

using ::testing::HasSubstr;

TEST(NetworkNamespaceTest, OnlyNetworkNamespacesAreOpened) {
  EXPECT_TRUE(OpenNetworkNamespace("/proc/self/ns/net").ok());
  const DirectoryForTest directory;
  const std::string pipe = directory.path() + "/pipe";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  const std::pair<std::string, std::string> wrong[] = {
      {"/proc/self/ns/uts",
       "/proc/self/ns/uts is a namespace of another kind: name a network "
       "namespace"},
      {"/etc/passwd", "/etc/passwd is no namespace: name a network namespace"},
      {"/dev/null", "/dev/null is no namespace: name a network namespace"},
      {"/tmp", "/tmp is no namespace: name a network namespace"},
      {pipe, pipe + " is no namespace: name a network namespace"}};  // without blocking
  for (const auto& [path, message] : wrong) {
    const Result<UniqueFd> opened = OpenNetworkNamespace(path);
    ASSERT_FALSE(opened.ok()) << path;
    EXPECT_EQ(opened.code(), Code::kInvalidArgument);
    EXPECT_EQ(opened.error().message(), message);
  }
  const Result<UniqueFd> gone = OpenNetworkNamespace(directory.path() + "/gone");
  ASSERT_FALSE(gone.ok());
  EXPECT_EQ(gone.code(), Code::kNotFound);
  EXPECT_THAT(gone.error().message(),
              HasSubstr("cannot open the network namespace " + directory.path()));
}

// Processes without a mount namespace; isolation_test.cc has the tests of processes with one.
class NetworkRunTest : public ProcessFixture {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "network namespaces need root";
    ProcessFixture::SetUp();
    Result<UniqueFd> made = MakeNetworkNamespace();
    ASSERT_TRUE(made.ok()) << made.error().message();
    network_ = std::move(*made);
    path_ = "/proc/" + std::to_string(getpid()) + "/fd/" + std::to_string(network_.get());
    struct stat info{};
    ASSERT_EQ(fstat(network_.get(), &info), 0);
    name_ = "net:[" + std::to_string(info.st_ino) + "]\n";
  }
  void TearDown() override {
    network_.Reset();
    if (loop_) ProcessFixture::TearDown();
  }

  ProcessSpec Inside(const std::string& script) {
    ProcessSpec spec = Shell(script);
    Result<UniqueFd> opened = OpenNetworkNamespace(path_);
    EXPECT_TRUE(opened.ok()) << opened.error().message();
    if (opened.ok()) spec.network = std::move(*opened);
    return spec;
  }

  UniqueFd network_;
  std::string path_;
  std::string name_;  // as in the links of /proc
};

TEST_F(NetworkRunTest, TheThreadThatMadeItIsGoneAndOursIsWhereItWas) {
  EXPECT_NE(std::filesystem::read_symlink("/proc/self/ns/net").string() + "\n", name_);
}

TEST_F(NetworkRunTest, ATaskSeesOnlyItsLoopbackWhichIsUp) {
  ProcessSpec spec = Inside(
      "readlink /proc/self/ns/net; tail -n +3 /proc/net/dev | cut -d: -f1 | tr -d ' '; "
      "cat /proc/net/route | wc -l; grep -c 'Local:\\|127.0.0.1' /proc/net/fib_trie || echo down");
  spec.user = ProcessUser{65534, 65534, {}};
  EXPECT_EQ(WaitFor(MustStart(std::move(spec))).exit_code, 0) << Read("logs/web.stderr.0");
  const std::string seen = Read("logs/web.stdout.0");
  EXPECT_THAT(seen, ::testing::StartsWith(name_ + "lo\n"));
  EXPECT_THAT(seen, ::testing::Not(HasSubstr("down")));
}

TEST_F(NetworkRunTest, SessionsEnterIt) {
  const RunId run = MustStart(Inside("exec sleep 1000"));
  ExecSpec exec;
  exec.argv = {"/bin/sh", "-c", "readlink /proc/self/ns/net > $DIR/session"};
  for (UniqueFd* end : {&exec.standard_input, &exec.standard_output, &exec.standard_error})
    end->Reset(open("/dev/null", O_RDWR | O_CLOEXEC));
  auto session = Await(service_->Exec(Forever(), run, std::move(exec)));
  ASSERT_TRUE(session.ok()) << session.error().message();
  const Result<ExecExit> exit = Await((*session)->Wait(Forever()));
  EXPECT_TRUE(exit.ok() && exit->exit_code == 0);
  EXPECT_EQ(Read("session"), name_);
  session->reset();
  ASSERT_TRUE(service_->Kill(run).ok());
  WaitFor(run);
}

TEST_F(NetworkRunTest, ItLivesAsLongAsSomethingIsInIt) {
  ASSERT_EQ(mkfifo((directory_ + "/pipe").c_str(), 0600), 0);
  const RunId run = MustStart(Inside("read line < $DIR/pipe; readlink /proc/self/ns/net"));
  network_.Reset();
  EXPECT_EQ(OpenNetworkNamespace(path_).code(), Code::kNotFound);
  std::ofstream(directory_ + "/pipe") << "go\n";
  EXPECT_EQ(WaitFor(run).exit_code, 0) << Read("logs/web.stderr.0");
  EXPECT_EQ(Read("logs/web.stdout.0"), name_);
}

TEST_F(NetworkRunTest, WhatIsNoneFailsByItsName) {
  ProcessSpec spec = Shell("true");
  spec.network.Reset(open("/dev/null", O_RDONLY | O_CLOEXEC));
  const Result<ProcessInfo> info = Start(std::move(spec));
  ASSERT_FALSE(info.ok());
  EXPECT_EQ(info.error().message(), "cannot enter the network namespace: Invalid argument");
}

}  // namespace
}  // namespace drover
