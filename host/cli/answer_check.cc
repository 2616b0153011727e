// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/answer_check.h"

#include <nlohmann/json.hpp>

namespace drover {

Status CheckIsObject(const nlohmann::json& answer) {
  if (answer.is_object()) return {};
  return Error(Code::kInternal, "the answer is no JSON object: is it an agent?");
}

Status CheckIsList(const nlohmann::json& answer) {
  if (answer.is_array()) return {};
  return Error(Code::kInternal, "the answer is no JSON list: is it an agent?");
}

}  // namespace drover
