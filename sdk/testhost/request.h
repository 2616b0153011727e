// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "host/base/result.h"

namespace drover {

// The members of one request. Call status() after the last member has been read. status() returns
// an error if a member has the wrong type or was never read. So a misspelled name is never ignored.
class Request {
 public:
  using Json = nlohmann::json;

  // Parses TEXT, which must be one JSON object.
  static Result<Request> Parse(const std::string& text);

  std::string Text(const char* name);  // the member must exist
  std::string Text(const char* name, std::string otherwise);
  std::int64_t Number(const char* name, std::int64_t otherwise);
  bool Flag(const char* name, bool otherwise);
  std::vector<std::string> Texts(const char* name);  // the list must exist and not be empty
  // Returns the texts in a member that is an object. The result is empty if the member is missing.
  std::map<std::string, std::string> Pairs(const char* name);
  // Returns a member of any type, or null if it is missing.
  Json Value(const char* name);

  Status status() const;

 private:
  explicit Request(Json json) : json_(std::move(json)) {}
  const Json* Find(const char* name);
  void Wrong(const char* name, const char* wanted);

  Json json_;
  std::set<std::string> asked_;
  std::string wrong_;
};

}  // namespace drover
