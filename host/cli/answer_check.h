// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "host/base/result.h"

namespace drover {

// Returns an error unless ANSWER, which an agent has sent, is an object of JSON. A command that has
// changed or checked something needs this: it must not succeed by an answer that says nothing.
Status CheckIsObject(const nlohmann::json& answer);

// Returns an error unless ANSWER, which an agent has sent, is a list. Otherwise a command would say
// that there are no records, although the answer does not say so.
Status CheckIsList(const nlohmann::json& answer);

}  // namespace drover
