// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "host/base/co.h"
#include "host/base/result.h"
#include "host/base/unique_fd.h"
#include "host/base/worker_pool.h"

namespace drover {

// Why a user id cannot be lent, or nothing if it can be. An error if that cannot be found out.
using UserObstacle = std::function<Result<std::optional<std::string>>(uid_t uid)>;
// Asks this machine: an id is not lent if the user database has a user or a group with it, nor
// while any process runs as it. Nor are the ids of the agent's processes without rights. Blocks.
Result<std::optional<std::string>> SystemUserObstacle(uid_t uid);

struct UserPoolOptions {
  uid_t first = 0;  // the range of ids, both included
  uid_t last = 0;
  WorkerPool* workers = nullptr;  // asks OBSTACLE; must outlive the pool; null: it is asked at once
  // Only one agent of the machine lends users: the one that holds the lock on this directory, which
  // must exist. Nothing else locks it.
  std::string lock_path;
  UserObstacle obstacle = SystemUserObstacle;
};

// Lends user ids to tasks, one each. A lease ends by GiveBack, and the kernel is asked before the
// id is lent again, so no process of the task before is left then. Control thread only.
//
// The pool itself keeps nothing. Whoever takes an id stores it, and the pool of the next agent
// hears of it by Adopt.
class UserPool {
 public:
  explicit UserPool(UserPoolOptions options);

  // HOLDER has had UID since an earlier agent. UID may be outside of the range. Must be called for
  // all leases of earlier agents before Take.
  void Adopt(const std::string& holder, uid_t uid);
  // Returns the id that HOLDER has, or lends it one: WANTED if that is free, else the one that has
  // been free for the longest time.
  Co<Result<uid_t>> Take(std::string holder, std::optional<uid_t> wanted);
  // Does nothing if HOLDER has none.
  void GiveBack(const std::string& holder);

  bool IsLent(uid_t uid) const { return lent_.count(uid) > 0; }
  bool InRange(uid_t uid) const { return uid >= options_.first && uid <= options_.last; }
  std::size_t leases() const { return by_holder_.size(); }

 private:
  Status Lock();
  Co<Result<uid_t>> Keep(uid_t uid) const;
  std::vector<uid_t> NextFree(uid_t* at, std::uint64_t* seen) const;
  Error UsedUp() const;

  const UserPoolOptions options_;
  UniqueFd lock_;
  uid_t next_;  // the id that is looked at next
  std::map<std::string, uid_t> by_holder_;
  // How many holders each lent id has. Two can have one only if the task of the first has ended,
  // and an agent died before that was noted.
  std::map<uid_t, int> lent_;
};

}  // namespace drover
