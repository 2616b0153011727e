// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "tests/faults/syscall_faults.h"

#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstring>
#include <mutex>
#include <thread>

#include "host/base/result.h"

namespace drover {
namespace {

#if defined(__x86_64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#elif defined(__aarch64__)
constexpr std::uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

// These calls need no resource, fail only in wrong programs, or end something.
constexpr int kNotAsked[] = {SYS_close,          SYS_exit,
                             SYS_exit_group,     SYS_kill,
                             SYS_wait4,          SYS_waitid,
                             SYS_futex,          SYS_munmap,
                             SYS_rt_sigaction,   SYS_rt_sigprocmask,
                             SYS_rt_sigreturn,   SYS_clock_gettime,
                             SYS_getpid,         SYS_pidfd_send_signal,
                             SYS_geteuid,        SYS_getegid,
                             SYS_umask,          SYS_rseq,
                             SYS_set_robust_list};

// The calls of the armed thread that count: those that make, open or send something for a start.
constexpr int kOfAgent[] = {SYS_mkdirat,    SYS_openat,  SYS_openat2,       SYS_open_tree,
                            SYS_socketpair, SYS_sendmsg, SYS_mount_setattr, SYS_memfd_create,
                            SYS_fchmod,     SYS_clone,   SYS_clone3,        SYS_write,
#ifdef SYS_mkdir
                            SYS_mkdir
#endif
};

// Shared by the watching thread and the armed one. The watching thread must not allocate: the armed
// thread may wait for it during an allocation.
struct State {
  std::mutex mutex;
  pid_t armed_thread = 0;
  bool armed = false;
  std::size_t process = 0;
  int at = 0;
  int error = 0;
  int agent_count = 0;
  bool executed = false;
  bool answered = false;
  pid_t task = 0;
  SyscallFaults::Fault fault;
  // The processes, each with its threads, in the order of their births. Each is the child of an
  // earlier one.
  struct Process {
    pid_t pid = 0;
    int count = 0;
  };
  std::array<Process, 16> processes{};
  std::size_t process_count = 0;
};
State& state = *new State;

// The process of THREAD; null: one that has not made a call yet.
State::Process* FindProcess(pid_t thread) {
  for (std::size_t i = 0; i < state.process_count; ++i) {
    State::Process& process = state.processes[i];
    if (process.pid == thread || syscall(SYS_tgkill, process.pid, thread, 0) == 0) return &process;
  }
  return nullptr;
}

// The same as Judge, for a call of the armed thread.
int JudgeAgent(long call) {
  const bool counts = state.process == SyscallFaults::kThisThread ||
                      (state.process == SyscallFaults::kAgent && state.process_count == 0 &&
                       std::ranges::find(kOfAgent, call) != std::end(kOfAgent));
  if (!counts || ++state.agent_count != state.at) return 0;
  state.fault = {call, state.armed_thread};
  return state.error;
}

// Returns the error of the call, or 0 to let it happen.
int Judge(pid_t pid, long call) {
  const std::lock_guard<std::mutex> lock(state.mutex);
  if (!state.armed || state.answered || pid == state.task) return 0;
  if (pid == state.armed_thread) return JudgeAgent(call);
  State::Process* process = FindProcess(pid);
  if (process == nullptr) {
    if (state.executed || state.process_count == state.processes.size()) return 0;
    process = &state.processes[state.process_count++];
    *process = {pid, 0};
  }
  state.answered = state.executed && call == SYS_sendto;
  // The order of calls of several threads differs each time, so only the first thread counts.
  const bool counts = pid == process->pid;
  if (counts && ++process->count == state.at && process == state.processes.data() + state.process) {
    state.fault = {call, pid};
    return state.error;
  }
  if (call == SYS_execve) {
    state.executed = true;
    state.task = pid;
  }
  return 0;
}

[[noreturn]] void Watch(int listener) {
  // The kernel's structs may be larger than those of the headers.
  alignas(8) std::array<char, 4096> request_bytes;
  alignas(8) std::array<char, 4096> answer_bytes;
  auto* const request = reinterpret_cast<seccomp_notif*>(request_bytes.data());
  auto* const answer = reinterpret_cast<seccomp_notif_resp*>(answer_bytes.data());
  for (;;) {
    request_bytes.fill(0);
    answer_bytes.fill(0);
    if (ioctl(listener, SECCOMP_IOCTL_NOTIF_RECV, request) != 0) continue;  // it was killed
    answer->id = request->id;
    answer->error = -Judge(static_cast<pid_t>(request->pid), request->data.nr);
    if (answer->error == 0) answer->flags = SECCOMP_USER_NOTIF_FLAG_CONTINUE;
    ioctl(listener, SECCOMP_IOCTL_NOTIF_SEND, answer);
  }
}

std::vector<sock_filter> Filter() {
  std::vector<sock_filter> filter = {
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, arch)),
      BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0),
      BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
      BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(seccomp_data, nr))};
  for (const int call : kNotAsked) {
    filter.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, static_cast<unsigned>(call), 0, 1));
    filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW));
  }
  filter.push_back(BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_USER_NOTIF));
  return filter;
}

}  // namespace

SyscallFaults& SyscallFaults::Install() {
  static SyscallFaults* const instance = [] {
    state.armed_thread = static_cast<pid_t>(syscall(SYS_gettid));
    std::vector<sock_filter> filter = Filter();
    const sock_fprog program{static_cast<unsigned short>(filter.size()), filter.data()};
    // The watching thread must exist before the filter, or it would have the filter too.
    static std::atomic<int> listener = -1;
    std::thread([] {
      listener.wait(-1);
      Watch(listener);
    }).detach();
    const long made =
        syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_NEW_LISTENER, &program);
    DROVER_CHECK(made >= 0);
    listener = static_cast<int>(made);
    listener.notify_one();
    return new SyscallFaults;
  }();
  return *instance;
}

void SyscallFaults::Arm(std::size_t process, int at, int error) {
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.armed = true;
  state.process = process;
  state.at = at;
  state.error = error;
  state.agent_count = 0;
  state.executed = false;
  state.answered = false;
  state.task = 0;
  state.fault = {};
  state.process_count = 0;
}

SyscallFaults::Fault SyscallFaults::Disarm(std::vector<pid_t>* pids) {
  const std::lock_guard<std::mutex> lock(state.mutex);
  state.armed = false;
  pids->clear();
  for (std::size_t i = 0; i < state.process_count; ++i) pids->push_back(state.processes[i].pid);
  return state.fault;
}

}  // namespace drover
