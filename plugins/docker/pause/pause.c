/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The program of pause containers. It enters the network namespace that lies at /netns, gives up
 * all rights, and waits for its end. An engine that cannot join a namespace by its path can then
 * join that of this program. It has no libc, so that its image is this one file.
 */

#define CLONE_NEWNET 0x40000000L
#define O_CLOEXEC_FLAG 02000000L
#define AT_FDCWD_FD -100L
#define CAPABILITY_VERSION_3 0x20080522u
#define SIGNALS ((1ul << (2 - 1)) | (1ul << (15 - 1))) /* SIGINT and SIGTERM */

#if defined(__x86_64__)
enum { kOpenat = 257, kSetns = 308, kCapset = 126, kSigprocmask = 14, kSigwait = 128, kExit = 231 };
static long call(long number, long a, long b, long c, long d) {
  register long r10 __asm__("r10") = d;
  long result;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(number), "D"(a), "S"(b), "d"(c), "r"(r10)
                   : "rcx", "r11", "memory");
  return result;
}
#elif defined(__aarch64__)
enum { kOpenat = 56, kSetns = 268, kCapset = 91, kSigprocmask = 135, kSigwait = 137, kExit = 94 };
static long call(long number, long a, long b, long c, long d) {
  register long x8 __asm__("x8") = number;
  register long x0 __asm__("x0") = a;
  register long x1 __asm__("x1") = b;
  register long x2 __asm__("x2") = c;
  register long x3 __asm__("x3") = d;
  __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
  return x0;
}
#else
#error "the pause program does not know the system calls of this processor"
#endif

struct capability_header {
  unsigned version;
  int pid;
};
struct capability_data {
  unsigned effective, permitted, inheritable;
};

static long run(void) {
  static const char path[] = "/netns";
  const unsigned long signals = SIGNALS;
  struct capability_header header;
  volatile struct capability_data data[2];
  long fd;
  int i;
  call(kSigprocmask, 0, (long)&signals, 0, sizeof signals);
  fd = call(kOpenat, AT_FDCWD_FD, (long)path, O_CLOEXEC_FLAG, 0);
  if (fd < 0) return 10;
  if (call(kSetns, fd, CLONE_NEWNET, 0, 0) < 0) return 11;
  header.version = CAPABILITY_VERSION_3;
  header.pid = 0;
  for (i = 0; i < 2; ++i) data[i].effective = data[i].permitted = data[i].inheritable = 0;
  if (call(kCapset, (long)&header, (long)data, 0, 0) < 0) return 12;
  while (call(kSigwait, (long)&signals, 0, 0, sizeof signals) < 0) {
  }
  return 0;
}

void pause_main(void) __attribute__((noreturn, used));
void pause_main(void) {
  const long code = run();
  for (;;) call(kExit, code, 0, 0, 0);
}

/* The kernel starts here. The stack is aligned as functions of C expect it. */
#if defined(__x86_64__)
__asm__(".global _start\n_start:\n  andq $-16, %rsp\n  call pause_main\n");
#else
__asm__(".global _start\n_start:\n  bl pause_main\n");
#endif
