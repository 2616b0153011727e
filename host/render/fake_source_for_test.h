// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cstddef>
#include <deque>
#include <map>
#include <set>
#include <string>

#include "host/render/value_source.h"

namespace drover {

// A source of the function "key" for tests. A value exists from the first Set on.
class FakeSource : public ValueSource {
 public:
  bool Has(const std::string& function) const override { return function == "key"; }
  Result<std::string> NameOf(const ValueScope&, const ValueRequest& request) override {
    const std::string& key = request.arguments.at(0);
    if (key == "forbidden" || forbidden.contains(key)) {
      return Error(Code::kPermissionDenied, "the task may not read it");
    }
    return "key " + key;
  }
  Co<void> Watch(Context context, ValueScope, ValueRequest request, Publish publish) override {
    const std::string key = request.arguments.at(0);
    ++watched[key];
    Live* const live = &live_.emplace_back(Live{key, publish});
    const auto known = values_.find(key);
    if (known != values_.end()) publish(nlohmann::json(known->second));
    co_await context.Cancelled();
    live->publish = nullptr;
  }

  void Set(const std::string& key, const std::string& value) {
    values_[key] = value;
    Send(key, nlohmann::json(value));
  }
  void Fail(const std::string& key, const std::string& why) {
    Send(key, Error(Code::kUnavailable, why));
  }
  std::string ValueOf(const std::string& key) const { return values_.at(key); }
  // The number of watches of KEY that have not ended.
  long LiveOf(const std::string& key) const {
    return std::count_if(live_.begin(), live_.end(),
                         [&key](const Live& of) { return of.key == key && of.publish; });
  }

  std::map<std::string, int> watched;  // how often each key was watched
  std::set<std::string> forbidden;

 private:
  struct Live {
    std::string key;
    Publish publish;  // empty: the watch has ended
  };
  void Send(const std::string& key, const Result<nlohmann::json>& value) {
    for (std::size_t i = 0; i < live_.size(); ++i) {
      const Publish publish = live_[i].publish;
      if (live_[i].key == key && publish) publish(value);
    }
  }

  std::map<std::string, std::string> values_;
  std::deque<Live> live_;
};

}  // namespace drover
