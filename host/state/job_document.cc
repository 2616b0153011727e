// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/job_document.h"

#include <nlohmann/json.hpp>

namespace drover {

using nlohmann::json;

JobDocument JobDocument::With(const json& changes) const {
  json own = own_ == nullptr ? json::object() : *own_;
  own.update(changes);
  return {base_, std::make_shared<const json>(std::move(own))};
}

std::optional<JobDocument> JobDocument::SharedWith(const Object& base) const {
  const Object whole = Whole();
  json own = json::object();
  for (const auto& [key, value] : whole->items()) {
    const auto of_base = base->find(key);
    if (of_base != base->end() && *of_base == value) continue;
    if (key == "TaskGroups") return std::nullopt;  // nearly all of a job
    own[key] = value;
  }
  for (const auto& [key, value] : base->items()) {
    if (!whole->contains(key)) return std::nullopt;
  }
  if (own.empty()) return JobDocument(base);
  return JobDocument(base, std::make_shared<const json>(std::move(own)));
}

JobDocument::Object JobDocument::Whole() const {
  return own_ == nullptr ? base_ : std::make_shared<const json>(Copy());
}

json JobDocument::Copy() const {
  json whole = *base_;
  if (own_ != nullptr) whole.update(*own_);
  return whole;
}

}  // namespace drover
