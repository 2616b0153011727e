// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/event_filter.h"

#include <algorithm>

namespace drover {

std::string_view TopicName(Topic topic) {
  switch (topic) {
    case Topic::kJob:
      return "Job";
    case Topic::kEvaluation:
      return "Evaluation";
    case Topic::kAllocation:
      return "Allocation";
    case Topic::kNode:
      return "Node";
    case Topic::kService:
      return "Service";
    case Topic::kVariable:
      return "Variable";
    case Topic::kVolume:
      return "HostVolume";
    case Topic::kDeployment:
      return "Deployment";
    case Topic::kLaunch:
    case Topic::kSchedulerConfig:
      return "";
    case Topic::kJobRestart:
      return "JobRestart";
  }
  return "";
}

Result<EventFilter> EventFilter::Parse(const HttpFields& query, std::string job_namespace) {
  EventFilter filter;
  filter.namespace_ = std::move(job_namespace);
  for (const auto& [name, value] : query) {
    if (name != "topic") continue;
    const std::size_t colon = value.find(':');
    if (colon != std::string::npos && value.find(':', colon + 1) != std::string::npos) {
      return Error(Code::kInvalidArgument,
                   "Invalid topic query: Invalid key value pair for topic: " + value +
                       ": a topic is TOPIC or TOPIC:KEY");
    }
    const std::string key = colon == std::string::npos ? "*" : value.substr(colon + 1);
    filter.topics_.emplace_back(value.substr(0, colon), key.empty() ? "*" : key);
  }
  if (filter.topics_.empty()) filter.topics_.emplace_back("*", "*");
  filter.SetKey("");
  return filter;
}

void EventFilter::LimitTo(const std::string& who, MaySee may_see) {
  may_see_ = std::move(may_see);
  SetKey(who);
}

void EventFilter::SetKey(const std::string& who) {
  key_.clear();
  const auto add = [this](const std::string& part) {
    // The key of the filter contains the size of each PART. Different filters thus have different
    // keys, whatever characters the parts contain.
    key_ += std::to_string(part.size()) + ':' + part;
  };
  add(who);
  add(namespace_);
  for (const auto& [topic, key] : topics_) {
    add(topic);
    add(key);
  }
}

std::vector<std::string> EventFilter::Topics() const {
  std::vector<std::string> topics;
  for (const auto& [topic, key] : topics_) topics.push_back(topic);
  return topics;
}

bool EventFilter::Wants(const StateEvent& event) const {
  const std::string& of = event.Namespace();
  if (!of.empty() && namespace_ != "*" && namespace_ != of) return false;
  if (!of.empty() && may_see_ && !may_see_(event)) return false;
  const std::string_view topic = TopicName(event.topic());
  for (const auto& [wanted, key] : topics_) {
    if (wanted != "*" && wanted != topic) continue;
    if (key == "*" || key == event.Key()) return true;
    const std::vector<std::string> more = event.FilterKeys();
    if (std::find(more.begin(), more.end(), key) != more.end()) return true;
  }
  return false;
}

}  // namespace drover
