// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/acl/acl.h"

#include <algorithm>
#include <cstddef>
#include <functional>
#include <type_traits>

#include "host/base/glob.h"

namespace drover {
namespace {

constexpr std::string_view kAnyNamespace = "*";

// Sets CLOSEST to the rights of the closest of RULES, which are sorted by CLOSENESS, the closest
// first, and of which those count that MATCHES accepts. One that denies wins over equally close
// ones.
template <typename List, typename Matches, typename Closeness>
auto ClosestRights(const List& rules, Matches matches, Closeness closeness) {
  using Set = std::remove_cvref_t<decltype(rules.front().rights)>;
  Set found;
  std::optional<std::size_t> close;
  for (const auto& rule : rules) {
    if (close && closeness(rule) < *close) break;
    if (!matches(rule)) continue;
    if (!close || rule.rights.denies()) found = rule.rights;
    close = closeness(rule);
    if (found.denies()) break;
  }
  return found;
}

// Returns the paths of the variables that TASK may read in its namespace.
std::vector<std::string> OwnPaths(const TaskPrincipal& task) {
  std::vector<std::string> paths = {"nomad/jobs"};
  for (const std::string* part : {&task.job, &task.group, &task.task}) {
    if (part->empty() || part->find('/') != std::string::npos) break;
    paths.push_back(paths.back() + "/" + *part);
  }
  return paths;
}

}  // namespace

template <typename Right>
void Acl::Rules<Right>::Add(const std::string& name, RightSet<Right> rights) {
  (IsGlob(name) ? globs_by_name_[name] : exact_[name]).Merge(rights);
}

template <typename Right>
void Acl::Rules<Right>::Sort() {
  for (const auto& [name, rights] : globs_by_name_) globs_.push_back({name, rights});
  std::ranges::stable_sort(globs_, std::greater<>(),
                           [](const Glob& glob) { return LiteralCount(glob.name); });
  globs_by_name_.clear();
}

template <typename Right>
RightSet<Right> Acl::Rules<Right>::Find(std::string_view name) const {
  if (const auto exact = exact_.find(name); exact != exact_.end()) return exact->second;
  return ClosestRights(
      globs_, [&](const Glob& glob) { return MatchesGlob(glob.name, name); },
      [](const Glob& glob) { return LiteralCount(glob.name); });
}

template <typename Right>
bool Acl::Rules<Right>::AnyGrants(RightSet<Right> wanted) const {
  return std::ranges::any_of(exact_,
                             [&](const auto& one) { return one.second.HasAnyOf(wanted); }) ||
         std::ranges::any_of(globs_,
                             [&](const Glob& glob) { return glob.rights.HasAnyOf(wanted); });
}

std::shared_ptr<const Acl> Acl::Management() {
  static const std::shared_ptr<const Acl> all = [] {
    const std::shared_ptr<Acl> made(new Acl({}, std::nullopt));
    made->is_management_ = true;
    return made;
  }();
  return all;
}

std::shared_ptr<const Acl> Acl::Of(const Policies& policies) {
  return std::shared_ptr<const Acl>(new Acl(policies, std::nullopt));
}

std::shared_ptr<const Acl> Acl::OfTask(TaskPrincipal task, const Policies& policies) {
  return std::shared_ptr<const Acl>(new Acl(policies, std::move(task)));
}

Acl::Acl(const Policies& policies, std::optional<TaskPrincipal> task) {
  // Nobody knows what an unreadable policy denies, so nothing is allowed with it.
  if (std::ranges::any_of(policies, [](const auto& one) { return one->is_unreadable; })) return;
  task_ = std::move(task);
  if (task_) own_paths_ = OwnPaths(*task_);
  for (const auto& policy : policies) AddPolicy(*policy);
  namespaces_.Sort();
  volumes_.Sort();
  pools_.Sort();
  SortPaths();
}

void Acl::AddPolicy(const Policy& policy) {
  for (const NamespaceRule& rule : policy.namespaces) {
    namespaces_.Add(rule.name, rule.capabilities);
    for (const VariableRule& path : rule.variables) AddPath(rule.name, path);
  }
  for (const VolumeRule& rule : policy.volumes) volumes_.Add(rule.name, rule.rights);
  for (const PoolRule& rule : policy.pools) pools_.Add(rule.name, rule.rights);
  for (std::size_t i = 0; i < levels_.size(); ++i) {
    // The levels are in the order in which they win.
    levels_[i] = std::max(levels_[i], policy.levels[i]);
  }
}

void Acl::AddPath(const std::string& name_space, const VariableRule& rule) {
  paths_[{name_space, rule.path}].Merge(rule.rights);
}

// Moves the globs out of paths_.
void Acl::SortPaths() {
  for (auto at = paths_.begin(); at != paths_.end();) {
    const auto& [name_space, path] = at->first;
    if (!IsGlob(name_space) && !IsGlob(path)) {
      ++at;
      continue;
    }
    path_globs_.push_back({name_space, path, at->second});
    at = paths_.erase(at);
  }
  std::ranges::stable_sort(path_globs_, std::greater<>(), [](const PathRule& rule) {
    return LiteralCount(rule.name_space) + LiteralCount(rule.path);
  });
}

bool Acl::IsOwnNamespace(std::string_view name_space) const {
  return task_ && task_->job_namespace == name_space;
}

bool Acl::IsOwnPath(std::string_view name_space, std::string_view path) const {
  return IsOwnNamespace(name_space) && std::ranges::find(own_paths_, path) != own_paths_.end();
}

bool Acl::IsDenied(std::string_view name_space) const {
  return namespaces_.Find(name_space).denies();
}

bool Acl::Allows(std::string_view name_space, RightSet<Capability> wanted) const {
  if (is_management_) return true;
  if (wanted.denies()) return false;
  if (name_space == kAnyNamespace) return namespaces_.AnyGrants(wanted);
  return namespaces_.Find(name_space).HasAnyOf(wanted);
}

bool Acl::AllowsNamespace(std::string_view name_space) const {
  if (is_management_) return true;
  const RightSet<Capability> rights = namespaces_.Find(name_space);
  return !rights.denies() && (!rights.empty() || IsOwnNamespace(name_space));
}

bool Acl::Allows(AclArea area, AclLevel wanted) const {
  if (is_management_) return true;
  const AclLevel level = levels_[static_cast<std::size_t>(area)];
  return wanted != AclLevel::kUnset && wanted != AclLevel::kDeny && level != AclLevel::kDeny &&
         level >= wanted;
}

bool Acl::AllowsVolume(std::string_view volume, VolumeRight wanted) const {
  return is_management_ || (wanted != VolumeRight::kDeny && volumes_.Find(volume).Has(wanted));
}

bool Acl::AllowsPool(std::string_view pool, PoolRight wanted) const {
  return is_management_ || (wanted != PoolRight::kDeny && pools_.Find(pool).Has(wanted));
}

RightSet<VariableRight> Acl::RightsAt(std::string_view name_space, std::string_view path) const {
  const auto exact = paths_.find({std::string(name_space), std::string(path)});
  if (exact != paths_.end()) {
    RightSet<VariableRight> rights = exact->second;
    if (IsOwnPath(name_space, path)) rights.Merge({VariableRight::kRead, VariableRight::kList});
    return rights;
  }
  const RightSet<VariableRight> closest = ClosestRights(
      path_globs_,
      [&](const PathRule& rule) {
        return MatchesGlob(rule.name_space, name_space) && MatchesGlob(rule.path, path);
      },
      [](const PathRule& rule) { return LiteralCount(rule.name_space) + LiteralCount(rule.path); });
  if (!IsOwnPath(name_space, path)) return closest;
  // The own path is closer than any glob, but a policy of the job adds to it.
  RightSet<VariableRight> own = {VariableRight::kRead, VariableRight::kList};
  if (!closest.denies()) own.Merge(closest);
  return own;
}

bool Acl::AllowsVariable(std::string_view name_space, std::string_view path,
                         VariableRight wanted) const {
  if (is_management_) return true;
  return wanted != VariableRight::kDeny && !IsDenied(name_space) &&
         RightsAt(name_space, path).Has(wanted);
}

bool Acl::AllowsAnyVariable(std::string_view name_space) const {
  if (is_management_) return true;
  const auto grants = [&](const std::string& name, RightSet<VariableRight> rights) {
    return rights.Has(VariableRight::kList) &&
           (name_space == kAnyNamespace || MatchesGlob(name, name_space));
  };
  if (name_space == kAnyNamespace) {
    if (task_ && !IsDenied(task_->job_namespace)) return true;
  } else {
    if (IsDenied(name_space)) return false;
    if (IsOwnNamespace(name_space)) return true;
  }
  return std::ranges::any_of(
             paths_, [&](const auto& one) { return grants(one.first.first, one.second); }) ||
         std::ranges::any_of(path_globs_, [&](const PathRule& rule) {
           return grants(rule.name_space, rule.rights);
         });
}

bool Acl::AllowsServices(std::string_view name_space) const {
  if (Allows(name_space, {Capability::kReadJob})) return true;
  if (!task_) return false;
  if (name_space == kAnyNamespace) return !IsDenied(task_->job_namespace);
  return IsOwnNamespace(name_space) && !IsDenied(name_space);
}

bool Acl::AllowsReadOfAlloc(std::string_view name_space, std::string_view alloc_id) const {
  if (Allows(name_space, {Capability::kReadJob})) return true;
  return IsOwnNamespace(name_space) && task_->alloc_id == alloc_id && !IsDenied(name_space);
}

}  // namespace drover
