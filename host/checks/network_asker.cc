// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/checks/network_asker.h"

#include "host/checks/check_connect.h"
#include "host/checks/http_check.h"

namespace drover {
namespace {

Co<CheckAnswer> AskTcp(Context context, std::shared_ptr<const CheckPlan> plan, NameLookups* names) {
  const Result<UniqueFd> connection =
      co_await ConnectForCheck(context, names, plan->alloc_id, plan->host, plan->port);
  CheckAnswer answer;
  answer.status = connection.ok() ? CheckStatus::kSuccess : CheckStatus::kFailure;
  answer.output = connection.ok() ? "nomad: tcp ok" : connection.error().message();
  co_return answer;
}

}  // namespace

Result<std::shared_ptr<TlsContext>> CheckTls::Get(bool skip_verify) {
  std::shared_ptr<TlsContext>& context = contexts_[skip_verify ? 1 : 0];
  if (!context) {
    TlsTrust trust;
    trust.skip_verify = skip_verify;
    DROVER_ASSIGN(context, TlsContext::LoadForClient(trust));
  }
  return context;
}

Co<CheckAnswer> NetworkAsker::Ask(Context context, std::shared_ptr<const CheckPlan> plan) {
  if (plan->check.type == CheckType::kHttp) {
    return AskHttp(context, std::move(plan), &tls_, &names_);
  }
  return AskTcp(context, std::move(plan), &names_);
}

}  // namespace drover
