// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/node/run_sweeper.h"

#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "host/base/loop.h"
#include "host/node/leftovers.h"

namespace drover {
namespace {

// The time limit for the steps after the tasks have stopped: the kill of processes, and the removal
// of records and directories.
constexpr Duration kClearing = 60s;

Co<void> Sweep(Leftovers* leftovers, Context context, Duration patience) {
  std::vector<LedgerLeftovers> dead = co_await leftovers->EndDeadNodes(context, patience);
  co_await leftovers->RemoveDeadNodes(std::move(dead));
}

// Waits until the whole process with the pidfd PROCESS has ended. The kernel closes the file
// descriptors of a dead process one by one. So the lock of its ledger may be held for a while
// after its socket has closed.
void AwaitEnd(int process) {
  pollfd end{process, POLLIN, 0};
  while (poll(&end, 1, -1) < 0 && errno == EINTR) {
  }
}

// Does all the work of the child. RUN is the child's end of a socket pair with the foreground run.
// The foreground run sends a byte when it ends by itself. If the stream ends without a byte, the
// foreground run was killed. PROCESS is the pidfd of the foreground run.
void WaitAndSweep(int run, int process, const std::string& run_dir, Duration patience) {
  setsid();
  prctl(PR_SET_NAME, "drover-sweeper");
  // The child keeps neither the run's output nor its working directory open.
  const int null_device = open("/dev/null", O_RDWR | O_CLOEXEC);
  for (int fd = 0; fd < 3; ++fd) dup2(null_device, fd);
  if (chdir("/") != 0) return;
  char word;
  ssize_t n;
  do n = read(run, &word, 1);
  while (n < 0 && errno == EINTR);
  if (n != 0) return;
  AwaitEnd(process);
  RealLoop loop;
  WorkerPool pool(1);
  ProcessServiceOptions options;
  options.run_dir = run_dir;
  const auto processes = NewProcessService(&loop, std::move(options));
  if (!processes.ok()) return;
  Leftovers leftovers({&loop, processes->get(), run_dir, &pool, nullptr});
  loop.RunToEnd(Sweep(&leftovers, Context(&loop), patience), patience + kClearing);
}

}  // namespace

Result<RunSweeper> RunSweeper::Start(const std::string& run_dir, Duration patience) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    return ErrnoError(errno, "socketpair");
  }
  UniqueFd child_end(ends[0]), run_end(ends[1]);
  const UniqueFd own(static_cast<int>(syscall(SYS_pidfd_open, getpid(), 0)));
  if (!own) return ErrnoError(errno, "pidfd_open");
  const pid_t child = fork();
  if (child < 0) return ErrnoError(errno, "fork");
  if (child == 0) {
    run_end.Reset();
    WaitAndSweep(child_end.get(), own.get(), run_dir, patience);
    _exit(0);  // flushes and destroys nothing, since the foreground run does that
  }
  return RunSweeper(child, std::move(run_end));
}

RunSweeper::~RunSweeper() {
  if (!run_) return;
  // Sends a byte first, since the end of the stream without a byte means that the run was killed.
  (void)send(run_.get(), "", 1, MSG_NOSIGNAL);
  run_.Reset();
  while (waitpid(child_, nullptr, 0) < 0 && errno == EINTR) {
  }
}

}  // namespace drover
