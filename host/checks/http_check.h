// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/checks/check_plan.h"
#include "host/checks/check_result.h"

namespace drover {

class CheckTls;
class NameLookups;

// Sends the request of a check, and follows at most ten redirects. A status below 400 is success.
// Reads no more of an answer than it keeps. So neither an endless nor a lying server costs more
// than the timeout, after which CONTEXT must end. TLS and NAMES must outlive the call.
Co<CheckAnswer> AskHttp(Context context, std::shared_ptr<const CheckPlan> plan, CheckTls* tls,
                        NameLookups* names);

}  // namespace drover
