// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/acl/policy.h"
#include "host/acl/rights.h"

namespace drover {

// A task that asks with its identity. Whoever makes this object has verified the identity.
struct TaskPrincipal {
  std::string job_namespace;
  std::string job;  // of a dispatched or periodic child, the id of its parent
  std::string group;
  std::string task;
  std::string alloc_id;

  bool operator==(const TaskPrincipal&) const = default;
};

// What one client may do: its policies, merged. An object never changes, so threads share it.
//
// Of the rules whose name matches, the closest counts: the one with exactly the name, or else the
// glob with the most characters beside its stars. Rules with the same name are merged. A rule that
// denies wins over all rules as close as itself. [any thread]
class Acl {
 public:
  using Policies = std::vector<std::shared_ptr<const Policy>>;

  // Allows everything.
  static std::shared_ptr<const Acl> Management();
  // Allows what POLICIES grant. The empty list allows nothing.
  static std::shared_ptr<const Acl> Of(const Policies& policies);
  // Allows what POLICIES grant, and beyond that only: to read the services of the namespace of
  // TASK, to read the task's own allocation, and to read and list the variables of its job, at the
  // paths nomad/jobs, nomad/jobs/JOB, nomad/jobs/JOB/GROUP and nomad/jobs/JOB/GROUP/TASK. A job
  // whose id has a "/" has only nomad/jobs, since its paths could be those of another job's groups.
  static std::shared_ptr<const Acl> OfTask(TaskPrincipal task, const Policies& policies);

  bool is_management() const { return is_management_; }
  // The task that asks; absent for all other clients.
  const std::optional<TaskPrincipal>& task() const { return task_; }

  // Whether one of WANTED is granted in NAMESPACE. The namespace "*" means: in any namespace. Then
  // the caller must still ask for each record that it shows.
  bool Allows(std::string_view name_space, RightSet<Capability> wanted) const;
  // Whether anything is granted in NAMESPACE, so that its name may be shown.
  bool AllowsNamespace(std::string_view name_space) const;
  bool Allows(AclArea area, AclLevel wanted) const;
  // Whether a job may mount the host volume called VOLUME.
  bool AllowsVolume(std::string_view volume, VolumeRight wanted) const;
  // For tests, as long as there are no node pools: their rules are read and kept.
  bool AllowsPool(std::string_view pool, PoolRight wanted) const;
  bool AllowsVariable(std::string_view name_space, std::string_view path,
                      VariableRight wanted) const;
  // Whether the client may list variables at any path of NAMESPACE. The caller must still ask for
  // each path that it shows.
  bool AllowsAnyVariable(std::string_view name_space) const;
  // Whether services in NAMESPACE may be read.
  bool AllowsServices(std::string_view name_space) const;
  // Whether the allocation ALLOC_ID, whose job is in NAMESPACE, may be read.
  bool AllowsReadOfAlloc(std::string_view name_space, std::string_view alloc_id) const;

 private:
  // The rights by name, for one kind of rights.
  template <typename Right>
  class Rules {
   public:
    void Add(const std::string& name, RightSet<Right> rights);
    // Must be called after the last Add.
    void Sort();
    // Returns the rights of the closest rule. The empty set if none matches.
    RightSet<Right> Find(std::string_view name) const;
    // Returns whether any rule grants one of WANTED.
    bool AnyGrants(RightSet<Right> wanted) const;

   private:
    struct Glob {
      std::string name;
      RightSet<Right> rights;
    };
    std::map<std::string, RightSet<Right>, std::less<>> exact_;
    std::map<std::string, RightSet<Right>> globs_by_name_;  // until Sort
    std::vector<Glob> globs_;                               // the closest first
  };
  // The globs of a namespace and of a path in it.
  struct PathRule {
    std::string name_space;
    std::string path;
    RightSet<VariableRight> rights;
  };

  Acl(const Policies& policies, std::optional<TaskPrincipal> task);
  void AddPolicy(const Policy& policy);
  void AddPath(const std::string& name_space, const VariableRule& rule);
  void SortPaths();
  RightSet<VariableRight> RightsAt(std::string_view name_space, std::string_view path) const;
  bool IsOwnPath(std::string_view name_space, std::string_view path) const;
  bool IsOwnNamespace(std::string_view name_space) const;
  bool IsDenied(std::string_view name_space) const;

  bool is_management_ = false;
  std::optional<TaskPrincipal> task_;
  // The paths that the task may read in its namespace.
  std::vector<std::string> own_paths_;
  Rules<Capability> namespaces_;
  Rules<VolumeRight> volumes_;
  Rules<PoolRight> pools_;
  std::map<std::pair<std::string, std::string>, RightSet<VariableRight>> paths_;
  std::vector<PathRule> path_globs_;  // the closest first
  std::array<AclLevel, kAclAreas> levels_{};
};

}  // namespace drover
