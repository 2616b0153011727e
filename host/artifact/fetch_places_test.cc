// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/fetch_places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <utility>
#include <vector>

#include "host/base/gate.h"
#include "host/base/loop.h"

namespace drover {
namespace {

using testing::ElementsAre;

struct FetchPlacesTest : testing::Test {
  // Takes a place for JOB. Keeps it until it is taken out of HELD.
  void Take(const std::string& job, const Context& context) {
    gate.Spawn(Hold(this, job, context));
    loop.RunReady();
  }
  static Co<void> Hold(FetchPlacesTest* self, std::string job, Context context) {
    Result<FetchPlaces::Place> place = co_await self->places.Take(context, job);
    if (!place.ok()) {
      self->failed.push_back(job);
      co_return;
    }
    self->began.push_back(job);
    self->held.emplace(job, std::move(*place));
  }
  void End(const std::string& job) {
    held.erase(held.find(job));
    loop.RunReady();
  }

  SimLoop loop;
  Context whole{&loop};
  FetchPlaces places{&loop, 3, 2};
  std::multimap<std::string, FetchPlaces::Place> held;
  std::vector<std::string> began, failed;
  Gate gate{&loop};
};

TEST_F(FetchPlacesTest, AJobGetsOnlyItsPart) {
  for (int i = 0; i < 3; ++i) Take("a", whole);
  Take("b", whole);
  EXPECT_THAT(began, ElementsAre("a", "a", "b"));
  End("b");
  EXPECT_THAT(began, ElementsAre("a", "a", "b"));
  End("a");
  EXPECT_THAT(began, ElementsAre("a", "a", "b", "a"));
}

TEST_F(FetchPlacesTest, AllPlacesTogetherAreBounded) {
  for (const char* job : {"a", "b", "c", "d"}) Take(job, whole);
  EXPECT_THAT(began, ElementsAre("a", "b", "c"));
  End("c");
  EXPECT_THAT(began, ElementsAre("a", "b", "c", "d"));
}

TEST_F(FetchPlacesTest, WhoNoLongerWaitsTakesNoPlace) {
  Take("a", whole);
  Take("a", whole);
  Context leaves = whole.Child();
  Take("a", leaves);
  leaves.Cancel("the task is killed");
  loop.RunReady();
  EXPECT_THAT(failed, ElementsAre("a"));
  End("a");
  End("a");
  for (int i = 0; i < 2; ++i) Take("a", whole);
  EXPECT_EQ(began.size(), 4u);
}

}  // namespace
}  // namespace drover
