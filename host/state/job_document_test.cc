// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/state/job_document.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "host/state/shared_documents.h"

namespace drover {
namespace {

using nlohmann::json;

JobDocument DocumentOf(const json& object) { return std::make_shared<const json>(object); }

// Returns the record of a job with a document that is whole, as it is read from the disk.
std::shared_ptr<const JobRecord> StoredJob(const std::string& id, const std::string& parent,
                                           const json& groups) {
  auto job = std::make_shared<Job>();
  job->id = id;
  job->parent_id = parent;
  if (parent.empty()) job->periodic.emplace();
  auto record = std::make_shared<JobRecord>();
  record->job = std::move(job);
  record->json = DocumentOf({{"ID", id}, {"ParentID", parent}, {"TaskGroups", groups}});
  return record;
}

TEST(JobDocumentTest, ADocumentWithChangesSharesTheRest) {
  const JobDocument parent =
      DocumentOf({{"ID", "p"}, {"Periodic", {{"Spec", "@daily"}}}, {"TaskGroups", {1, 2}}});
  const JobDocument child = parent.With({{"ID", "p/1"}, {"Periodic", nullptr}, {"ParentID", "p"}});
  EXPECT_EQ(
      child.Copy(),
      json({{"ID", "p/1"}, {"Periodic", nullptr}, {"ParentID", "p"}, {"TaskGroups", {1, 2}}}));
  EXPECT_EQ(*child.Whole(), child.Copy());
  EXPECT_EQ(child.base(), parent.Whole()) << "the parent has no copy of its own, either";
  EXPECT_EQ(parent.Copy().at("ID"), "p");
  EXPECT_FALSE(child.HasSameParts(parent));
  // A child of the child has all of it.
  const JobDocument last = child.With({{"ID", "p/1/2"}, {"ParentID", "p/1"}});
  EXPECT_EQ(last.base(), parent.base());
  EXPECT_TRUE(last.Copy().at("Periodic").is_null());
  EXPECT_EQ(last.Copy().at("ParentID"), "p/1");
}

TEST(JobDocumentTest, ADifferenceIsExactOrThereIsNone) {
  const json base = {{"ID", "p"}, {"Meta", {{"a", "b"}}}, {"TaskGroups", {{{"Name", "g"}}}}};
  const JobDocument::Object shared = std::make_shared<const json>(base);
  const auto with = [&base](const std::string& field, const json& value) {
    json changed = base;
    changed[field] = value;
    return DocumentOf(changed);
  };
  for (const JobDocument& one : {with("ID", "c"), with("ParentID", "p"), with("Meta", nullptr),
                                 with("Meta", {{"a", "c"}}), DocumentOf(base)}) {
    const auto found = one.SharedWith(shared);
    ASSERT_TRUE(found.has_value()) << one.Copy();
    EXPECT_EQ(found->Copy(), one.Copy());
    EXPECT_EQ(found->base(), shared);
  }
  EXPECT_EQ(DocumentOf(base).SharedWith(shared)->own(), nullptr);
  EXPECT_FALSE(with("TaskGroups", {{{"Name", "h"}}}).SharedWith(shared).has_value());
  json without = base;
  without.erase("Meta");
  EXPECT_FALSE(DocumentOf(without).SharedWith(shared).has_value());
}

// Such as a parent that was purged, and registered again with another form of a number.
TEST(JobDocumentTest, EachNumberKeepsItsForm) {
  const std::uint64_t largest = ~std::uint64_t{0};
  for (const auto& [first, second] : std::vector<std::pair<json, json>>{
           {1, 1.0}, {1u, 1.0}, {0.0, -0.0}, {-1, largest}, {0, false}, {"", nullptr}}) {
    const auto groups_with = [](const json& number) {
      return json::array({{{"Name", "g"}, {"Config", {{"n", json::array({number})}}}}});
    };
    const auto document = [](const json& meta, const json& groups) {
      return std::make_shared<const json>(json::object({{"Meta", meta}, {"TaskGroups", groups}}));
    };
    const JobDocument child = document(first, groups_with(first));
    EXPECT_FALSE(child.SharedWith(document(first, groups_with(second))).has_value())
        << first << " and " << second;
    const auto found = child.SharedWith(document(second, groups_with(first)));
    ASSERT_TRUE(found.has_value());
    EXPECT_EQ(found->Copy().dump(), child.Copy().dump());
  }
  // What code makes is signed, and what a parser makes is not. The text is the same.
  const json made = json::object({{"TaskGroups", json::array({1, 2})}});
  const auto read = std::make_shared<const json>(json::parse(made.dump()));
  EXPECT_EQ(DocumentOf(made).SharedWith(read)->own(), nullptr);
}

TEST(SharedDocumentsTest, ChildrenShareWithTheirParentInAnyOrder) {
  const json groups = json::array({{{"Name", "g"}}});
  const auto parent = StoredJob("p", "", groups);
  const auto first = StoredJob("p/periodic-1", "p", groups);
  const auto second = StoredJob("p/periodic-2", "p", groups);
  for (const auto& order : {std::vector{parent, first, second}, std::vector{first, second, parent},
                            std::vector{first, second}}) {
    SharedDocuments documents;
    for (const auto& record : order) {
      const auto shared = documents.Share(record);
      EXPECT_EQ(shared->job, record->job);
      EXPECT_EQ(shared->json.Copy(), record->json.Copy());
      EXPECT_EQ(shared->json.base(), order[0]->json.base());
      EXPECT_EQ(documents.Share(shared), shared) << "thousands of allocations may have one record";
    }
  }
}

TEST(SharedDocumentsTest, WhatDiffersIsNotShared) {
  SharedDocuments documents;
  const auto parent = documents.Share(StoredJob("p", "", json::array({2})));
  // The parent has changed since.
  const auto first = documents.Share(StoredJob("p/periodic-1", "p", json::array({1})));
  const auto second = documents.Share(StoredJob("p/periodic-2", "p", json::array({1})));
  const auto third = documents.Share(StoredJob("p/periodic-3", "p", json::array({2})));
  EXPECT_EQ(second->json.base(), first->json.base());
  EXPECT_EQ(third->json.base(), parent->json.base());
  EXPECT_NE(first->json.base(), parent->json.base());
  EXPECT_EQ(first->json.Copy().at("TaskGroups"), json::array({1}));
  // A child of another parent, and a job that has none and starts none.
  const auto other = StoredJob("q/periodic-1", "q", json::array({2}));
  EXPECT_EQ(documents.Share(other), other);
  auto job = std::make_shared<Job>();
  job->id = "p";
  auto plain = std::make_shared<JobRecord>(*parent);
  plain->job = std::move(job);
  EXPECT_EQ(documents.Share(plain), plain);
}

}  // namespace
}  // namespace drover
