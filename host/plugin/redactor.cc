// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/redactor.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string_view>
#include <utility>

namespace drover {
namespace {

using nlohmann::json;

// A shorter text would be found in words that have nothing to do with it.
constexpr std::size_t kShortestSecret = 3;
constexpr std::size_t kMostSecrets = 256;  // of one configuration
constexpr std::string_view kRedacted = "<redacted>";

// Returns the first part of POINTER, in which "~1" is "/" and "~0" is "~", and cuts it off.
std::string TakePart(std::string_view* pointer) {
  pointer->remove_prefix(1);
  const std::size_t end = std::min(pointer->find('/'), pointer->size());
  std::string part;
  for (std::size_t i = 0; i < end; ++i) {
    const bool escaped = (*pointer)[i] == '~' && i + 1 < end;
    if (escaped && (*pointer)[i + 1] == '1') {
      part += '/', ++i;
    } else if (escaped && (*pointer)[i + 1] == '0') {
      part += '~', ++i;
    } else {
      part += (*pointer)[i];
    }
  }
  pointer->remove_prefix(end);
  return part;
}

// Adds all texts and numbers in VALUE to OUT.
void AddAll(const json& value, std::vector<std::string>* out) {
  if (value.is_structured()) {
    for (const json& inner : value) AddAll(inner, out);
    return;
  }
  std::string text;
  if (value.is_string()) text = value.get<std::string>();
  if (value.is_number()) text = value.dump();
  if (text.size() >= kShortestSecret && out->size() < kMostSecrets) out->push_back(std::move(text));
}

// The depth of the recursion is that of POINTER, which has at most some hundred bytes.
void AddAt(const json& value, std::string_view pointer, std::vector<std::string>* out) {
  if (pointer.empty() || pointer[0] != '/') return AddAll(value, out);
  const std::string part = TakePart(&pointer);
  if (part == "*") {
    if (!value.is_structured()) return;
    for (const json& inner : value) AddAt(inner, pointer, out);
  } else if (value.is_object()) {
    if (const auto found = value.find(part); found != value.end()) AddAt(*found, pointer, out);
  } else if (value.is_array()) {
    const bool number = !part.empty() && part.size() < 6 &&
                        std::ranges::all_of(part, [](char c) { return c >= '0' && c <= '9'; });
    const std::size_t index = number ? std::stoul(part) : value.size();
    if (index < value.size()) AddAt(value[index], pointer, out);
  }
}

std::string Without(const std::vector<std::string>& secrets, std::string text) {
  for (const std::string& secret : secrets) {
    for (std::size_t at = text.find(secret); at != std::string::npos;
         at = text.find(secret, at + kRedacted.size())) {
      text.replace(at, secret.size(), kRedacted);
    }
  }
  return text;
}

}  // namespace

void Redactor::SetPlaces(std::vector<std::string> pointers) {
  const std::lock_guard lock(mutex_);
  places_ = std::move(pointers);
}

Redactor::Secrets Redactor::SecretsIn(const std::string& config_json) const {
  Secrets secrets;
  if (places_.empty()) return secrets;
  const json config = json::parse(config_json, nullptr, /*allow_exceptions=*/false);
  if (config.is_discarded()) return secrets;
  for (const std::string& place : places_) AddAt(config, place, &secrets);
  // A secret may be a part of another one.
  std::ranges::sort(secrets, [](const std::string& a, const std::string& b) {
    return a.size() != b.size() ? a.size() > b.size() : a < b;
  });
  secrets.erase(std::unique(secrets.begin(), secrets.end()), secrets.end());
  return secrets;
}

void Redactor::Learn(const RunId& run, const std::string& config_json) {
  const std::lock_guard lock(mutex_);
  Secrets secrets = SecretsIn(config_json);
  if (!secrets.empty()) secrets_[run] = std::move(secrets);
}

void Redactor::Forget(const RunId& run) {
  const std::lock_guard lock(mutex_);
  secrets_.erase(run);
}

std::string Redactor::Clean(std::string text) const {
  const std::lock_guard lock(mutex_);
  for (const auto& [run, secrets] : secrets_) text = Without(secrets, std::move(text));
  return text;
}

TaskProgress Redactor::Clean(TaskProgress progress) const {
  for (std::string* text : {&progress.phase, &progress.unit, &progress.text}) {
    *text = Clean(std::move(*text));
  }
  return progress;
}

std::string Redactor::CleanFor(const std::string& config_json, std::string text) const {
  const std::lock_guard lock(mutex_);
  return Without(SecretsIn(config_json), std::move(text));
}

}  // namespace drover
