// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "host/acl/acl.h"
#include "host/base/callback_list.h"
#include "host/identity/sealing.h"
#include "host/render/value_source.h"
#include "host/state/state_store.h"

namespace drover {

// Where the values of this agent's own state come from. The pointers are not owned.
struct StateValuesOptions {
  StateStore* store = nullptr;
  std::shared_ptr<const SealKey> seal_key;
  // Returns what a task may do. Empty: what a task may do without policies.
  std::function<std::shared_ptr<const Acl>(const TaskPrincipal& task)> acl_of;
  // Calls its argument after each change of what tasks may do. Empty: that does not change.
  std::function<Subscription(std::function<void()> changed)> on_policies;
};

// The services and the variables of this agent as values of templates:
//   nomadService NAME, nomadService COUNT KEY NAME   a list of instances, by their ids
//   nomadServices                                    a list of {"Name", "Tags"}, by name
//   nomadVar PATH                                    {"Path", "Namespace", "Items", ...}
//   nomadVarExists PATH                              true or false
//   nomadVarList [PREFIX], nomadVarListSafe [PREFIX] a list of the variables without their items
// A name of a service may be NAME, TAG.NAME, and have @REGION behind it; a path of a variable may
// have @NAMESPACE. A task reads what its identity may read. Control thread only.
class StateValues : public ValueSource {
 public:
  explicit StateValues(StateValuesOptions options) : options_(std::move(options)) {}

  bool Has(const std::string& function) const override;
  Result<std::string> NameOf(const ValueScope& scope, const ValueRequest& request) override;
  Co<void> Watch(Context context, ValueScope scope, ValueRequest request, Publish publish) override;

 private:
  std::shared_ptr<const Acl> AclOf(const ValueScope& scope) const;
  struct Found;
  Found Look(const ValueScope& scope, const ValueRequest& request) const;
  // Returns the value of REQUEST; a discarded one if there is none yet.
  Result<nlohmann::json> ValueOf(const ValueScope& scope, const ValueRequest& request,
                                 const Found& found) const;

  const StateValuesOptions options_;
};

}  // namespace drover
