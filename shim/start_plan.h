/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
/*
 * The start message, by which an agent sends a plan to its new shim. A plan is a list of steps that
 * start the task; the agent compiles it from the task's description. This format is NOT frozen: the
 * shim is embedded in the agent, so both are from the same build. The shim still checks every size
 * and offset. This header is valid C11 and C++.
 *
 * The start message is the first datagram on file descriptor 3 of the shim. The agent sends it
 * before the shim exists, so it arrives whole or not at all. If the shim receives the end of the
 * connection instead of a message, it exits. The message is a drover_start, then STEPS_SIZE bytes
 * of steps. If the steps do not fit into one datagram, the agent sends them in a memory file. The
 * shim answers with one drover_start_reply. After that the connection is an attach connection, as
 * if the agent had sent HELLO and subscribed to all events.
 */
#ifndef DROVER_SHIM_START_PLAN_H_
#define DROVER_SHIM_START_PLAN_H_

#include <stdint.h>

#include "shim/attach_protocol.h"

#ifdef __cplusplus
extern "C" {
#endif

#define DROVER_START 50u
#define DROVER_START_REPLY 150u
#define DROVER_PLAN_VERSION 1u
#define DROVER_PLAN_MAX_STEPS 256u
/* Maximum size in bytes of all steps. It is above the kernel's limit for the strings of one
   exec. */
#define DROVER_PLAN_MAX_SIZE (8u << 20)
#define DROVER_PLAN_MAX_FDS 128u
/* Maximum number of arguments, and maximum number of environment variables. */
#define DROVER_PLAN_MAX_STRINGS 65536u
#define DROVER_PLAN_MAX_GROUPS 4096u
/* Maximum number of instructions in a seccomp filter, equal to the kernel's limit. */
#define DROVER_PLAN_MAX_FILTER 4096u

/* The bits of drover_start.flags. */
#define DROVER_START_BOUND 1u /* the shim stops the run when the agent's connection ends */
/* The shim starts no process, and only reads STDOUT_FD and STDERR_FD. */
#define DROVER_START_NO_PROCESS 2u
/* Output goes to files in LOG_DIR_FD; without this bit, to /dev/null. */
#define DROVER_START_LOGS 4u
/* CGROUP_FD is a cgroup of the version 1 freezer, which the new process enters by a step
   DROVER_STEP_JOIN. */
#define DROVER_START_FREEZER 8u
#define DROVER_START_MOUNT_CALLS 16u /* the newer system calls of shim/mount_calls.h work */

struct drover_start {
  struct drover_attach_header header;
  uint32_t version;
  uint32_t flags;
  uint8_t run_id[16];
  uint8_t boot_id[16];
  /* Each field ..._fd is an index into the file descriptors sent with the message, or -1 for
     none. */
  int32_t run_dir_fd;
  int32_t log_dir_fd;
  int32_t cgroup_fd;
  int32_t memory_events_fd;
  int32_t stdout_fd;
  int32_t stderr_fd;
  int32_t plan_fd;
  int32_t kill_signal; /* the first signal to a run with DROVER_START_BOUND when its agent ends */
  uint64_t kill_timeout_ns;
  uint64_t max_file_size;
  uint32_t max_files;
  uint32_t step_count;
  uint32_t steps_size;
  uint32_t reserved;
  char log_name[232]; /* the task's name, ended by NUL */
};

/* Values of drover_start_reply.error that are not errnos. */
#define DROVER_NOT_AS_CLAIMED 4096 /* a mount in the kernel's list is not as its step claims */
#define DROVER_NO_ROOM 4097        /* the run directory has no room for the exit record */
/* A path leads out of the task's root, or through a link in /proc. */
#define DROVER_LEAVES_ROOT 4098

struct drover_start_reply {
  struct drover_attach_header header;
  int32_t error; /* an errno, or 0 if the program has been executed */
  int32_t step;  /* index of the step that failed, or -1 if the failure was in no step */
  uint32_t kind; /* drover_step_kind of the step that failed */
  int32_t shim_pid;
  int32_t pid;
  uint32_t reserved;
  int64_t started_at;   /* nanoseconds of CLOCK_REALTIME */
  int64_t started_boot; /* nanoseconds of CLOCK_BOOTTIME */
};

/*
 * A step is a drover_step, then its payload, then zeros up to SIZE, which is a multiple of 8. The
 * new process executes the steps in their order, and EXEC is the last. Each comment names the
 * struct that contains the drover_step and its payload; "no payload" means a bare drover_step.
 */
enum drover_step_kind {
  DROVER_STEP_NONE = 0,
  /* struct drover_step_number: index of the cgroup's file descriptor. Must be the first step. */
  DROVER_STEP_CGROUP = 1,
  DROVER_STEP_SETSID = 2,        /* no payload */
  DROVER_STEP_OOM_SCORE_ADJ = 3, /* struct drover_step_number: the value */
  DROVER_STEP_RLIMIT = 4,        /* struct drover_step_rlimit */
  DROVER_STEP_UMASK = 5,         /* struct drover_step_number: the file mode creation mask */
  DROVER_STEP_IDS = 6,           /* struct drover_step_ids and the groups */
  DROVER_STEP_CWD = 7,           /* struct drover_step_cwd and a path; only after CLOSE */
  DROVER_STEP_NO_NEW_PRIVS = 8,  /* no payload */
  DROVER_STEP_PDEATHSIG = 9,     /* no payload; only after the last change of credentials */
  DROVER_STEP_EXEC = 10,         /* struct drover_step_exec, pointers, strings; only after CLOSE */
  DROVER_STEP_BOUNDING = 11,     /* struct drover_step_capabilities; only before IDS */
  DROVER_STEP_CAPABILITIES = 12, /* struct drover_step_capabilities; only after IDS */
  DROVER_STEP_SECCOMP = 13,      /* struct drover_step_filter and instructions; just before EXEC */
  DROVER_STEP_KEYRING = 14,      /* no payload; joins a new session keyring */
  DROVER_STEP_ENTER = 15,        /* no payload; enters the namespaces that NAMESPACES has made */
  /* struct drover_step_number: index of a version 1 cgroup's directory. The process enters the
     cgroup. */
  DROVER_STEP_JOIN = 23,
  /* struct drover_step_number: index of a network namespace, which the process enters. */
  DROVER_STEP_NETWORK = 24,
  /* No payload. Closes all file descriptors except 0 to 2 and the status pipe. */
  DROVER_STEP_CLOSE = 26,
  /* The following steps are for the process that holds the namespaces. */
  DROVER_STEP_NAMESPACES = 16, /* struct drover_step_number: the CLONE_NEW... flags */
  /* No payload. Makes all mounts private, so no later mount of this process appears on the
     host. */
  DROVER_STEP_PRIVATE_MOUNTS = 17,
  /* struct drover_step_filesystem and strings. The first FILESYSTEM step makes the new root. */
  DROVER_STEP_FILESYSTEM = 18,
  DROVER_STEP_MOUNT = 19,            /* struct drover_step_mount and paths */
  DROVER_STEP_NODE = 20,             /* struct drover_step_node, a path and a target */
  DROVER_STEP_MOUNT_ATTRIBUTES = 21, /* struct drover_step_mount_attributes, a path */
  DROVER_STEP_PIVOT = 22,            /* struct drover_step_number: 1 for pivot_root, 0 for chroot */
  /* No payload. Checks that the mounts are as the steps claim. Must come after PIVOT. If VERIFY
     fails and reports the index of another step, the mount of that other step is wrong. */
  DROVER_STEP_VERIFY = 25,
  /* struct drover_step_number: index of a mount namespace. The run gets a copy of this namespace;
     without this step, the run gets a copy of the shim's mount namespace. Needs the newer system
     calls for mounts: mount(2) takes paths, and in this namespace no path of the host exists. */
  DROVER_STEP_CLEAN_MOUNTS = 27,
  /* struct drover_step and a string: the name of the host in the new UTS namespace. */
  DROVER_STEP_HOSTNAME = 28,
  /* struct drover_step_descriptors and indices. Gives descriptors to the task's process, only just
     before CLOSE: later no other descriptor is open. */
  DROVER_STEP_DESCRIPTORS = 29,
  DROVER_STEP_KINDS = 30, /* a number greater than every kind */
};

/* The bits of drover_step.flags: which processes execute the step. */
#define DROVER_STEP_FOR_TASK 1u
/* An exec session executes the step. Of EXEC it uses only the environment and PATH_FLAGS. */
#define DROVER_STEP_FOR_SESSION 2u
#define DROVER_STEP_FOR_NAMESPACES 4u

struct drover_step {
  uint16_t kind;
  uint16_t flags;
  uint32_t size;
};

struct drover_step_number {
  struct drover_step step;
  int64_t number;
};

struct drover_step_rlimit {
  struct drover_step step;
  uint32_t resource;
  uint32_t reserved;
  uint64_t soft;
  uint64_t hard;
};

/* Maximum number of descriptors that a process gets beyond its standard ones. */
#define DROVER_PLAN_MAX_GIVEN 16u
#define DROVER_GIVE_TERMINAL 1u /* descriptor 0 becomes the controlling terminal */

struct drover_step_descriptors {
  struct drover_step step;
  uint32_t flags; /* DROVER_GIVE_... bits */
  uint32_t count;
  /* Indices of what becomes 0, 1 and 2, or -1 to keep what the process has there. */
  int32_t standard[3];
  uint32_t reserved;
  /* Followed by int32_t given[count], the indices of what becomes 3, 4 and so on. */
};

struct drover_step_ids {
  struct drover_step step;
  uint32_t uid;
  uint32_t gid;
  uint32_t group_count;
  uint32_t reserved;
  /* Followed by uint32_t groups[group_count]. */
};

/* Sets of capabilities, where bit N stands for capability N. */
struct drover_step_capabilities {
  struct drover_step step;
  uint64_t bounding; /* all other capabilities are removed from the bounding set */
  /* Capabilities that become permitted and effective, except those that the shim lacks. */
  uint64_t permitted;
  /* Capabilities that also become inheritable and ambient, so that a user other than root keeps
     them. */
  uint64_t ambient;
};

struct drover_step_filter {
  struct drover_step step;
  uint32_t count;
  uint32_t reserved;
  /* Followed by struct sock_filter instructions[count]. */
};

/* The bits of PATH_FLAGS: checks of a path. The task or another task may have put links into the
   path that lead to another place. */
/* The path must not use the links in /proc/PID, because such links can lead out of the
   root. */
#define DROVER_PATH_NO_PROC_LINKS 1u
#define DROVER_PATH_IN_ROOT 2u /* the directory must be below the process's root */

struct drover_step_cwd {
  struct drover_step step;
  uint32_t path_flags; /* DROVER_PATH_... bits */
  uint32_t reserved;
  /* Followed by char path[], ended by NUL. */
};

/* Makes a file system and mounts it on TARGET. */
struct drover_step_filesystem {
  struct drover_step step;
  uint32_t attributes; /* MOUNT_ATTR_... bits */
  uint32_t option_count;
  /* Followed by char type[], target[] and options[option_count][], each ended by NUL. If TARGET is
     empty, the file system is the new root. Each option is KEY or KEY=VALUE. */
};

#define DROVER_MOUNT_FILE 1u     /* the target is a file, not a directory */
#define DROVER_MOUNT_MAY_MISS 2u /* if the target does not exist, the step does nothing */
/* TREE_FD is not a mount. It is the directory or file of the host that the new mount shows. */
#define DROVER_MOUNT_PLACE 4u
/* The copy of a mount contains the mounts below that mount, too. */
#define DROVER_MOUNT_RECURSIVE 8u
/* Mounts that the host makes below the source may appear below the target at any time. */
#define DROVER_MOUNT_FOLLOWS 16u

/*
 * Attaches a mount at TARGET. The mount is
 *   - a copy of the path SOURCE in the new root, if TREE_FD is -1;
 *   - a copy of the host's directory or file TREE_FD, if DROVER_MOUNT_PLACE is set;
 *   - otherwise TREE_FD itself, which is a mount that belongs to no namespace yet.
 */
struct drover_step_mount {
  struct drover_step step;
  int32_t tree_fd; /* index of a file descriptor, or -1 to use SOURCE */
  uint32_t flags;
  /* MOUNT_ATTR_... bits that the mount TREE_FD has already, or that a copy gets in addition. */
  uint32_t attributes;
  uint32_t reserved;
  /* Followed by char target[] and source[], each ended by NUL. */
};

struct drover_step_node {
  struct drover_step step;
  uint32_t mode;   /* S_IFDIR, S_IFCHR, S_IFBLK or S_IFLNK, with permissions */
  uint32_t device; /* device number as for mknod */
  /* Followed by char path[] and target[]. TARGET is used only for a symbolic link. */
};

struct drover_step_mount_attributes {
  struct drover_step step;
  uint32_t set; /* the MOUNT_ATTR_... bits to add */
  uint32_t reserved;
  /* Followed by char path[]. An empty path is the root. */
};

struct drover_step_exec {
  struct drover_step step;
  uint32_t argc;
  uint32_t envc;
  uint32_t path_flags; /* DROVER_PATH_NO_PROC_LINKS or 0 */
  uint32_t reserved;
  /*
   * Followed by uint64_t pointers[argc + 1 + envc + 1], zeros that the shim replaces by argv and
   * envp. Then come strings, each ended by NUL: the program, ARGC arguments, ENVC variables
   * NAME=VALUE.
   */
};

#ifdef __cplusplus
}
#endif

#endif /* DROVER_SHIM_START_PLAN_H_ */
