// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "sdk/testhost/request.h"

#include "host/spec/strict_json.h"

namespace drover {

Result<Request> Request::Parse(const std::string& text) {
  // What a test sends to a command may be long, and hold any character.
  Result<Json> json = ParseStrictJson(text, {.bytes = text.size(), .nul = true});
  if (!json.ok() || !json->is_object()) {
    const std::string why = json.ok() ? "" : ": " + json.error().message();
    return Error(Code::kInvalidArgument, "a request is one JSON object on one line" + why);
  }
  return Request(std::move(*json));
}

const Request::Json* Request::Find(const char* name) {
  asked_.insert(name);
  const auto found = json_.find(name);
  return found == json_.end() || found->is_null() ? nullptr : &*found;
}

void Request::Wrong(const char* name, const char* wanted) {
  if (wrong_.empty()) wrong_ = std::string("/") + name + ": must be " + wanted;
}

std::string Request::Text(const char* name) {
  if (Find(name) == nullptr) Wrong(name, "given");
  return Text(name, "");
}

std::string Request::Text(const char* name, std::string otherwise) {
  const Json* value = Find(name);
  if (value == nullptr) return otherwise;
  if (value->is_string()) return value->get<std::string>();
  Wrong(name, "a text");
  return otherwise;
}

std::int64_t Request::Number(const char* name, std::int64_t otherwise) {
  const Json* value = Find(name);
  if (value == nullptr) return otherwise;
  if (value->is_number_integer()) return value->get<std::int64_t>();
  Wrong(name, "an integer");
  return otherwise;
}

bool Request::Flag(const char* name, bool otherwise) {
  const Json* value = Find(name);
  if (value == nullptr) return otherwise;
  if (value->is_boolean()) return value->get<bool>();
  Wrong(name, "true or false");
  return otherwise;
}

std::vector<std::string> Request::Texts(const char* name) {
  std::vector<std::string> texts;
  const Json* value = Find(name);
  const bool list = value != nullptr && value->is_array() && !value->empty();
  if (!list) Wrong(name, "a list of texts");
  for (const Json& one : list ? *value : Json::array()) {
    one.is_string() ? texts.push_back(one.get<std::string>()) : Wrong(name, "a list of texts");
  }
  return texts;
}

std::map<std::string, std::string> Request::Pairs(const char* name) {
  std::map<std::string, std::string> pairs;
  const Json* value = Find(name);
  if (value == nullptr) return pairs;
  if (!value->is_object()) {
    Wrong(name, "an object of texts");
    return pairs;
  }
  for (const auto& [key, text] : value->items()) {
    text.is_string() ? (void)pairs.emplace(key, text.get<std::string>())
                     : Wrong(name, "an object of texts");
  }
  return pairs;
}

Request::Json Request::Value(const char* name) {
  const Json* value = Find(name);
  return value == nullptr ? Json() : *value;
}

Status Request::status() const {
  if (!wrong_.empty()) return Error(Code::kInvalidArgument, wrong_);
  for (const auto& [key, value] : json_.items()) {
    if (!asked_.contains(key)) {
      return Error(Code::kInvalidArgument, "/" + key + ": is no member of this request");
    }
  }
  return {};
}

}  // namespace drover
