// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/api/http_message.h"
#include "host/base/result.h"
#include "host/scheduler/state_event.h"

namespace drover {

std::string_view TopicName(Topic topic);

// Which events a client wants: ?topic=TOPIC or TOPIC:KEY, as often as it likes, where "*" and no
// topic at all stand for all; of one namespace, or of all for "*". A topic that this version does
// not have is no error, it has no events.
class EventFilter {
 public:
  static Result<EventFilter> Parse(const HttpFields& query, std::string job_namespace);

  // A key is the id of a record or that of its job. What is in no namespace is in all.
  bool Wants(const StateEvent& event) const;
  // Equal for filters that choose the same.
  const std::string& key() const { return key_; }

 private:
  std::vector<std::pair<std::string, std::string>> topics_;  // and their keys
  std::string namespace_;
  std::string key_;
};

}  // namespace drover
