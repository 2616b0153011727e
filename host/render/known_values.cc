// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/known_values.h"

namespace drover {

Result<nlohmann::json> KnownValues::Value(const ValueRequest& request) {
  const auto found = values_->find(request);
  if (found == values_->end()) return nlohmann::json(nlohmann::json::value_t::discarded);
  return *found->second;
}

const std::string* KnownValues::Env(const std::string& name) {
  const auto found = env_->find(name);
  return found == env_->end() ? nullptr : &found->second;
}

}  // namespace drover
