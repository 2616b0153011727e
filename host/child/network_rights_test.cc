// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/child/network_rights.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <fstream>
#include <functional>
#include <iterator>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"
#include "host/child/file_rules.h"
#include "host/child/give_up_rights.h"

namespace drover {
namespace {

using testing::HasSubstr;
using testing::Not;

// Runs functions in a copy of this process that has given up its rights.
class NetworkRightsTest : public testing::Test {
 protected:
  NetworkRightsTest() {
    if (FileRulesVersion() == 0) rights_.without_rules = true;
    writable_.Reset(open(directory_.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (geteuid() == 0) {
      EXPECT_EQ(chown(directory_.path().c_str(), DROVER_FETCH_USER, DROVER_FETCH_USER), 0);
    }
    rights_.writable = writable_.get();
    rights_.most_file = 1 << 20;
  }

  // Returns what ACT has written to the descriptor that it gets.
  std::string Run(const std::function<void(int)>& act) {
    int ends[2];
    EXPECT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const pid_t pid = fork();
    if (pid == 0) {
      const Status gave_up = GiveUpAllButNetwork(rights_);
      if (!gave_up.ok()) Say(ends[1], "rights: " + gave_up.error().message());
      act(ends[1]);
      _exit(0);
    }
    close(ends[1]);
    std::string said;
    char buffer[4096];
    for (ssize_t n; (n = read(ends[0], buffer, sizeof buffer)) > 0;) {
      said.append(buffer, static_cast<std::size_t>(n));
    }
    close(ends[0]);
    int status = 0;
    waitpid(pid, &status, 0);
    return said + (WIFSIGNALED(status) ? "killed by " + std::to_string(WTERMSIG(status)) : "");
  }

  static void Say(int to, const std::string& text) {
    const std::string line = text + "\n";
    if (write(to, line.data(), line.size()) < 0) _exit(1);
  }
  // Writes whether the call with this RESULT was refused.
  static void Report(int to, const char* what, long result) {
    const bool refused = result < 0 && (errno == EPERM || errno == EACCES ||
                                        errno == EAFNOSUPPORT || errno == EXDEV);
    Say(to, std::string(what) + (refused ? " refused" : " ALLOWED"));
  }

  const DirectoryForTest directory_;
  UniqueFd writable_;
  NetworkRights rights_;
};

TEST_F(NetworkRightsTest, TheMachineIsOutOfReach) {
  const pid_t parent = getpid();
  const std::string said = Run([parent](int to) {
    Report(to, "open", open("/etc/passwd", O_RDONLY));
    Report(to, "list", open("/tmp", O_RDONLY | O_DIRECTORY));
    Report(to, "write", open("/tmp/drover-written", O_WRONLY | O_CREAT, 0600));
    Report(to, "truncate", truncate("/no/such/file", 0));
    Report(to, "mknod", mknod("device", S_IFCHR | 0600, 1));
    Report(to, "kill", kill(parent, 0));
    Report(to, "ptrace", ptrace(PTRACE_ATTACH, parent, nullptr, nullptr));
    Report(to, "unshare", unshare(CLONE_NEWUSER));
    Report(to, "unix", socket(AF_UNIX, SOCK_STREAM, 0));
    Report(to, "netlink", socket(AF_NETLINK, SOCK_RAW, 0));
    Report(to, "fork", syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0));
    char* const none[] = {nullptr};
    Report(to, "execute", execve("/bin/true", none, none));
    Report(to, "shared memory",
           syscall(SYS_mmap, nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
                   0));
    Report(to, "growing memory",
           syscall(SYS_mmap, nullptr, 4096, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0));
    Report(to, "file in memory", syscall(SYS_memfd_create, "file", 0));
    Report(to, "segment", syscall(SYS_shmget, IPC_PRIVATE, 4096, 0600));
    Report(to, "queue", syscall(SYS_msgget, IPC_PRIVATE, 0600));
    Report(to, "semaphores", syscall(SYS_semget, IPC_PRIVATE, 1, 0600));
    Report(to, "named queue", syscall(SYS_mq_open, "drover", O_RDWR | O_CREAT, 0600, nullptr));
    const int server = socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in any{};
    any.sin_family = AF_INET;
    Report(to, "bind", bind(server, reinterpret_cast<const sockaddr*>(&any), sizeof any));
  });
  EXPECT_THAT(said, Not(HasSubstr("rights: ")));
  EXPECT_THAT(said, HasSubstr("bind refused"));
  if (rights_.without_rules) GTEST_SKIP() << "this kernel has no Landlock";
  EXPECT_THAT(said, Not(HasSubstr("ALLOWED")));
}

TEST_F(NetworkRightsTest, TheNetworkAndTheDirectoryAreWithinReach) {
  const std::string said = Run([this](int to) {
    Say(to, socket(AF_INET, SOCK_STREAM, 0) >= 0 ? "socket" : "NO SOCKET");
    const int made = openat(writable_.get(), "made", O_WRONLY | O_CREAT | O_EXCL, 0600);
    Say(to, made >= 0 && write(made, "text", 4) == 4 ? "made" : "NOT MADE");
    Say(to, mkdirat(writable_.get(), "below", 0700) == 0 ? "below" : "NOT BELOW");
    Say(to, renameat(writable_.get(), "made", writable_.get(), "below/moved") == 0 ? "moved"
                                                                                   : "NOT MOVED");
  });
  if (FileRulesVersion() == 1) GTEST_SKIP() << "this kernel lets nobody move between directories";
  EXPECT_EQ(said, "socket\nmade\nbelow\nmoved\n");
  std::ifstream moved(directory_.path() + "/below/moved");
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(moved), {}), "text");
}

TEST_F(NetworkRightsTest, OnlyWhatIsReadableIsExecuted) {
  rights_.starts_programs = true;
  rights_.readable = {"/usr", "/lib", "/lib64", "/bin", "/etc/ld.so.cache", "/no/such/file"};
  const std::string said = Run([](int to) {
    dup2(to, 1);
    char echo[] = "echo", text[] = "started";
    char* const arguments[] = {echo, text, nullptr};
    char* const none[] = {nullptr};
    execve("/bin/echo", arguments, none);
    Say(to, "NOT STARTED");
  });
  EXPECT_EQ(said, "started\n");
}

TEST_F(NetworkRightsTest, AFileHasALimit) {
  const std::string said = Run([this](int to) {
    signal(SIGXFSZ, SIG_IGN);
    const int file = openat(writable_.get(), "big", O_WRONLY | O_CREAT, 0600);
    Say(to, ftruncate(file, 2 << 20) != 0 && errno == EFBIG ? "limited" : "NO LIMIT");
  });
  EXPECT_EQ(said, "limited\n");
}

}  // namespace
}  // namespace drover
