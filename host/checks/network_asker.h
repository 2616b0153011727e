// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/checks/check_asker.h"
#include "host/checks/name_lookups.h"
#include "host/http/tls_stream.h"

namespace drover {

// The TLS rules of checks: one context for those that verify the server's certificate by the
// authorities of the system, and one for those that do not. Belongs to one thread.
class CheckTls {
 public:
  Result<std::shared_ptr<TlsContext>> Get(bool skip_verify);

 private:
  std::shared_ptr<TlsContext> contexts_[2];  // null until they are needed
};

// Asks checks that connect to a port, over TCP or HTTP. Belongs to one thread.
class NetworkAsker : public CheckAsker {
 public:
  Co<CheckAnswer> Ask(Context context, std::shared_ptr<const CheckPlan> plan) override;

 private:
  CheckTls tls_;
  NameLookups names_;
};

}  // namespace drover
