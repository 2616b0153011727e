/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * drover-shim supervises one run of a task. It starts the task's process, writes the task's output
 * to log files, writes the exit status to a record, and exits. If the agent exits, the shim
 * continues. File descriptor 3 is the connection to the agent; 0, 1 and 2 are /dev/null.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "shim/control.h"
#include "shim/log_writer.h"
#include "shim/mount_calls.h"
#include "shim/mounts.h"
#include "shim/namespaces.h"
#include "shim/record.h"
#include "shim/sessions.h"
#include "shim/shim.h"
#include "shim/steps.h"
#include "shim/sys.h"
#include "shim/tree.h"

enum { kConnection = 3 };
/* Maximum time for which descendants may keep the pipes open after the end of the task. */
static const int64_t kDrainNs = 1000 * 1000 * 1000;
/* Maximum wait until killed processes have ended. */
static const int64_t kKilledNs = 1000 * 1000 * 1000;
/* Maximum wait until the writer has written the last output. */
static const int64_t kWriterNs = 1000 * 1000 * 1000;

struct shim shim;
static struct ring rings[2];
static struct log_writer_config log_config;
static int signals = -1;
/* The status pipe of the process whose pid is `starting`; -1 if there is none. */
static int start_status = -1;
/* pid of the process whose status pipe the shim reads: the task's process or the process that holds
   the namespaces. */
static pid_t starting;
/* The descriptors that become 0 to 2 in the task's process; -1 stands for /dev/null. */
static int task_standard[3] = {-1, -1, -1};
static int64_t drain_until; /* the latest time at which the phase DROVER_ATTACH_DRAINING ends */
/* The time at which the shim must kill the processes of a bound run (DROVER_START_BOUND); 0 if no
   kill is due. The shim sets the time when the agent ends and the run gets its kill signal. */
static int64_t kill_at;
/* Connection of the agent that sent the start message; -1 after the end of that connection. */
static int owner = kConnection;
static bool orphaned; /* with DROVER_START_BOUND: true once the agent has disconnected */

static int64_t read_clock(int clock_id) {
  struct timespec now;
  SYS(clock_gettime, clock_id, &now);
  return now.tv_sec * 1000000000 + now.tv_nsec;
}

int64_t boot_time(void) { return read_clock(CLOCK_BOOTTIME); }

int64_t wall_time(void) { return read_clock(CLOCK_REALTIME); }

static bool has_process(void) { return !(shim.plan.start.flags & DROVER_START_NO_PROCESS); }

int shim_signal(int signal_number, bool all) {
  if (signal_number < 1 || signal_number > 64) return EINVAL;
  if (!has_process()) return ESRCH;
  if (!shim.leader && !all) return ESRCH;
  long result = 0;
  /* The shim has not reaped the task's process yet, so no other process has its pid. */
  if (shim.leader) result = SYS(kill, shim.leader, signal_number);
  if (all) tree_signal(signal_number, shim.leader);
  return (int)-result;
}

static void begin_draining(int64_t patience) {
  if (shim.phase == DROVER_ATTACH_DRAINING) return;
  shim.phase = DROVER_ATTACH_DRAINING;
  shim.finished_at = wall_time();
  shim.finished_boot = boot_time();
  drain_until = shim.finished_boot + patience;
}

void shim_kill(void) {
  if (!has_process()) {
    begin_draining(0);
    return;
  }
  if (shim.leader) SYS(kill, shim.leader, SIGKILL);
  sessions_kill_all();
  tree_kill();
}

void shim_owner_lost(void) {
  owner = -1;
  const struct drover_start* start = &shim.plan.start;
  if (!(start->flags & DROVER_START_BOUND)) return;
  orphaned = true;
  if (kill_at) return;
  if (!has_process()) return; /* a run without a process ends when its pipes end */
  shim_signal(start->kill_signal, false);
  kill_at = boot_time() + (int64_t)start->kill_timeout_ns;
}

static void report_gap(struct log_stream* stream, bool begins) {
  struct drover_attach_gap gap = {.stream = stream == &shim.streams[1],
                                  .begins = begins,
                                  .lines = stream->gap_lines,
                                  .bytes = stream->gap_bytes};
  control_broadcast(DROVER_ATTACH_EVENT_GAP, &gap.header, DROVER_ATTACH_GAP, sizeof gap);
}

static void add_stream(int i, int fd) {
  SYS(fcntl, fd, F_SETFL, O_NONBLOCK);
  shim.streams[i] = (struct log_stream){.fd = fd, .ring = &rings[i], .on_gap = report_gap};
}

static int reply_to_start(const struct step_failure* failure) {
  /* OWNER is -1 if the connection to the agent has ended. Another file may have got the descriptor
     number that the connection had. */
  if (owner < 0) return EPIPE;
  struct drover_start_reply reply = {
      .error = failure->error,
      .step = failure->error ? failure->step : 0,
      .kind = failure->kind,
      .shim_pid = (int32_t)SYS(getpid),
      .pid = shim.pid,
      .started_at = shim.started_at,
      .started_boot = shim.started_boot,
  };
  reply.header = (struct drover_attach_header){.size = sizeof reply, .type = DROVER_START_REPLY};
  const long n = SYS(sendto, owner, &reply, sizeof reply, MSG_NOSIGNAL | MSG_DONTWAIT, NULL, 0);
  return sys_error(n);
}

/* Makes the task's user the owner of a pipe: otherwise the task could not open the pipe again as
   /dev/stdout. */
static int give_to_user(int fd) {
  const struct drover_step_ids* ids =
      (const struct drover_step_ids*)plan_find(&shim.plan, DROVER_STEP_IDS, NULL);
  return ids ? (int)-SYS(fchown, fd, ids->uid, ids->gid) : 0;
}

/* Waits until FD is readable, but at most NANOSECONDS. Returns false if FD did not become
   readable. */
static bool wait_readable(int fd, int64_t nanoseconds) {
  struct pollfd event = {.fd = fd, .events = POLLIN};
  const struct timespec limit = sys_timespec(nanoseconds);
  return SYS(ppoll, &event, 1, &limit, NULL, 0) > 0;
}

/* Reaps all children, which must have been killed. Waits for them at most kKilledNs. While a zombie
   exists in a pid namespace, the init process of that namespace cannot end and the run's cgroup
   cannot be removed. If the shim exited and left zombies, the process that adopts them might reap
   them late. */
static void reap_killed(void) {
  const int64_t until = boot_time() + kKilledNs;
  for (;;) {
    long pid;
    do {
      pid = SYS(wait4, -1, NULL, WNOHANG | __WALL, NULL);
    } while (pid > 0);
    const int64_t left = until - boot_time();
    if (pid < 0 || left <= 0) return;
    wait_readable(signals, left);
    struct signalfd_siginfo info;
    SYS(read, signals, &info, sizeof info);
  }
}

/* Removes the cgroups that the task joined in addition to the cgroup that tracks the run. */
static void remove_joined(void) {
  for (const struct drover_step* step = plan_next(&shim.plan, NULL); step;
       step = plan_next(&shim.plan, step))
    if (step->kind == DROVER_STEP_JOIN)
      tree_remove_cgroup(plan_step_fd(&shim.plan, step), shim.plan.start.run_id);
}

/* Removes the files and cgroups of a bound run whose agent has ended. Otherwise an agent removes
   them, but no agent will ever ask for this run. */
static void remove_orphaned(void) {
  record_remove();
  tree_remove(shim.plan.start.run_id);
  remove_joined();
  record_remove_note(); /* must be last: an agent finds the cgroup by this link */
}

/* Cleans up after a run that could not start, sends the failure to the agent, and exits. */
static _Noreturn void give_up(const struct step_failure* failure) {
  tree_kill();
  /* tree_kill does not kill the holder of the namespaces, which is not in the run's cgroup. */
  namespaces_end();
  reap_killed();
  record_give_back();
  control_unlisten(shim.name);
  if (orphaned) remove_orphaned();
  reply_to_start(failure);
  sys_exit(1);
}

static void executed(void) {
  shim.started_at = wall_time();
  shim.started_boot = boot_time();
  shim.phase = DROVER_ATTACH_RUNNING;
  struct step_failure failure = {.step = -1};
  failure.error = reply_to_start(&(struct step_failure){0});
  /* If the agent has exited, the run continues and the next agent finds it. If a living agent
     cannot get the answer, the start fails: otherwise that agent would wait for ever. */
  if (failure.error && failure.error != EPIPE && failure.error != ECONNRESET) give_up(&failure);
}

/* Closes the shim's copies of the descriptors that the task's process has got. Otherwise the other
   end of a pipe would not learn of the end of the process. */
static void close_given(void) {
  const struct drover_step_descriptors* give = plan_descriptors(&shim.plan);
  if (!give) return;
  const int32_t* given = (const int32_t*)(give + 1);
  for (uint32_t i = 0; i < 3 + give->count; i++) {
    const int32_t index = i < 3 ? give->standard[i] : given[i - 3];
    if (index < 0 || shim.plan.fds[index] < 0) continue;
    SYS(close, shim.plan.fds[index]);
    shim.plan.fds[index] = -1;
  }
}

static void start_leader(void) {
  struct child child;
  struct step_failure failure;
  if (steps_start(&shim.plan, task_standard, NULL, &child, &failure) != 0) give_up(&failure);
  close_given();
  for (int i = 1; i < 3; i++)
    if (task_standard[i] >= 0) SYS(close, task_standard[i]);
  starting = shim.leader = shim.pid = child.pid;
  start_status = child.status;
}

static void start_process(void) {
  struct step_failure failure = {.step = -1};
  for (int i = 0; i < 2 && shim.has_streams; i++) {
    int ends[2];
    failure.error = (int32_t)-SYS(pipe2, ends, O_CLOEXEC);
    if (failure.error) give_up(&failure);
    add_stream(i, ends[0]);
    failure.error = give_to_user(ends[1]);
    if (failure.error) give_up(&failure);
    task_standard[i + 1] = ends[1];
  }
  if (!namespaces_wanted(&shim.plan)) {
    start_leader();
    return;
  }
  struct child holder;
  if (namespaces_start(&shim.plan, &holder, &failure) != 0) give_up(&failure);
  starting = holder.pid;
  start_status = holder.status;
}

static void read_start_status(void) {
  struct step_failure failure;
  const long n = SYS(read, start_status, &failure, sizeof failure);
  SYS(close, start_status);
  start_status = -1;
  if (n == 0 && shim.leader) {
    executed();
    return;
  }
  if (n != sizeof failure) /* n is 0 if the process that holds the namespaces was killed */
    failure = (struct step_failure){.step = -1, .error = n < 0 ? (int32_t)-n : ECHILD};
  /* The agent of a bound run may have ended while the namespaces were made. There was no process
     then that could get the signals, so the process must not start now. */
  if (!failure.error && failure.step == kNamespacesReady && !orphaned) {
    start_leader();
    return;
  }
  shim.pid = 0;
  give_up(&failure);
}

static bool has_children(void) {
  siginfo_t child;
  return SYS(waitid, P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT, NULL) == 0;
}

/* Reaps all children that have ended. Orphans of the task are among them, because the shim adopts
   these orphans. */
static void reap(void) {
  struct signalfd_siginfo info;
  while (SYS(read, signals, &info, sizeof info) > 0) {
  }
  for (;;) {
    siginfo_t child = {.si_pid = 0};
    if (SYS(waitid, P_ALL, 0, &child, WEXITED | WNOHANG | WNOWAIT, NULL) != 0 || child.si_pid == 0)
      return;
    const pid_t pid = child.si_pid;
    if (pid == starting && start_status >= 0) read_start_status();
    int status;
    struct rusage usage;
    if (SYS(wait4, pid, &status, WNOHANG, &usage) != pid) return;
    if (pid != shim.leader) {
      if (!namespaces_reaped(pid)) sessions_reaped(pid, status);
      continue;
    }
    shim.leader = 0;
    shim.wait_status = status;
    shim.usage = usage;
    begin_draining(kDrainNs);
    /* The task ends with its first process, so the shim kills all other processes of the task. The
       shim is their subreaper: if it has no children, there are no such processes. */
    if (!has_children()) return;
    sessions_kill_all();
    namespaces_end();
    tree_kill();
  }
}

static bool drained(void) {
  if (has_process() && has_children()) return false;
  return !shim.has_streams || (shim.streams[0].fd < 0 && shim.streams[1].fd < 0);
}

static int64_t next_deadline(void) {
  int64_t at = kill_at ? kill_at : INT64_MAX;
  if (shim.phase == DROVER_ATTACH_DRAINING && drain_until < at) at = drain_until;
  for (int i = 0; i < 2 && shim.has_streams; i++) {
    const int64_t stream = log_stream_deadline(&shim.streams[i]);
    if (stream < at) at = stream;
  }
  return at;
}

/* Waits for the next event or deadline, and handles all events that are present. */
static void turn(void) {
  struct pollfd fds[1 + kMaxConnections + kMaxSessions + 6];
  int count = control_poll(fds);
  const int connections = count;
  count += sessions_poll(fds + count);
  const int own = count;
  fds[count++] = (struct pollfd){.fd = signals, .events = POLLIN};
  fds[count++] = (struct pollfd){.fd = start_status, .events = POLLIN};
  fds[count++] = (struct pollfd){.fd = log_writer_fd(), .events = POLLIN};
  bool room = false;
  for (int i = 0; i < 2; i++) {
    struct log_stream* stream = &shim.streams[i];
    if (shim.has_streams && (stream->full || stream->dropping)) {
      log_writer_want_room();
      room |= stream->full && ring_free(stream->ring) > 0;
    }
    const bool read = shim.has_streams && stream->fd >= 0 && !stream->full;
    fds[count++] = (struct pollfd){.fd = read ? stream->fd : -1, .events = POLLIN};
  }

  const int64_t deadline = next_deadline();
  const int64_t left = room ? 0 : deadline == INT64_MAX ? -1 : deadline - boot_time();
  const struct timespec limit = sys_timespec(left > 0 ? left : 0);
  const bool forever = !room && deadline == INT64_MAX;
  if (SYS(ppoll, fds, count, forever ? NULL : &limit, NULL, 0) < 0) return;

  if (fds[own + 1].revents && start_status >= 0) read_start_status();
  if (fds[own + 2].revents) log_writer_clear();
  const int64_t now = boot_time();
  bool published = false;
  for (int i = 0; i < 2 && shim.has_streams; i++) {
    if (fds[own + 3 + i].revents) published |= log_stream_read(&shim.streams[i], now);
    published |= log_stream_tick(&shim.streams[i], now);
  }
  if (published) log_writer_wake();
  if (fds[own].revents) reap();
  sessions_handle(fds + connections, own - connections);
  control_handle(fds, connections);
  if (kill_at && now >= kill_at) {
    kill_at = 0;
    shim_kill();
  }
}

/* Reads the bytes that the pipes hold now. Does not wait until all writers have closed the pipes.
   Waits a limited time for the log writer, and counts the bytes that the log writer has not
   written as dropped. */
static void finish_streams(void) {
  for (int i = 0; i < 2; i++) {
    struct log_stream* stream = &shim.streams[i];
    for (int turns = 0; turns < 64 && stream->fd >= 0 && !stream->full; turns++)
      if (!log_stream_read(stream, boot_time())) break;
    log_stream_finish(stream);
  }
  log_writer_finish();
  const int64_t until = boot_time() + kWriterNs;
  while (!log_writer_finished()) {
    const int64_t left = until - boot_time();
    if (left <= 0 || log_writer_fd() < 0) break;
    if (wait_readable(log_writer_fd(), left)) log_writer_clear();
  }
  for (int i = 0; i < 2; i++) {
    struct iovec parts[2];
    const uint32_t lost = ring_peek(&rings[i], parts);
    shim.streams[i].dropped_bytes += lost;
    for (int part = 0; part < 2 && lost > 0; part++)
      for (size_t at = 0; at < parts[part].iov_len; at++)
        shim.streams[i].dropped_lines += ((const char*)parts[part].iov_base)[at] == '\n';
  }
}

static _Noreturn void finish(void) {
  if (shim.has_streams) finish_streams();
  struct {
    struct drover_attach_header header;
    struct drover_exit_record record;
  } message;
  record_fill(&message.record);
  record_write(&message.record);
  /* The exit record must exist, and the socket must be removed, before the exit event is sent: a
     client that receives the event relies on both. */
  control_unlisten(shim.name);
  control_broadcast(DROVER_ATTACH_EVENT_EXIT, &message.header, DROVER_ATTACH_EXIT, sizeof message);
  if (orphaned) remove_orphaned();
  /* The exit alone might not close the connections: a log writer thread that hangs on a disk keeps
     the process alive. */
  control_close_all();
  sys_exit(0);
}

static void reset_signals(void) {
  /* The sigaction struct of the kernel (handler, flags, restorer, mask). All zeros mean the default
     action. */
  static const uint64_t standard[4];
  for (int number = 1; number <= 64; number++)
    SYS(rt_sigaction, number, standard, NULL, sizeof(uint64_t));
  const uint64_t all = ~0ull;
  SYS(rt_sigprocmask, SIG_SETMASK, &all, NULL, sizeof all);
  const uint64_t child = 1ull << (SIGCHLD - 1);
  signals = (int)SYS(signalfd4, -1, &child, sizeof child, SFD_CLOEXEC | SFD_NONBLOCK);
}

int main(void) {
  SYS(prctl, PR_SET_NAME, "drover-shim");
  struct step_failure failure = {.step = -1};
  failure.error = plan_receive(kConnection, &shim.plan);
  if (failure.error == ECONNRESET) return 1;
  if (failure.error) {
    reply_to_start(&failure);
    return 1;
  }
  const struct drover_start* start = &shim.plan.start;
  mount_calls_init(start->flags & DROVER_START_MOUNT_CALLS);
  sys_hex(start->run_id, sizeof shim.name / 2, shim.name);
  const long session = SYS(setsid);
  failure.error = session < 0 ? (int32_t)-session : 0;
  reset_signals();
  SYS(fcntl, kConnection, F_SETFD, FD_CLOEXEC);
  SYS(fcntl, kConnection, F_SETFL, O_NONBLOCK);
  /* The shim becomes the subreaper of the task: it adopts the task's orphans, so that it can find
     them, reap them and wait for their end. */
  if (!failure.error) failure.error = (int32_t)-SYS(prctl, PR_SET_CHILD_SUBREAPER, 1);
  if (!failure.error) failure.error = (int32_t)-SYS(fchdir, plan_fd(&shim.plan, start->run_dir_fd));
  if (!failure.error && signals < 0) failure.error = -signals;
  if (!failure.error) failure.error = control_listen(shim.name);
  if (!failure.error) {
    failure.error = record_reserve();
    if (failure.error == ENOSPC) failure.error = DROVER_NO_ROOM;
    if (failure.error) control_unlisten(shim.name);
  }
  if (failure.error) {
    reply_to_start(&failure);
    return 1;
  }
  control_adopt(kConnection);
  tree_init(plan_fd(&shim.plan, start->cgroup_fd), start->flags & DROVER_START_FREEZER);
  shim.oom_kills_before = record_oom_kills(plan_fd(&shim.plan, start->memory_events_fd));
  log_config = (struct log_writer_config){.directory = plan_fd(&shim.plan, start->log_dir_fd),
                                          .task = start->log_name,
                                          .max_files = start->max_files,
                                          .max_file_size = start->max_file_size};
  log_writer_init(&log_config, rings);
  shim.has_streams = start->flags & DROVER_START_LOGS;
  if (has_process()) {
    start_process();
  } else {
    shim.has_streams = true;
    add_stream(0, plan_fd(&shim.plan, start->stdout_fd));
    add_stream(1, plan_fd(&shim.plan, start->stderr_fd));
    executed();
  }
  /* Closes the file descriptors that neither exec sessions nor the log need. */
  const int32_t used_up[] = {start->run_dir_fd, start->plan_fd};
  for (int i = 0; i < 2; i++)
    if (used_up[i] >= 0) SYS(close, plan_fd(&shim.plan, used_up[i]));
  mounts_close(&shim.plan);

  for (;;) {
    turn();
    if (!has_process() && drained()) begin_draining(0);
    if (shim.phase == DROVER_ATTACH_DRAINING && (drained() || boot_time() >= drain_until)) finish();
  }
}
