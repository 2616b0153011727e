// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/container/crash_report.h"

#include <execinfo.h>
#include <pthread.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>

// The signal handlers run in a process that may be damaged, so they allocate no memory and take no
// lock.
namespace drover {
namespace {

constexpr std::size_t kStack = 64u << 10;
constexpr std::array kFatal = {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT, SIGSYS, SIGTRAP};

struct Slot {
  std::atomic<int> thread{0};                  // the thread id; 0: the slot is free
  std::atomic<const char*> function{nullptr};  // null: the thread is in no function of the driver
  std::atomic<std::uint64_t> entered{0};       // the order in which functions were entered
};
std::array<Slot, 128> slots;
thread_local Slot* own_slot = nullptr;
std::atomic<std::uint64_t> entries{0};
std::atomic<int> report_fd{-1};
std::atomic<bool> reported{false};

void Write(const char* text) { (void)!write(report_fd, text, std::strlen(text)); }

void WriteNumber(int number) {
  char digits[12];
  char* at = digits + sizeof digits;
  *--at = '\0';
  do *--at = static_cast<char>('0' + number % 10);
  while ((number /= 10) > 0);
  Write(at);
}

void Die(int signal_number) {
  signal(signal_number, SIG_DFL);
  raise(signal_number);  // the signal stays pending until the handler returns
}

void Report(int signal_number) {
  if (reported.exchange(true)) {
    // Another thread is writing the report and will end the process.
    while (true) pause();
  }
  Write("signal ");
  WriteNumber(signal_number);
  const char* function = own_slot != nullptr ? own_slot->function.load() : nullptr;
  if (function != nullptr) {
    Write("\nfunction ");
    Write(function);
  }
  Write("\nbacktrace\n");
  // The unwinder may wait for a lock that this thread itself holds. Then SIGALRM ends the process.
  sigset_t alarm_only;
  sigemptyset(&alarm_only);
  sigaddset(&alarm_only, SIGALRM);
  signal(SIGALRM, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, &alarm_only, nullptr);
  alarm(1);
  std::array<void*, 32> frames;
  const int count = backtrace(frames.data(), static_cast<int>(frames.size()));
  // The report leaves out this function and the kernel's frame above it.
  constexpr int kOwn = 2;
  if (count > kOwn) backtrace_symbols_fd(frames.data() + kOwn, count - kOwn, report_fd);
  alarm(0);
  Die(signal_number);
}

void AskTheOldest(int) {
  const Slot* oldest = nullptr;
  for (const Slot& slot : slots) {
    if (slot.thread == 0 || slot.function.load() == nullptr) continue;
    if (oldest == nullptr || slot.entered < oldest->entered) oldest = &slot;
  }
  if (oldest != nullptr) {
    syscall(SYS_tgkill, getpid(), oldest->thread.load(), SIGABRT);
    sleep(2);  // the signaled thread ends this process
  } else {
    Die(SIGQUIT);
  }
}

}  // namespace

void InstallCrashReport(int fd) {
  report_fd = fd;
  // The first call of backtrace loads a library. A signal handler must not do that, so the first
  // call is made here.
  std::array<void*, 2> frames;
  backtrace(frames.data(), static_cast<int>(frames.size()));
  // All threads block all signals except faults. Only the main thread, which calls no function of
  // the driver, unblocks SIGQUIT while it waits.
  sigset_t all;
  sigfillset(&all);
  struct sigaction action{};
  sigfillset(&action.sa_mask);
  action.sa_flags = SA_ONSTACK;
  action.sa_handler = Report;
  for (const int number : kFatal) {
    sigaction(number, &action, nullptr);
    sigdelset(&all, number);
  }
  pthread_sigmask(SIG_SETMASK, &all, nullptr);
  action.sa_handler = AskTheOldest;
  sigaction(SIGQUIT, &action, nullptr);
}

ReportedThread::ReportedThread() : stack_(new char[kStack]) {
  stack_t stack{};
  stack.ss_sp = stack_;
  stack.ss_size = kStack;
  sigaltstack(&stack, nullptr);
  for (Slot& slot : slots) {
    int none = 0;
    if (!slot.thread.compare_exchange_strong(none, static_cast<int>(syscall(SYS_gettid)))) continue;
    own_slot = &slot;
    break;
  }
}

ReportedThread::~ReportedThread() {
  if (own_slot != nullptr) own_slot->thread = 0;
  own_slot = nullptr;
  stack_t none{};
  none.ss_flags = SS_DISABLE;
  sigaltstack(&none, nullptr);
  delete[] stack_;
}

ReportedFunction::ReportedFunction(const char* name) {
  if (own_slot == nullptr) return;
  own_slot->entered = entries.fetch_add(1) + 1;
  own_slot->function = name;
}

ReportedFunction::~ReportedFunction() {
  if (own_slot != nullptr) own_slot->function = nullptr;
}

}  // namespace drover
