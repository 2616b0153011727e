/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * A program for a process without rights. Its input contains "DO:WORD ARGUMENT;" somewhere, and
 * it does what WORD says. It has no C library, whose start needs more system calls than a confined
 * program has.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "shim/sys.h"

static char input[1 << 16];
static char answer[1 << 12]; /* what system calls write */
static char* word = "";
static char* argument = "";

static void say(int fd, const char* text) { SYS(write, fd, text, strlen(text)); }

static void find_order(void) {
  const long size = SYS(read, 0, input, sizeof input - 1);
  for (long i = 0; i + 3 < size; i++) {
    if (memcmp(input + i, "DO:", 3) != 0) continue;
    word = input + i + 3;
    *strchrnul(word, ';') = '\0';
    argument = strchrnul(word, ' ');
    if (*argument) *argument++ = '\0';
    return;
  }
}

static bool is(const char* name) {
  return strlen(word) == strlen(name) && memcmp(word, name, strlen(name)) == 0;
}

static long number(const char* text) {
  long value = 0;
  while (*text >= '0' && *text <= '9') value = 10 * value + (*text++ - '0');
  return value;
}

/* Writes "NAME refused" or "NAME ALLOWED" as a line. Any other error than that of a refusal shows
   that the kernel has looked at the arguments. */
static void report(const char* name, long result) {
  say(1, name);
  say(1, result == -EPERM || result == -EACCES ? " refused\n" : " ALLOWED\n");
  /* A process that should not be there. */
  if (result == 0 && (memcmp(name, "fork", 4) == 0 || memcmp(name, "clone", 5) == 0)) sys_exit(0);
}

static void attack_files(void) {
  report("openat", SYS(openat, AT_FDCWD, "/etc/passwd", O_RDONLY));
  report("open the root", SYS(openat, AT_FDCWD, "/", O_RDONLY | O_DIRECTORY));
  report("openat2", SYS(openat2, AT_FDCWD, "/etc/passwd", "\0\0\0\0\0\0\0", 24));
  report("open_by_handle_at", SYS(open_by_handle_at, 0, "", 0));
  report("newfstatat", SYS(newfstatat, AT_FDCWD, "/etc/passwd", answer, 0));
  report("statx", SYS(statx, AT_FDCWD, "/etc/passwd", 0, 0, answer));
  report("faccessat", SYS(faccessat, AT_FDCWD, "/etc/passwd", 4));
  report("mkdirat", SYS(mkdirat, AT_FDCWD, "/tmp/confined", 0700));
  report("unlinkat", SYS(unlinkat, AT_FDCWD, "/tmp/confined", AT_REMOVEDIR));
  report("truncate", SYS(truncate, "/tmp/confined", 0));
  report("chdir", SYS(chdir, "/tmp"));
  report("memfd_create", SYS(memfd_create, "file", 0));
  report("mount", SYS(mount, "none", "/tmp", "tmpfs", 0, 0));
  report("inotify_init1", SYS(inotify_init1, 0));
}

static void attack_processes(long pid) {
  siginfo_t info = {.si_signo = SIGWINCH, .si_code = SI_QUEUE};
  report("kill", SYS(kill, pid, 0));
  report("kill all", SYS(kill, -1, SIGWINCH));
  report("tgkill", SYS(tgkill, pid, pid, 0));
  report("tkill", SYS(tkill, pid, 0));
  report("rt_sigqueueinfo", SYS(rt_sigqueueinfo, pid, SIGWINCH, &info));
  report("pidfd_open", SYS(pidfd_open, pid, 0));
  report("ptrace", SYS(ptrace, 16 /* PTRACE_ATTACH */, pid, 0, 0));
  report("process_vm_readv", SYS(process_vm_readv, pid, 0, 0, 0, 0, 0));
  report("prlimit64", SYS(prlimit64, pid, RLIMIT_CORE, 0, answer));
  report("setpriority", SYS(setpriority, PRIO_PROCESS, pid, 19));
  report("sched_setaffinity", SYS(sched_setaffinity, pid, 8, "\1\0\0\0\0\0\0"));
  report("F_SETOWN", SYS(fcntl, 0, F_SETOWN, pid));
  report("fork", SYS(clone, SIGCHLD, 0, 0, 0, 0));
  struct clone_args args = {.exit_signal = SIGCHLD};
  report("clone3", SYS(clone3, &args, sizeof args));
  char* none[] = {NULL};
  report("execve", SYS(execve, "/bin/true", none, none));
  /* The filter lets the descriptor of the program pass, but no file can have it any more. */
  const long executed = SYS(execveat, 64, "", none, none, AT_EMPTY_PATH);
  report("execveat of the program", executed == -EBADF ? -EPERM : executed);
  report("execveat of the input", SYS(execveat, 0, "", none, none, AT_EMPTY_PATH));
  report("execveat of a path", SYS(execveat, 64, "/bin/true", none, none, 0));
}

static void attack_machine(void) {
  report("socket", SYS(socket, AF_INET, SOCK_STREAM, 0));
  report("socket of a path", SYS(socket, AF_UNIX, SOCK_STREAM, 0));
  report("socketpair", SYS(socketpair, AF_UNIX, SOCK_STREAM, 0, answer));
  report("setuid", SYS(setuid, 0));
  report("setgroups", SYS(setgroups, 0, 0));
  report("capset", SYS(capset, 0, 0));
  report("unshare", SYS(unshare, CLONE_NEWUSER));
  report("shmget", SYS(shmget, 0, 4096, 01600));
  report("msgget", SYS(msgget, 0, 01600));
  report("keyctl", SYS(keyctl, 0, -3, 1));
  report("io_uring_setup", SYS(io_uring_setup, 1, answer));
  report("bpf", SYS(bpf, 0, 0, 0));
  report("perf_event_open", SYS(perf_event_open, 0, 0, -1, -1, 0));
  report("userfaultfd", SYS(userfaultfd, 1));
  report("prctl", SYS(prctl, 4 /* PR_SET_DUMPABLE */, 1, 0, 0, 0));
  report("ioctl", SYS(ioctl, 1, 0x5401, answer));
  report("shared memory",
         SYS(mmap, 0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  report("memory that grows", SYS(mmap, 0, 4096, PROT_READ | PROT_WRITE,
                                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_GROWSDOWN, -1, 0));
  const struct rlimit higher = {1 << 30, 1 << 30};
  report("higher limit of memory", SYS(prlimit64, 0, RLIMIT_DATA, &higher, 0));
  report("higher limit of files", SYS(prlimit64, 0, RLIMIT_NOFILE, &higher, 0));
}

/* Writes the numbers of its descriptors. */
static void list_descriptors(void) {
  for (unsigned fd = 0; fd < 4096; fd++) {
    if (SYS(fcntl, fd, F_GETFD) < 0) continue;
    char digits[24];
    digits[sys_decimal(fd, digits)] = '\0';
    say(1, digits);
    say(1, " ");
  }
}

static void read_file(void) {
  const long fd = SYS(openat, AT_FDCWD, argument, O_RDONLY);
  const long size = fd < 0 ? fd : SYS(read, fd, input, sizeof input);
  if (size < 0) {
    say(1, size == -EACCES ? "permission denied" : "error");
  } else {
    SYS(write, 1, input, size);
  }
}

/* JSON within a text of the input has a backslash before each quote. */
static void say_without_backslashes(void) {
  char* to = argument;
  for (const char* from = argument; *from; from++)
    if (*from != '\\') *to++ = *from;
  *to = '\0';
  say(1, argument);
}

/* Takes memory until there is no more, and writes how many MiB there were. */
static void take_memory(void) {
  const size_t size = 1 << 20;
  uint64_t count = 0;
  for (;; count++) {
    const long at = SYS(mmap, 0, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at < 0 && at > -4096) break;
    memset((void*)at, 1, size);
  }
  char digits[24];
  digits[sys_decimal(count, digits)] = '\0';
  say(1, digits);
}

int main(void) {
  find_order();
  if (is("attack")) {
    attack_files();
    attack_processes(number(argument));
    attack_machine();
  } else if (is("descriptors")) {
    list_descriptors();
  } else if (is("read")) {
    read_file();
  } else if (is("create")) {
    report("create", SYS(openat, AT_FDCWD, argument, O_WRONLY | O_CREAT, 0600));
    report("append", SYS(openat, AT_FDCWD, argument, O_RDWR | O_APPEND));
    report("truncate", SYS(openat, AT_FDCWD, argument, O_RDONLY | O_TRUNC));
  } else if (is("memory")) {
    take_memory();
  } else if (is("flood")) {
    for (;;) SYS(write, 1, input, sizeof input);
  } else if (is("loop")) {
    for (;;) {
    }
  } else if (is("crash")) {
    say(2, "about to crash");
    __builtin_trap();
  } else if (is("die")) {
    const long pid = SYS(getpid);
    SYS(tgkill, pid, pid, SIGKILL);
  } else if (is("fail")) {
    say(2, argument);
    return 2;
  } else if (is("say")) {
    say(1, argument);
  } else if (is("json")) {
    say_without_backslashes();
  }
  return 0;
}
