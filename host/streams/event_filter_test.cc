// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/streams/event_filter.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

StateEvent EvalEvent() {
  auto eval = std::make_shared<Evaluation>();
  eval->id = "e1";
  eval->job_id = "web";
  eval->job_namespace = "team";
  return {std::shared_ptr<const Evaluation>(eval)};
}

StateEvent NodeEvent() {
  auto node = std::make_shared<NodeRecord>();
  node->id = "n1";
  return {std::shared_ptr<const NodeRecord>(node)};
}

TEST(EventFilterTest, AServiceIsFoundByItsNameItsJobAndItsAllocation) {
  auto service = std::make_shared<ServiceRegistration>();
  service->id = "s1";
  service->name = "api";
  service->service_namespace = "team";
  service->job_id = "web";
  service->alloc_id = "a1";
  const StateEvent event = {std::shared_ptr<const ServiceRegistration>(service)};
  const auto wants = [&event](const std::string& topic, const char* job_namespace) {
    return EventFilter::Parse({{"topic", topic}}, job_namespace).value().Wants(event);
  };
  for (const char* key : {"", ":*", ":s1", ":api", ":web", ":a1"}) {
    EXPECT_TRUE(wants(std::string("Service") + key, "team")) << key;
    EXPECT_FALSE(wants(std::string("Service") + key, "default")) << key;
  }
  EXPECT_FALSE(wants("Service:other", "team"));
  EXPECT_FALSE(wants("Allocation:a1", "team"));
}

struct Case {
  HttpFields query;
  const char* job_namespace;
  bool eval;
  bool node;
};

TEST(EventFilterTest, WantsWhatItsTopicsName) {
  const Case cases[] = {
      {{}, "*", true, true},
      {{}, "team", true, true},
      {{}, "default", false, true},
      {{{"topic", "*"}}, "*", true, true},
      {{{"topic", "*:web"}}, "*", true, false},
      {{{"topic", "*:n1"}}, "*", false, true},
      {{{"topic", "Evaluation"}}, "*", true, false},
      {{{"topic", "Evaluation:"}}, "*", true, false},
      {{{"topic", "Evaluation:*"}}, "*", true, false},
      {{{"topic", "Evaluation:e1"}}, "*", true, false},
      {{{"topic", "Evaluation:web"}}, "*", true, false},
      {{{"topic", "Evaluation:e2"}}, "*", false, false},
      {{{"topic", "Job:web"}}, "*", false, false},
      {{{"topic", "Deployment"}}, "*", false, false},
      {{{"topic", "Deployment"}, {"index", "1"}, {"topic", "Node"}}, "*", false, true},
  };
  for (const Case& c : cases) {
    const Result<EventFilter> filter = EventFilter::Parse(c.query, c.job_namespace);
    const std::string what = c.query.empty() ? c.job_namespace : c.query[0].second;
    ASSERT_TRUE(filter.ok()) << what;
    EXPECT_EQ(filter->Wants(EvalEvent()), c.eval) << what;
    EXPECT_EQ(filter->Wants(NodeEvent()), c.node) << what;
  }
}

TEST(EventFilterTest, OnlyFiltersThatWantTheSameHaveTheSameKey) {
  const auto key = [](const HttpFields& query, const char* job_namespace) {
    return EventFilter::Parse(query, job_namespace).value().key();
  };
  EXPECT_EQ(key({{"topic", "Job:k"}, {"index", "1"}}, "a"), key({{"topic", "Job:k"}}, "a"));
  EXPECT_NE(key({}, "a\nJob\nk"), key({{"topic", "Job:k"}, {"topic", "*"}}, "a"));
  EXPECT_NE(key({{"topic", "Job:a\nNode"}}, "a"), key({{"topic", "Job"}, {"topic", "Node"}}, "a"));
  EXPECT_NE(key({{"topic", "Job:1"}}, "a3:Job"), key({{"topic", "Job"}, {"topic", "Job:1"}}, "a"));
}

TEST(EventFilterTest, ALimitAsksForEachEventWithANamespace) {
  EventFilter filter = EventFilter::Parse({}, "*").value();
  const std::string everything = filter.key();
  filter.LimitTo("a", [](const StateEvent& event) { return event.Key() == "e1"; });
  EXPECT_TRUE(filter.Wants(EvalEvent()));
  EXPECT_TRUE(filter.Wants(NodeEvent())) << "a node has no namespace";
  EXPECT_NE(filter.key(), everything);
  filter.LimitTo("b", [](const StateEvent&) { return false; });
  EXPECT_FALSE(filter.Wants(EvalEvent()));
  EXPECT_TRUE(filter.Wants(NodeEvent()));
}

TEST(EventFilterTest, ATopicHasOneKey) {
  const Result<EventFilter> filter = EventFilter::Parse({{"topic", "Job:a:b"}}, "*");
  ASSERT_FALSE(filter.ok());
  EXPECT_EQ(filter.error().message().find(
                "Invalid topic query: Invalid key value pair for topic: Job:a:b"),
            0u);
}

}  // namespace
}  // namespace drover
