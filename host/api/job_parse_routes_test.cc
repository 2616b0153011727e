// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "host/api/api_fixture.h"

// tests/e2e/test_hcl.py has the texts that are read; here are those that need no reader.
namespace drover {
namespace {

using nlohmann::json;

class JobParseRouteTest : public ApiFixture {};

// A request of CLIENT, which runs until it is answered.
struct Parse {
  Parse(Loop* loop, const ApiAgent* agent, const std::string& client)
      : exchange(loop, "/v1/jobs/parse", ""), request(&exchange, agent, {}) {
    exchange.Send("PUT", R"({"JobHCL": "job \"a\" {}"})");
    exchange.From(client);
    loop->Spawn(Run(this));
  }
  static Co<void> Run(Parse* self) {
    self->answer.emplace(co_await self->route.handler(&self->request));
  }

  FakeExchange exchange;
  ApiRequest request;
  const Route route = JobParseRoutes().front();
  std::optional<Answer> answer;
};

TEST_F(JobParseRouteTest, WhatIsNoTextInHclIsRefused) {
  const auto refusal = [this](const json& body) { return Refusal("PUT", "/v1/jobs/parse", body); };
  EXPECT_EQ(refusal(json::object()), "400 Job spec is empty");
  EXPECT_EQ(refusal({{"JobHCL", ""}}), "400 Job spec is empty");
  for (const char* key : {"HCLv1", "hclv1"}) {
    EXPECT_EQ(refusal({{"JobHCL", "job \"a\" {}"}, {key, true}}),
              "400 Failed to parse job: HCLv1 is not supported: write the job in HCL2");
  }
  EXPECT_EQ(refusal({{"JobHCL", "{\"Job\": {}}"}}),
            "400 Failed to parse job: it is JSON and not HCL: send it to /v1/jobs");
  EXPECT_EQ(refusal({{"JobHCL", 7}}).substr(0, 3), "400");
  EXPECT_EQ(Refusal("GET", "/v1/jobs/parse"), "405 Invalid method");
}

TEST_F(JobParseRouteTest, ATextWaitsForItsTurnAndAClientDoesNotFillTheQueue) {
  const auto turns =
      Await<Result<ByteBudget::Share>>(agent_.hcl_turns->Take(context, ApiAgent::kHclTurns));
  ASSERT_TRUE(turns.ok());
  std::vector<std::unique_ptr<Parse>> waiting;
  const auto ask = [&](const std::string& client) {
    waiting.push_back(std::make_unique<Parse>(&loop, &agent_, client));
    loop.RunReady();
    return waiting.back().get();
  };
  for (int i = 0; i < 32; ++i) EXPECT_FALSE(ask("a")->answer) << i;
  const Parse* const too_many = ask("a");
  ASSERT_TRUE(too_many->answer);
  EXPECT_EQ(too_many->answer->reply.status, 429);
  const Parse* const other = ask("b");
  EXPECT_FALSE(other->answer) << "it has its own places";
  loop.Advance(9s);
  EXPECT_FALSE(other->answer);
  loop.Advance(2s);
  for (const auto& one : waiting) {
    ASSERT_TRUE(one->answer);
    EXPECT_EQ(one->answer->reply.status, 429);
    EXPECT_EQ(one->answer->reply.body, "too many job files are read at the moment; try again");
  }
  EXPECT_FALSE(ask("a")->answer) << "its places are free again";
  loop.Advance(11s);
}

}  // namespace
}  // namespace drover
