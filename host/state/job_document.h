// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <utility>

namespace drover {

// A job in the form that clients read. Parsed, it takes six times the memory of the rest of a job,
// and a parent may have thousands of children. So a child shares the object of its parent, whatever
// becomes of the parent, and has only the members by which it differs. A document never changes.
class JobDocument {
 public:
  using Object = std::shared_ptr<const nlohmann::json>;

  JobDocument() = default;  // of a record that is not filled in yet
  // Implicit, since most documents are just an object.
  JobDocument(Object whole) : base_(std::move(whole)) {}  // NOLINT(google-explicit-constructor)

  // Returns this document with the members of CHANGES, an object, instead of its own.
  JobDocument With(const nlohmann::json& changes) const;
  // Returns the same document as a difference from BASE; absent if their groups differ, or BASE has
  // members that this document lacks.
  std::optional<JobDocument> SharedWith(const Object& base) const;

  // Returns all members. Makes the object if the document shares one. Null if there is none.
  Object Whole() const;
  nlohmann::json Copy() const;

  // The parts of the document; `own` is null if `base` is the whole.
  const Object& base() const { return base_; }
  const Object& own() const { return own_; }
  bool HasSameParts(const JobDocument& other) const {
    return base_ == other.base_ && own_ == other.own_;
  }

 private:
  JobDocument(Object base, Object own) : base_(std::move(base)), own_(std::move(own)) {}

  Object base_;
  Object own_;
};

}  // namespace drover
