// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/users/user_pool.h"

#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include "host/child/give_up_rights.h"

namespace drover {
namespace {

constexpr std::size_t kAtOnce = 32;  // ids that one call of a worker looks at

// Calls FIND, such as getpwuid_r, until the buffer is large enough. Returns whether it finds an
// entry.
template <typename Entry, typename Find>
Result<bool> HasEntry(Find find, uid_t id) {
  std::vector<char> buffer(16u << 10);
  Entry entry{};
  Entry* found = nullptr;
  int failed = 0;
  while ((failed = find(id, &entry, buffer.data(), buffer.size(), &found)) == ERANGE) {
    buffer.resize(buffer.size() * 2);
  }
  if (found != nullptr) return true;
  if (failed == 0 || failed == ENOENT || failed == ESRCH || failed == EBADF || failed == EPERM) {
    return false;
  }
  return Error(Code::kUnavailable, "the user database: " + std::string(std::strerror(failed)),
               true);
}

// Returns the first of IDS that has no obstacle; nothing if there is none.
Result<std::optional<uid_t>> FirstFree(const std::vector<uid_t>& ids,
                                       const UserObstacle& obstacle) {
  for (const uid_t uid : ids) {
    DROVER_ASSIGN(const std::optional<std::string> why, obstacle(uid));
    if (!why) return std::optional<uid_t>(uid);
  }
  return std::optional<uid_t>();
}

// Runs WORK on WORKERS, or at once if there are none.
template <typename T>
Co<Result<T>> OnWorkers(WorkerPool* workers, std::function<Result<T>()> work) {
  if (workers == nullptr) co_return work();
  co_return co_await workers->Run(std::move(work));
}

}  // namespace

Result<std::optional<std::string>> SystemUserObstacle(uid_t uid) {
  // Such a process may begin at any moment, and a task with its user could change what it does.
  if (uid >= DROVER_FIRST_PROBE_USER && uid <= DROVER_CONFINED_USER) {
    return std::optional<std::string>("is the user of the agent's processes without rights");
  }
  DROVER_ASSIGN(const bool is_user, HasEntry<passwd>(getpwuid_r, uid));
  if (is_user) return std::optional<std::string>("is a user of this machine");
  DROVER_ASSIGN(const bool is_group, HasEntry<group>(getgrgid_r, uid));
  if (is_group) return std::optional<std::string>("is a group of this machine");
  // The kernel knows the priority of a user's processes only if there are any. -1 is also a
  // priority.
  errno = 0;
  (void)getpriority(PRIO_USER, uid);
  if (errno == ESRCH) return std::optional<std::string>();
  return std::optional<std::string>("has processes");
}

UserPool::UserPool(UserPoolOptions options) : options_(std::move(options)), next_(options_.first) {}

// An agent that dies loses the lock at once.
Status UserPool::Lock() {
  if (lock_) return {};
  UniqueFd directory(open(options_.lock_path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!directory) return ErrnoError(errno, options_.lock_path);
  if (flock(directory.get(), LOCK_EX | LOCK_NB) != 0) {
    return Error(Code::kUnavailable,
                 "another agent of this machine gives users to tasks (it has the lock on " +
                     options_.lock_path + "): stop it, or name the user in the job",
                 true);
  }
  lock_ = std::move(directory);
  return {};
}

void UserPool::Adopt(const std::string& holder, uid_t uid) {
  if (!by_holder_.emplace(holder, uid).second) return;
  ++lent_[uid];
}

void UserPool::GiveBack(const std::string& holder) {
  const auto lease = by_holder_.find(holder);
  if (lease == by_holder_.end()) return;
  const auto lent = lent_.find(lease->second);
  if (--lent->second == 0) lent_.erase(lent);
  by_holder_.erase(lease);
}

// A restart of a task keeps its id, unless it has become that of a user of the machine.
Co<Result<uid_t>> UserPool::Keep(uid_t uid) const {
  std::function<Result<bool>()> is_user = [uid]() -> Result<bool> {
    DROVER_ASSIGN(const bool user, HasEntry<passwd>(getpwuid_r, uid));
    DROVER_ASSIGN(const bool group_of, HasEntry<group>(getgrgid_r, uid));
    return user || group_of;
  };
  DROVER_CO_ASSIGN(const bool taken, co_await OnWorkers(options_.workers, std::move(is_user)));
  if (!taken) co_return uid;
  co_return Error(Code::kFailedPrecondition,
                  "the user " + std::to_string(uid) +
                      ", which the agent gave to this task, is a user or a group of this machine "
                      "now: remove that, or run the job again");
}

// Returns some ids from AT on that are not lent, and moves AT behind them. SEEN counts the ids of
// the range that were looked at.
std::vector<uid_t> UserPool::NextFree(uid_t* at, std::uint64_t* seen) const {
  const std::uint64_t size = std::uint64_t{options_.last} - options_.first + 1;
  std::vector<uid_t> free;
  for (; *seen < size && free.size() < kAtOnce; ++*seen) {
    if (lent_.count(*at) == 0) free.push_back(*at);
    *at = *at == options_.last ? options_.first : *at + 1;
  }
  return free;
}

Error UserPool::UsedUp() const {
  return Error(Code::kUnavailable,
               "all users from " + std::to_string(options_.first) + " to " +
                   std::to_string(options_.last) + " are in use, " + std::to_string(lent_.size()) +
                   " of them by tasks: end tasks, or set client { users { dynamic_user_max } } "
                   "of the agent higher",
               true);
}

Co<Result<uid_t>> UserPool::Take(std::string holder, std::optional<uid_t> wanted) {
  DROVER_CO_TRY(Lock());
  if (const auto has = by_holder_.find(holder); has != by_holder_.end()) {
    if (InRange(has->second)) co_return co_await Keep(has->second);
    GiveBack(holder);  // the operator has changed the range
  }
  std::vector<uid_t> ids;
  if (wanted && InRange(*wanted) && lent_.count(*wanted) == 0) ids.push_back(*wanted);
  uid_t at = next_;
  for (std::uint64_t seen = 0;;) {
    if (ids.empty()) ids = NextFree(&at, &seen);
    if (ids.empty()) co_return UsedUp();
    std::function<Result<std::optional<uid_t>>()> find = [ids, obstacle = options_.obstacle] {
      return FirstFree(ids, obstacle);
    };
    DROVER_CO_ASSIGN(const std::optional<uid_t> found,
                     co_await OnWorkers(options_.workers, std::move(find)));
    ids.clear();
    // A call that its hook has given up may have gone on.
    if (const auto has = by_holder_.find(holder); has != by_holder_.end()) co_return has->second;
    if (!found) continue;
    if (lent_.count(*found) > 0) {  // another task has taken it in the meantime
      seen = 0;
      continue;
    }
    Adopt(holder, *found);
    if (found != wanted) next_ = *found == options_.last ? options_.first : *found + 1;
    co_return *found;
  }
}

}  // namespace drover
