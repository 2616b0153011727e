// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "host/api/api_fixture.h"

// tests/e2e/test_hcl.py has the texts that are read; here are those that need no reader.
namespace drover {
namespace {

using nlohmann::json;

class JobParseRouteTest : public ApiFixture {};

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

}  // namespace
}  // namespace drover
