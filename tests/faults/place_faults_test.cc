// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0

// The places that are made before a task starts: its network namespace, and the directories of its
// allocation with the file system of its secrets. Each system call fails with each of four errors.
// Then all is complete, or the error names the failed part and nothing is left.
#include <gmock/gmock.h>
#include <linux/magic.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>

#include <cstring>

#include "host/alloc/disk_alloc_dir.h"
#include "host/base/loop.h"
#include "host/base/open_fds_for_test.h"
#include "host/process/network_namespace.h"
#include "host/process/small_file.h"
#include "tests/faults/syscall_faults.h"

namespace drover {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

using Arm = std::function<void()>;

class PlaceFaultTest : public ::testing::Test {
 protected:
  void SetUp() override {
    if (geteuid() != 0) GTEST_SKIP() << "mounts and network namespaces need root";
    ASSERT_EQ(unshare(CLONE_NEWNS), 0);
    ASSERT_EQ(mount(nullptr, "/", nullptr, MS_REC | MS_PRIVATE, nullptr), 0);
    faults_ = &SyscallFaults::Install();
    std::string pattern = "/tmp/drover-faults-XXXXXX";
    ASSERT_TRUE(mkdtemp(pattern.data()));
    directory_ = pattern;
    fds_ = OpenFds();
  }
  void TearDown() override {
    if (!directory_.empty()) fs::remove_all(directory_);
  }

  // Repeats ATTEMPT until each call has failed once. ATTEMPT calls its argument before the calls
  // that must fail. CHECK gets the result and the text of the error. Returns how often each call,
  // by its number, has ended an attempt.
  std::map<long, int> FailEachCall(
      std::size_t process, const std::function<Status(const Arm& arm)>& attempt,
      const std::function<void(const Status& status, const std::string& error)>& check) {
    constexpr int kErrors[] = {ENOMEM, EMFILE, ENOSPC, EPERM};
    std::map<long, int> ended;
    std::vector<pid_t> pids;
    for (int turn = 0;; ++turn) {
      const int at = turn / 4 + 1, error = kErrors[turn % 4];
      const Status status = attempt([&] { faults_->Arm(process, at, error); });
      const SyscallFaults::Fault fault = faults_->Disarm(&pids);
      SCOPED_TRACE("fault " + std::to_string(at) + ": call " + std::to_string(fault.call) + ", " +
                   std::strerror(error));
      check(status, std::strerror(error));
      if (fault.call < 0) {
        EXPECT_TRUE(status.ok()) << status.error().message();
        return ended;
      }
      if (!status.ok()) ++ended[fault.call];
    }
  }
  static void ExpectEnded(std::map<long, int> ended, std::initializer_list<long> calls) {
    for (const long call : calls) EXPECT_GT(ended[call], 0) << "call " << call << " ended nothing";
  }

  SyscallFaults* faults_ = nullptr;
  std::string directory_;
  long fds_ = 0;
};

TEST_F(PlaceFaultTest, ANetworkNamespaceIsOpenedOrTheErrorNamesIt) {
  const Result<UniqueFd> network = MakeNetworkNamespace();
  ASSERT_TRUE(network.ok()) << network.error().message();
  const std::string path = "/proc/self/fd/" + std::to_string(network->get());
  ExpectEnded(FailEachCall(
                  SyscallFaults::kThisThread,
                  [&](const Arm& arm) -> Status {
                    arm();
                    DROVER_TRY(OpenNetworkNamespace(path));
                    return {};
                  },
                  [&](const Status& status, const std::string& error) {
                    EXPECT_EQ(OpenFds(), fds_ + 1);
                    if (status.ok()) return;
                    EXPECT_THAT(status.error().message(), HasSubstr(path));
                    // Without its kind, a file counts as no namespace.
                    EXPECT_THAT(status.error().message(),
                                ::testing::AnyOf(HasSubstr(error), HasSubstr("of another kind")));
                  }),
              {SYS_openat, SYS_fstatfs, SYS_ioctl});
}

TEST_F(PlaceFaultTest, ANetworkNamespaceIsMadeWithItsLoopbackOrTheErrorTells) {
  UniqueFd made;
  const auto attempt = [&](const Arm& arm) -> Status {
    arm();
    DROVER_ASSIGN(made, MakeNetworkNamespace());
    return {};
  };
  const auto check = [&](const Status& status, const std::string&) {
    if (!status.ok()) EXPECT_THAT(status.error().message(), HasSubstr("network namespace"));
    EXPECT_EQ(OpenFds(), fds_ + (status.ok() ? 1 : 0));
    if (!status.ok()) return;
    std::thread([&] {
      ASSERT_EQ(setns(made.get(), CLONE_NEWNET), 0);
      const UniqueFd any(socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0));
      ifreq request{};
      std::strcpy(request.ifr_name, "lo");
      EXPECT_EQ(ioctl(any.get(), SIOCGIFFLAGS, &request), 0);
      EXPECT_TRUE(request.ifr_flags & IFF_UP);
    }).join();
    made.Reset();
  };
  // The calls of the thread that enters the namespace, and of the thread that starts that one.
  ExpectEnded(FailEachCall(0, attempt, check), {SYS_unshare, SYS_socket, SYS_ioctl, SYS_openat});
  ExpectEnded(FailEachCall(SyscallFaults::kThisThread, attempt, check), {SYS_clone3});
}

class AllocDirFaultTest : public PlaceFaultTest {
 protected:
  void SetUp() override {
    PlaceFaultTest::SetUp();
    DiskAllocDirOptions options;
    options.base = directory_;
    dir_ = std::make_unique<DiskAllocDir>(options, "5a1b8c2e-0000-4000-8000-000000000001");
    mounts_ = MountInfo();
  }

  // Arms the fault just before CALL begins.
  Status Wait(const Arm& arm, const std::function<Co<Status>()>& call) {
    SimLoop loop;
    Status status;
    auto whole = [&]() -> Co<void> {
      arm();
      status = co_await call();
    };
    EXPECT_TRUE(loop.RunToEnd(whole()));
    return status;
  }
  Status Build(const Arm& arm = [] {}) {
    return Wait(arm, [this]() -> Co<Status> {
      DROVER_CO_TRY(co_await dir_->Build());
      TaskDirRequest web{.task = "web"};
      co_return co_await dir_->BuildTask(std::move(web));
    });
  }
  Status Destroy(const Arm& arm = [] {}) {
    return Wait(arm, [this] { return dir_->Destroy(); });
  }

  void ExpectWhole() {
    const TaskDirPaths paths = dir_->TaskPaths("web");
    const std::pair<std::string, mode_t> modes[] = {
        {dir_->log_path(), 0755}, {paths.dir, 0700},         {paths.local, 0755},
        {paths.tmp, 01777},       {paths.private_dir, 0700}, {paths.secrets, 0700}};
    for (const auto& [path, mode] : modes) {
      struct stat info{};
      EXPECT_EQ(stat(path.c_str(), &info), 0) << path;
      EXPECT_EQ(info.st_mode & 07777, mode) << path;
    }
    struct statfs secrets{};
    EXPECT_EQ(statfs(paths.secrets.c_str(), &secrets), 0);
    EXPECT_EQ(secrets.f_type, TMPFS_MAGIC) << "the secrets are on a disk";
    constexpr long kQuiet = ST_NOEXEC | ST_NOSUID | ST_NODEV;
    EXPECT_EQ(secrets.f_flags & kQuiet, kQuiet);
  }
  void ExpectNothing() {
    EXPECT_TRUE(fs::is_empty(directory_));
    EXPECT_EQ(MountInfo(), mounts_);
    EXPECT_EQ(OpenFds(), fds_);
  }
  static std::string MountInfo() {
    return ReadSmallFile(AT_FDCWD, "/proc/self/mountinfo").value_or("");
  }

  std::unique_ptr<DiskAllocDir> dir_;
  std::string mounts_;
};

TEST_F(AllocDirFaultTest, DirectoriesAndSecretsAreWholeOrAreRemoved) {
  ExpectEnded(FailEachCall(
                  SyscallFaults::kThisThread, [&](const Arm& arm) { return Build(arm); },
                  [&](const Status& status, const std::string& error) {
                    if (status.ok()) {
                      ExpectWhole();
                    } else {
                      EXPECT_THAT(status.error().message(), HasSubstr(directory_));
                      EXPECT_THAT(status.error().message(), HasSubstr(error));
                    }
                    EXPECT_TRUE(Destroy().ok());
                    ExpectNothing();
                  }),
              {SYS_mount, SYS_mkdirat, SYS_openat2, SYS_fchmod});
}

TEST_F(AllocDirFaultTest, WhatCannotBeRemovedIsToldAndRemovedTheNextTime) {
  ExpectEnded(FailEachCall(
                  SyscallFaults::kThisThread,
                  [&](const Arm& arm) {
                    EXPECT_TRUE(Build().ok());
                    return Destroy(arm);
                  },
                  [&](const Status& status, const std::string&) {
                    if (!status.ok()) {
                      EXPECT_THAT(status.error().message(), HasSubstr(directory_));
                      EXPECT_TRUE(Destroy().ok());
                    }
                    ExpectNothing();
                  }),
              {SYS_umount2, SYS_openat2, SYS_unlinkat});
}

}  // namespace
}  // namespace drover
