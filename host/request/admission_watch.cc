// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/request/admission_watch.h"

#include <memory>
#include <utility>

#include "host/request/admission.h"

namespace drover {

Status AdmissionWatch::Check() {
  const ApiAgent& agent = request_->agent();
  if (agent.resolver == nullptr) return {};
  Loop* const loop = request_->exchange()->loop();
  // Read before the look-up, so that the next call sees a change that comes between.
  const AclResolver::Stamp stamp = agent.resolver->StampNow();
  const Caller& caller = request_->caller();
  const AclPrincipal& before = caller.principal;
  // A token ends with its time, and the identity of a task with its allocation.
  const bool may_have_ended =
      before.acl->task() || (before.token != nullptr && before.token->IsExpired(loop->Wall()));
  if (stamp_ == stamp && !may_have_ended) return {};
  Admission admission =
      Admit(agent, caller.entrance, request_->http(), caller.access, request_->parameters(), loop);
  if (admission.refusal) return Error(Code::kPermissionDenied, "Permission denied");
  request_->SetPrincipal(std::move(admission.caller.principal));
  stamp_ = stamp;
  return {};
}

std::function<Status()> WatchAdmission(ApiRequest* request) {
  return [watch = std::make_shared<AdmissionWatch>(request)] { return watch->Check(); };
}

}  // namespace drover
