// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/task/task_socket.h"

#include <fcntl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cerrno>
#include <utility>

#include "host/task/task_file.h"

namespace drover {
namespace {

constexpr int kBacklog = 64;  // connections that wait to be accepted

// The directory of a socket, its owner, and the socket's name in it.
struct SocketPlace {
  UniqueFd directory;  // O_PATH
  struct stat task{};  // of the task's directory
  std::string name;
};

Result<SocketPlace> FindPlace(const std::string& task_dir, const std::string& path) {
  SocketPlace place;
  const UniqueFd task(open(task_dir.c_str(), O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC));
  if (!task || fstat(task.get(), &place.task) != 0) {
    return ErrnoError(errno, "the task's directory " + task_dir);
  }
  const std::size_t slash = path.rfind('/');
  DROVER_CHECK(slash != std::string::npos && slash + 1 < path.size());
  place.name = path.substr(slash + 1);
  DROVER_ASSIGN(place.directory, OpenTaskDirectory(task.get(), path.substr(0, slash)));
  return place;
}

// Binds SOCKET to NAME in DIRECTORY. The path of a socket may have only 107 bytes, so it leads
// through the descriptor. The kernel follows no link at its end.
Status BindIn(int socket, int directory, const std::string& name) {
  const std::string path = "/proc/self/fd/" + std::to_string(directory) + "/" + name;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) {
    return Error(Code::kInvalidArgument, "the name of the socket is too long");
  }
  path.copy(address.sun_path, path.size());
  if (bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) {
    return ErrnoError(errno, "bind");
  }
  return {};
}

// Gives the socket NAME, which was made just now, to the owner of the task's directory.
Status GiveSocket(const SocketPlace& place, const std::string& name, bool user_unknown) {
  const UniqueFd made(openat(place.directory.get(), name.c_str(), O_PATH | O_NOFOLLOW | O_CLOEXEC));
  struct stat info{};
  if (!made || fstat(made.get(), &info) != 0) return ErrnoError(errno, "open the new socket");
  if (!S_ISSOCK(info.st_mode) || info.st_uid != geteuid() || info.st_nlink != 1) {
    return Error(Code::kFailedPrecondition, "something has taken the place of the new socket");
  }
  bool open_to_all = user_unknown && place.task.st_uid == 0;
  if (geteuid() != 0) {
    open_to_all = false;
  } else if (!open_to_all) {
    // In some user namespaces the task's user has no id here. Then it connects as one of the
    // others.
    open_to_all =
        fchownat(made.get(), "", place.task.st_uid, place.task.st_gid, AT_EMPTY_PATH) != 0;
  }
  if (!open_to_all) return {};
  const std::string path = "/proc/self/fd/" + std::to_string(made.get());
  if (chmod(path.c_str(), 0666) != 0) return ErrnoError(errno, "chmod");
  return {};
}

}  // namespace

Result<UniqueFd> ListenForTask(const std::string& task_dir, const std::string& path,
                               bool user_unknown) {
  DROVER_ASSIGN(const SocketPlace place, FindPlace(task_dir, path));
  UniqueFd listener(socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  // The mode of the descriptor is that of the file, less the umask, from its first moment on.
  if (!listener || fchmod(listener.get(), 0600) != 0) return ErrnoError(errno, "socket");
  // An agent that died here, or the task, has left a file of this name.
  const std::string fresh = "." + place.name + ".new";
  unlinkat(place.directory.get(), fresh.c_str(), 0);
  Status status = BindIn(listener.get(), place.directory.get(), fresh);
  if (!status.ok()) return status.error().WithContext(path);
  status = GiveSocket(place, fresh, user_unknown);
  if (status.ok() && listen(listener.get(), kBacklog) != 0) status = ErrnoError(errno, "listen");
  // The socket gets its name when it answers, so nobody is refused while it is replaced.
  if (status.ok() && renameat(place.directory.get(), fresh.c_str(), place.directory.get(),
                              place.name.c_str()) != 0) {
    status = ErrnoError(errno, "put it in its place");
  }
  if (status.ok()) return listener;
  unlinkat(place.directory.get(), fresh.c_str(), 0);
  return status.error().WithContext(path);
}

void RemoveTaskSocket(const std::string& task_dir, const std::string& path) {
  const Result<SocketPlace> place = FindPlace(task_dir, path);
  if (!place.ok()) return;
  struct stat info{};
  const int directory = place->directory.get();
  if (fstatat(directory, place->name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) return;
  if (S_ISSOCK(info.st_mode)) unlinkat(directory, place->name.c_str(), 0);
}

}  // namespace drover
