/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "shim/mount_calls.h"
#include "shim/mount_claims.h"
#include "shim/sys.h"

enum { kMaxName = 256 };
enum { kPrivate = 1 << 18, kRecursive = 1 << 14, kDetach = 2 }; /* MS_PRIVATE, MS_REC, MNT_DETACH */

static int root = -1; /* the root of the new file system, as a file descriptor */

/* Returns true if STEP has COUNT strings after its first FIXED bytes. NUL ends each string. */
static bool has_strings(const struct drover_step* step, size_t fixed, uint32_t count) {
  const char* at = (const char*)step;
  return step->size >= fixed && plan_after_strings(at + fixed, at + step->size, count) != NULL;
}

bool mounts_check(const struct plan* plan, const struct drover_step* step) {
  switch (step->kind) {
    case DROVER_STEP_PRIVATE_MOUNTS:
    case DROVER_STEP_VERIFY:
      return true;
    case DROVER_STEP_PIVOT:
      return step->size >= sizeof(struct drover_step_number);
    case DROVER_STEP_FILESYSTEM: {
      const struct drover_step_filesystem* made = (const struct drover_step_filesystem*)step;
      return step->size >= sizeof *made && made->option_count <= 16 &&
             has_strings(step, sizeof *made, made->option_count + 2);
    }
    case DROVER_STEP_MOUNT: {
      const struct drover_step_mount* mount = (const struct drover_step_mount*)step;
      return step->size >= sizeof *mount &&
             (mount->tree_fd == -1 || plan_fd(plan, mount->tree_fd) >= 0) &&
             has_strings(step, sizeof *mount, 2);
    }
    case DROVER_STEP_NODE:
      return has_strings(step, sizeof(struct drover_step_node), 2);
    case DROVER_STEP_MOUNT_ATTRIBUTES:
      return has_strings(step, sizeof(struct drover_step_mount_attributes), 1);
    default:
      return false;
  }
}

static long open_beneath(int directory, const char* path, int flags) {
  const struct open_how how = {.flags = (uint64_t)(O_PATH | O_CLOEXEC | flags),
                               .resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS};
  return SYS(openat2, directory, path, &how, sizeof how);
}

/* Opens PATH below the new root by one system call. Fails if PATH does not exist. */
static long open_in_root(const char* path, int flags) {
  while (*path == '/') path++;
  return open_beneath(root, *path ? path : ".", flags);
}

/*
 * Opens the parent directory of PATH in the new root, and makes missing directories. Copies the
 * last component of PATH to NAME, or "." if PATH is the root. Returns a file descriptor or a
 * negative errno.
 */
static long open_parent(const char* path, char name[kMaxName]) {
  long directory = open_beneath(root, ".", O_DIRECTORY);
  for (;;) {
    while (*path == '/') path++;
    const size_t length = (size_t)(strchrnul(path, '/') - path);
    if (directory < 0) return directory;
    if (length >= kMaxName) {
      SYS(close, directory);
      return -ENAMETOOLONG;
    }
    memcpy(name, length > 0 ? path : ".", length > 0 ? length : 1);
    name[length > 0 ? length : 1] = 0;
    path += length;
    const char* rest = path;
    while (*rest == '/') rest++;
    if (!*rest) return directory;
    long next = open_beneath((int)directory, name, O_DIRECTORY);
    if (next == -ENOENT) {
      const long made = SYS(mkdirat, directory, name, 0755);
      next = made < 0 && made != -EEXIST ? made : open_beneath((int)directory, name, O_DIRECTORY);
    }
    SYS(close, directory);
    directory = next;
  }
}

/*
 * Opens PATH as the mount point of STEP. If PATH is missing, makes a directory or, with IS_FILE, an
 * empty file. If mounts are made by mount(2), they become read-only at the step VERIFY and not
 * before. So this function must refuse to make anything in a mount that will be read-only.
 */
static long open_target(const struct plan* plan, const struct drover_step* step, const char* path,
                        bool is_file) {
  const long there = open_in_root(path, is_file ? 0 : O_DIRECTORY);
  if (there != -ENOENT) return there;
  if (!mount_calls_exist() && mount_claims_read_only(plan, step, path)) return -EROFS;
  char name[kMaxName];
  const long parent = open_parent(path, name);
  if (parent < 0) return parent;
  long target = open_beneath((int)parent, name, is_file ? 0 : O_DIRECTORY);
  if (target == -ENOENT) {
    const long made =
        is_file ? SYS(mknodat, parent, name, S_IFREG | 0444, 0) : SYS(mkdirat, parent, name, 0755);
    target = made < 0 && made != -EEXIST
                 ? made
                 : open_beneath((int)parent, name, is_file ? 0 : O_DIRECTORY);
  }
  SYS(close, parent);
  return target;
}

static int make_filesystem(const struct plan* plan, const struct drover_step_filesystem* made) {
  const char* type = (const char*)(made + 1);
  const char* path = type + strlen(type) + 1;
  /* Until PIVOT the new root is mounted over the old root, because a root must be a mount
     point. */
  if (!*path) return mount_calls_make(made, -1, &root);
  const long target = open_target(plan, (const struct drover_step*)made, path, false);
  if (target < 0) return (int)-target;
  const int error = mount_calls_make(made, (int)target, NULL);
  SYS(close, target);
  return error;
}

/* Makes a directory, a device or a symbolic link. */
static int make_node(const struct drover_step_node* node) {
  const char* path = (const char*)(node + 1);
  const char* target = path + strlen(path) + 1;
  char name[kMaxName];
  const long parent = open_parent(path, name);
  if (parent < 0) return (int)-parent;
  long result;
  if (S_ISLNK(node->mode)) {
    result = SYS(symlinkat, target, parent, name);
  } else if (S_ISDIR(node->mode)) {
    result = SYS(mkdirat, parent, name, node->mode & 07777);
    if (result == 0) result = SYS(fchmodat, parent, name, node->mode & 07777);
  } else {
    result = SYS(mknodat, parent, name, node->mode, node->device);
    if (result == 0 && node->mode & 07777) result = SYS(fchmodat, parent, name, node->mode & 07777);
  }
  SYS(close, parent);
  return sys_error(result);
}

static int set_attributes(const struct drover_step_mount_attributes* step) {
  const char* path = (const char*)(step + 1);
  const long target = open_beneath(root, *path ? path : ".", 0);
  if (target < 0) return (int)-target;
  const int error = mount_calls_set((int)target, step->set);
  SYS(close, target);
  return error;
}

/* Opens the directory or file that the mount of STEP will show. Returns a file descriptor or a
   negative errno. */
static long open_source(const struct plan* plan, const struct drover_step_mount* step,
                        const char* source) {
  return step->tree_fd >= 0 ? mount_calls_find(plan_fd(plan, step->tree_fd))
                            : open_beneath(root, source, 0);
}

static int attach_mount(const struct plan* plan, const struct drover_step_mount* step) {
  const char* path = (const char*)(step + 1);
  const bool may_miss = step->flags & DROVER_MOUNT_MAY_MISS;
  const long target = may_miss ? open_in_root(path, 0)
                               : open_target(plan, (const struct drover_step*)step, path,
                                             step->flags & DROVER_MOUNT_FILE);
  if (target < 0) return may_miss && target == -ENOENT ? 0 : (int)-target;
  int error;
  if (step->tree_fd >= 0 && !(step->flags & DROVER_MOUNT_PLACE)) {
    error = mount_calls_attach(plan_fd(plan, step->tree_fd), (int)target);
  } else {
    const long source = open_source(plan, step, path + strlen(path) + 1);
    error = source < 0 ? (int)-source
                       : mount_calls_bind((int)source, (int)target,
                                          step->flags & DROVER_MOUNT_RECURSIVE, step->attributes);
    if (source >= 0) SYS(close, source);
  }
  SYS(close, target);
  return error;
}

/*
 * Checks that the root of this process is the root of its mount namespace. A process that enters
 * the namespace later begins at the namespace's root. If this process began in a chroot, the two
 * roots differ, and the process that enters later could reach all files of the host. This function
 * enters the namespace again and compares the roots.
 */
static long check_namespace_root(void) {
  struct stat ours, entered;
  long result = SYS(newfstatat, AT_FDCWD, "/", &ours, 0);
  const long self = SYS(pidfd_open, SYS(getpid), 0);
  if (self < 0) return self;
  if (result == 0) result = SYS(setns, self, 0x20000 /* CLONE_NEWNS */);
  SYS(close, self);
  if (result == 0) result = SYS(newfstatat, AT_FDCWD, "/", &entered, 0);
  if (result != 0) return result;
  return ours.st_dev == entered.st_dev && ours.st_ino == entered.st_ino ? 0 : -EXDEV;
}

static int change_root(bool pivot) {
  long result = SYS(fchdir, root);
  if (pivot) {
    /* pivot_root with the same directory twice mounts the old root over the new root, so the old
       root can be unmounted afterwards. */
    if (result == 0) result = SYS(pivot_root, ".", ".");
    if (result == 0) result = SYS(umount2, ".", kDetach);
  } else if (result == 0) {
    result = SYS(chroot, ".");
  }
  if (result == 0) result = SYS(chdir, "/");
  if (result == 0) result = check_namespace_root();
  SYS(close, root);
  root = -1;
  return sys_error(result);
}

int mounts_run(const struct plan* plan, const struct drover_step* step) {
  switch (step->kind) {
    case DROVER_STEP_PRIVATE_MOUNTS:
      return sys_error(SYS(mount, NULL, "/", NULL, kPrivate | kRecursive, NULL));
    case DROVER_STEP_FILESYSTEM:
      return make_filesystem(plan, (const struct drover_step_filesystem*)step);
    case DROVER_STEP_MOUNT:
      return attach_mount(plan, (const struct drover_step_mount*)step);
    case DROVER_STEP_NODE:
      return make_node((const struct drover_step_node*)step);
    case DROVER_STEP_MOUNT_ATTRIBUTES:
      return set_attributes((const struct drover_step_mount_attributes*)step);
    case DROVER_STEP_PIVOT:
      return change_root(plan_number(step) != 0);
    default:
      return EPROTO;
  }
}

void mounts_close(const struct plan* plan) {
  for (const struct drover_step* step = plan_next(plan, NULL); step; step = plan_next(plan, step)) {
    if (step->kind == DROVER_STEP_MOUNT && ((const struct drover_step_mount*)step)->tree_fd >= 0)
      SYS(close, plan_fd(plan, ((const struct drover_step_mount*)step)->tree_fd));
    if (step->kind == DROVER_STEP_CLEAN_MOUNTS) SYS(close, plan_step_fd(plan, step));
  }
}
