/* Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "shim/mount_calls.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <linux/openat2.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>

#include "shim/sys.h"

enum { kMaxName = 256, kMaxOptions = 1024, kMaxPath = 4096 };
/* The values of MOVE_MOUNT_F_EMPTY_PATH and MOVE_MOUNT_T_EMPTY_PATH. */
enum { kFromEmptyPath = 4, kToEmptyPath = 0x40 };
/* The values of MS_REMOUNT, MS_BIND, MS_REC and MS_NOSYMFOLLOW. */
enum { kRemount = 32, kBind = 4096, kRecursive = 1 << 14, kNoSymFollow = 256 };
/* These attributes have the same values as the flags MS_RDONLY to MS_NOEXEC. */
enum { kPlain = MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC };

static bool calls_exist;

void mount_calls_init(bool exist) { calls_exist = exist; }

bool mount_calls_exist(void) { return calls_exist; }

/* Writes to NAME a path by which mount(2) can use FD. The path works only if /proc is mounted below
   the root of this process. */
static void name_of(int fd, char name[32]) {
  memcpy(name, "/proc/self/fd/", 14);
  name[14 + sys_decimal((uint64_t)fd, name + 14)] = 0;
}

/* Sets a mount option, "KEY=VALUE" or "KEY", of the file system that CONTEXT will make. */
static long configure(long context, const char* option) {
  const char* value = strchr(option, '=');
  if (!value) return SYS(fsconfig, context, FSCONFIG_SET_FLAG, option, NULL, 0);
  char key[kMaxName];
  const size_t length = (size_t)(value - option);
  if (length >= sizeof key) return -ENAMETOOLONG;
  memcpy(key, option, length);
  key[length] = 0;
  return SYS(fsconfig, context, FSCONFIG_SET_STRING, key, value + 1, 0);
}

static const char* first_option(const struct drover_step_filesystem* made) {
  const char* type = (const char*)(made + 1);
  const char* target = type + strlen(type) + 1;
  return target + strlen(target) + 1;
}

static int make_by_context(const struct drover_step_filesystem* made, int target, int* root) {
  const char* type = (const char*)(made + 1);
  const char* option = first_option(made);
  const long context = SYS(fsopen, type, FSOPEN_CLOEXEC);
  if (context < 0) return (int)-context;
  long result = 0;
  for (uint32_t i = 0; i < made->option_count && result >= 0; i++, option += strlen(option) + 1)
    result = configure(context, option);
  if (result >= 0) result = SYS(fsconfig, context, FSCONFIG_CMD_CREATE, NULL, NULL, 0);
  long mount = result;
  if (result >= 0) mount = SYS(fsmount, context, FSMOUNT_CLOEXEC, made->attributes);
  SYS(close, context);
  if (mount < 0) return (int)-mount;
  if (target < 0) {
    *root = (int)mount;
    return sys_error(SYS(move_mount, mount, "", AT_FDCWD, "/", kFromEmptyPath));
  }
  const int error = mount_calls_attach((int)mount, target);
  SYS(close, mount);
  return error;
}

/* Opens the mount that was mounted over the root of this process. The path "/.." leads to that
   mount, but the path "/" leads to the mount below it. */
static long open_upper_root(void) {
  const long root = sys_open(AT_FDCWD, "/..", O_PATH | O_DIRECTORY | O_CLOEXEC, 0);
  if (root < 0) return root;
  struct stat below, above;
  long result = SYS(newfstatat, AT_FDCWD, "/", &below, 0);
  if (result == 0) result = SYS(newfstatat, root, "", &above, AT_EMPTY_PATH);
  if (result == 0 && below.st_dev == above.st_dev) result = -EXDEV;
  if (result == 0) return root;
  SYS(close, root);
  return result;
}

static int make_by_mount(const struct drover_step_filesystem* made, int target, int* root) {
  const char* type = (const char*)(made + 1);
  const char* option = first_option(made);
  char options[kMaxOptions];
  size_t length = 0;
  for (uint32_t i = 0; i < made->option_count; i++, option += strlen(option) + 1) {
    const size_t size = strlen(option);
    if (length + size + 2 > sizeof options) return ENAMETOOLONG;
    if (length > 0) options[length++] = ',';
    memcpy(options + length, option, size);
    length += size;
  }
  options[length] = 0;
  char name[32] = "/";
  if (target >= 0) name_of(target, name);
  /* MS_RDONLY is left out: it would make the file system read-only in its other mounts, too. */
  const int error = sys_error(
      SYS(mount, "none", name, type, made->attributes & kPlain & ~MOUNT_ATTR_RDONLY, options));
  if (error || target >= 0) return error;
  const long opened = open_upper_root();
  if (opened < 0) return (int)-opened;
  *root = (int)opened;
  return 0;
}

int mount_calls_make(const struct drover_step_filesystem* step, int target, int* root) {
  return mount_calls_exist() ? make_by_context(step, target, root)
                             : make_by_mount(step, target, root);
}

int mount_calls_attach(int tree, int target) {
  return sys_error(SYS(move_mount, tree, "", target, "", kFromEmptyPath | kToEmptyPath));
}

int mount_calls_bind(int source, int target, bool recursive, uint32_t attributes) {
  if (!mount_calls_exist()) {
    char from[32], to[32];
    name_of(source, from);
    name_of(target, to);
    return sys_error(SYS(mount, from, to, NULL, kBind | (recursive ? kRecursive : 0), NULL));
  }
  const unsigned below = recursive ? AT_RECURSIVE : 0;
  const long tree =
      SYS(open_tree, source, "", AT_EMPTY_PATH | below | OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
  if (tree < 0) return (int)-tree;
  const struct mount_attr set = {.attr_set = attributes};
  int error = sys_error(SYS(mount_setattr, tree, "", AT_EMPTY_PATH | below, &set, sizeof set));
  if (!error) error = mount_calls_attach((int)tree, target);
  SYS(close, tree);
  return error;
}

int mount_calls_set(int target, uint32_t attributes) {
  if (!mount_calls_exist()) return 0;
  const struct mount_attr set = {.attr_set = attributes};
  return sys_error(SYS(mount_setattr, target, "", AT_EMPTY_PATH, &set, sizeof set));
}

int mount_calls_remount(int target, uint32_t old, uint32_t attributes) {
  char name[32];
  name_of(target, name);
  const uint32_t all = old | attributes;
  const unsigned follow = all & MOUNT_ATTR_NOSYMFOLLOW ? kNoSymFollow : 0;
  return sys_error(SYS(mount, NULL, name, NULL, kRemount | kBind | (all & kPlain) | follow, NULL));
}

long mount_calls_find(int place) {
  char name[32], path[kMaxPath];
  name_of(place, name);
  const long length = SYS(readlinkat, AT_FDCWD, name, path, sizeof path - 1);
  if (length < 0) return length;
  path[length] = 0;
  const struct open_how how = {.flags = O_PATH | O_CLOEXEC, .resolve = RESOLVE_NO_SYMLINKS};
  const long found = SYS(openat2, AT_FDCWD, path, &how, sizeof how);
  if (found < 0) return found;
  struct stat wanted, there;
  long result = SYS(newfstatat, place, "", &wanted, AT_EMPTY_PATH);
  if (result == 0) result = SYS(newfstatat, found, "", &there, AT_EMPTY_PATH);
  if (result == 0 && (wanted.st_dev != there.st_dev || wanted.st_ino != there.st_ino))
    result = -EXDEV;
  if (result == 0) return found;
  SYS(close, found);
  return result;
}
