// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "host/base/result.h"
#include "host/http/http_message.h"
#include "host/state/state_event.h"

namespace drover {

std::string_view TopicName(Topic topic);

// Chooses the events that a client wants by any number of ?topic=TOPIC or ?topic=TOPIC:KEY. The
// topic "*" means all topics. A query without a topic also means all topics. The filter chooses the
// events of one namespace, or of all namespaces for "*". A topic that this version does not have is
// no error, but it has no events.
class EventFilter {
 public:
  static Result<EventFilter> Parse(const HttpFields& query, std::string job_namespace);

  // Also asks MAY_SEE for each event that has a namespace. WHO names what MAY_SEE allows: filters
  // with the same text must allow the same. Replaces what an earlier call has set.
  using MaySee = std::function<bool(const StateEvent& event)>;
  void LimitTo(const std::string& who, MaySee may_see);

  // Returns the topics that the query names, or "*" for all of them.
  std::vector<std::string> Topics() const;
  // Returns whether the client wants EVENT. A KEY of the query matches the id of a record or one of
  // its filter keys, such as the id of its job. Events without a namespace belong to all
  // namespaces.
  bool Wants(const StateEvent& event) const;
  // Returns the key of the filter. Filters with equal keys choose the same events.
  const std::string& key() const { return key_; }

 private:
  void SetKey(const std::string& who);

  std::vector<std::pair<std::string, std::string>> topics_;  // each topic with its key
  std::string namespace_;
  MaySee may_see_;  // empty: everything
  std::string key_;
};

}  // namespace drover
