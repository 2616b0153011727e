// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.h"
#include "host/http/http_message.h"
#include "host/scheduler/state_event.h"

namespace drover {

std::string_view TopicName(Topic topic);

// Chooses the events that a client wants by any number of ?topic=TOPIC or ?topic=TOPIC:KEY. "*", or
// no topic at all, stands for all. The events are of one namespace, or of all for "*". A topic that
// this version does not have is not an error; it has no events.
class EventFilter {
 public:
  static Result<EventFilter> Parse(const HttpFields& query, std::string job_namespace);

  // A key is the id of a record or of its job. Events without a namespace belong to all namespaces.
  bool Wants(const StateEvent& event) const;
  // Equal for filters that choose the same events.
  const std::string& key() const { return key_; }

 private:
  std::vector<std::pair<std::string, std::string>> topics_;  // and their keys
  std::string namespace_;
  std::string key_;
};

}  // namespace drover
