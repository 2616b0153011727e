// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/job_document.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace drover {

using nlohmann::json;

namespace {

// Returns whether A and B have the same text. For nlohmann's library, 1 equals 1.0, and -1 equals
// the largest number without a sign.
bool IsSameText(const json& a, const json& b) {
  if (a.is_object() && b.is_object()) {
    const auto is_same = [](const auto& x, const auto& y) {
      return x.first == y.first && IsSameText(x.second, y.second);
    };
    return std::ranges::equal(a.get_ref<const json::object_t&>(),
                              b.get_ref<const json::object_t&>(), is_same);
  }
  if (a.is_array() && b.is_array()) {
    return std::ranges::equal(a.get_ref<const json::array_t&>(), b.get_ref<const json::array_t&>(),
                              IsSameText);
  }
  if (a != b) return false;
  const bool has_one_form = a.type() == b.type() && !a.is_number_float();
  return has_one_form || a.dump() == b.dump();
}

// Returns whether the groups of A and B have the same text. They are nearly all of a job.
bool HaveSameGroups(const json& a, const json& b) {
  const auto left = a.find("TaskGroups"), right = b.find("TaskGroups");
  if (left == a.end() || right == b.end()) return left == a.end() && right == b.end();
  return IsSameText(*left, *right);
}

}  // namespace

JobDocument JobDocument::With(const json& changes) const {
  json own = own_ == nullptr ? json::object() : *own_;
  own.update(changes);
  return {base_, std::make_shared<const json>(std::move(own))};
}

std::optional<JobDocument> JobDocument::SharedWith(const Object& base) const {
  const Object whole = Whole();
  if (!HaveSameGroups(*whole, *base)) return std::nullopt;
  json own = json::object();
  for (const auto& [key, value] : whole->items()) {
    if (key == "TaskGroups") continue;
    const auto of_base = base->find(key);
    if (of_base != base->end() && IsSameText(*of_base, value)) continue;
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
