/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include "shim/sys.h"

enum { kBatch = 64, kRounds = 20, kMaxProcesses = 32768, kMaxDepth = 8 };
static const struct timespec kPause = {.tv_nsec = 1000 * 1000};

static int cgroup_directory = -1;
static bool is_freezer;

void tree_init(int cgroup, bool freezer) {
  cgroup_directory = cgroup;
  is_freezer = freezer;
}

static void send_signal(int pidfd, int signal_number) {
  SYS(pidfd_send_signal, pidfd, signal_number, NULL, 0);
}

static int open_pidfd(pid_t pid) { return (int)SYS(pidfd_open, pid, 0); }

/* Reads the next number in TEXT and moves TEXT past that number. Returns -1 at the end of TEXT. */
static pid_t next_number(const char** text) {
  while (**text && (**text < '0' || **text > '9')) (*text)++;
  if (!**text) return -1;
  pid_t value = 0;
  for (; **text >= '0' && **text <= '9'; (*text)++) value = value * 10 + (**text - '0');
  return value;
}

/* Lists of pids as text. The shim touches their memory pages only when it signals the members of a
   cgroup one by one. */
static char members[128 << 10], members_again[128 << 10];

/* Reads the file NAME into OUT, adds a NUL, and returns the length. Returns -1 if the file cannot
   be opened. */
static long read_file(int directory, const char* name, char* out, size_t size) {
  const int fd = (int)sys_open(directory, name, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return -1;
  size_t length = 0;
  long n;
  while (length < size - 1 && (n = SYS(read, fd, out + length, size - 1 - length)) > 0)
    length += (size_t)n;
  out[length] = 0;
  SYS(close, fd);
  return (long)length;
}

/* Lists the pids of the processes in the cgroup DIRECTORY and in the cgroups below it, which the
   task has made. Writes the list to OUT as text, and returns the length of that text. */
static size_t read_members_of(int directory, char* out, size_t size, int depth) {
  const long own = read_file(directory, "cgroup.procs", out, size);
  size_t length = own > 0 ? (size_t)own : 0;
  if (depth == 0) return length;
  const int list = (int)sys_open(directory, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (list < 0) return length;
  _Alignas(8) char buffer[2048];
  long n;
  while ((n = SYS(getdents64, list, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < n;) {
      const struct sys_entry* entry = (const struct sys_entry*)(buffer + at);
      at += entry->length;
      if (entry->type != DT_DIR || *entry->name == '.') continue;
      const int below =
          (int)sys_open(directory, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC, 0);
      if (below < 0) continue;
      length += read_members_of(below, out + length, size - length, depth - 1);
      SYS(close, below);
    }
  }
  SYS(close, list);
  return length;
}

static void read_members(char* out, size_t size) {
  out[0] = 0;
  read_members_of(cgroup_directory, out, size, kMaxDepth);
}

static void set_freezer(const char* state) {
  sys_write_file(cgroup_directory, "freezer.state", state, strlen(state));
}

/* Freezes the cgroup, so that its processes cannot fork. Waits only a short time for a process
   that hangs in the kernel. */
static void freeze(void) {
  set_freezer("FROZEN");
  for (int look = 0; look < 100; look++) {
    char state[16];
    if (read_file(cgroup_directory, "freezer.state", state, sizeof state) >= 6 &&
        memcmp(state, "FROZEN", 6) == 0)
      return;
    SYS(nanosleep, &kPause, NULL);
  }
}

static bool is_member(const char* text, pid_t pid) {
  for (pid_t other; (other = next_number(&text)) > 0;)
    if (other == pid) return true;
  return false;
}

/* Sends the signal to all members of the cgroup except EXCEPT. Returns the number of members that
   got the signal. */
static int signal_cgroup(int signal_number, pid_t except) {
  read_members(members, sizeof members);
  const char* at = members;
  int found = 0;
  for (bool more = true; more;) {
    pid_t pids[kBatch];
    int pidfds[kBatch];
    int count = 0;
    while (count < kBatch) {
      const pid_t pid = next_number(&at);
      more = pid > 0;
      if (!more) break;
      if (pid == except) continue;
      pids[count] = pid;
      pidfds[count] = open_pidfd(pid);
      if (pidfds[count] >= 0) count++;
    }
    /* If a pid is still in the cgroup after its pidfd was opened, the pidfd refers to a member. */
    if (count > 0) read_members(members_again, sizeof members_again);
    for (int i = 0; i < count; i++) {
      if (is_member(members_again, pids[i])) {
        send_signal(pidfds[i], signal_number);
        found++;
      }
      SYS(close, pidfds[i]);
    }
  }
  return found;
}

struct process {
  pid_t pid, parent;
  bool ours;
};
static struct process processes[kMaxProcesses];

/* Reads the parent of PID from /proc. Returns -1 if PID does not exist or is a zombie. */
static pid_t parent_of(pid_t pid) {
  char path[32] = "/proc/";
  const size_t length = sys_decimal((uint64_t)pid, path + 6);
  memcpy(path + 6 + length, "/stat", 6);
  const int fd = (int)sys_open(AT_FDCWD, path, O_RDONLY | O_CLOEXEC, 0);
  if (fd < 0) return -1;
  char text[512];
  const long n = SYS(read, fd, text, sizeof text - 1);
  SYS(close, fd);
  if (n <= 0) return -1;
  text[n] = 0;
  /* Skips the name of the process, which may contain any character. */
  const char* end = strrchr(text, ')');
  if (!end || end[1] != ' ' || end[2] == 0 || end[2] == 'Z' || end[2] == 'X') return -1;
  end += 3;
  return next_number(&end);
}

static int list_descendants(void) {
  const int directory = (int)sys_open(AT_FDCWD, "/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0);
  if (directory < 0) return 0;
  _Alignas(8) char buffer[4096];
  int count = 0;
  long n;
  while ((n = SYS(getdents64, directory, buffer, sizeof buffer)) > 0) {
    for (long at = 0; at < n;) {
      const struct sys_entry* entry = (const struct sys_entry*)(buffer + at);
      const char* name = entry->name;
      at += entry->length;
      if (*name < '0' || *name > '9' || count == kMaxProcesses) continue;
      const pid_t pid = next_number(&name);
      const pid_t parent = parent_of(pid);
      if (parent >= 0) processes[count++] = (struct process){pid, parent, false};
    }
  }
  SYS(close, directory);
  const pid_t shim = (pid_t)SYS(getpid);
  for (bool changed = true; changed;) {
    changed = false;
    for (int i = 0; i < count; i++) {
      if (processes[i].ours) continue;
      bool ours = processes[i].parent == shim;
      for (int j = 0; j < count && !ours; j++)
        ours = processes[j].ours && processes[j].pid == processes[i].parent;
      processes[i].ours = ours;
      changed |= ours;
    }
  }
  return count;
}

static int signal_descendants(int signal_number, pid_t except) {
  const int count = list_descendants();
  const pid_t shim = (pid_t)SYS(getpid);
  int found = 0;
  for (int i = 0; i < count; i++) {
    if (!processes[i].ours || processes[i].pid == except) continue;
    const int pidfd = open_pidfd(processes[i].pid);
    if (pidfd < 0) continue;
    /* The process is still a descendant if it has the same parent as before, or if the shim has
       adopted it because its old parent died. */
    const pid_t parent = parent_of(processes[i].pid);
    if (parent == processes[i].parent || parent == shim) {
      send_signal(pidfd, signal_number);
      found++;
    }
    SYS(close, pidfd);
  }
  return found;
}

void tree_signal(int signal_number, pid_t except) {
  if (cgroup_directory >= 0) {
    signal_cgroup(signal_number, except);
  } else {
    signal_descendants(signal_number, except);
  }
}

/* Searches once for processes of the run and kills them. Returns the number of killed
   processes. */
static int kill_once(void) {
  if (cgroup_directory < 0) return signal_descendants(SIGKILL, 0);
  if (!is_freezer) return signal_cgroup(SIGKILL, 0);
  freeze();
  /* The signals take effect when the cgroup thaws. A new child may not have entered the cgroup yet,
     so the shim's descendants are killed, too. */
  const int found = signal_cgroup(SIGKILL, 0) + signal_descendants(SIGKILL, 0);
  set_freezer("THAWED");
  return found;
}

void tree_kill(void) {
  const bool has_kill = cgroup_directory >= 0 && !is_freezer;
  if (has_kill && sys_write_file(cgroup_directory, "cgroup.kill", "1", 1) == 0) return;
  for (int round = 0; round < kRounds; round++) {
    if (kill_once() == 0) return;
    SYS(nanosleep, &kPause, NULL);
  }
}

void tree_remove_cgroup(int directory, const uint8_t* run_id) {
  char name[2 * 16 + 1];
  sys_hex(run_id, 16, name);
  const int parent = (int)sys_open(directory, "..", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  if (parent < 0) return;
  for (int round = 0; round < 1000; round++) {
    /* The result is EBUSY while a killed process is still in the cgroup. */
    if (SYS(unlinkat, parent, name, AT_REMOVEDIR) != -EBUSY) break;
    SYS(nanosleep, &kPause, NULL);
  }
  SYS(close, parent);
}

void tree_remove(const uint8_t* run_id) {
  tree_kill();
  if (cgroup_directory >= 0) tree_remove_cgroup(cgroup_directory, run_id);
}
