// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cstddef>
#include <cstdlib>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "host/template/template_values.h"

// Renders the templates that the oracle has rendered, and compares the bytes. The file of
// DROVER_TEMPLATE_CASES has one JSON object per line:
//   {"values": [{"function", "arguments", "value"}], "env": {}, "files": {}}   the first line
//   {"text", "left", "right", "strict", "output", "error", "missing"}          each other line
namespace drover {
namespace {

using nlohmann::json;

constexpr int kMostReports = 40;
constexpr std::size_t kLeastCases = 2000;

class OracleValues : public TemplateValues {
 public:
  explicit OracleValues(const json& about) {
    for (const json& one : about.at("values")) {
      values_[{one.at("function"), one.at("arguments")}] = one.at("value");
    }
    env_ = about.at("env").get<std::map<std::string, std::string>>();
    files_ = about.at("files").get<std::map<std::string, std::string>>();
  }

  Result<json> Value(const ValueRequest& request) override {
    const auto found = values_.find(request);
    return found == values_.end() ? json(json::value_t::discarded) : found->second;
  }
  Result<std::string> File(const std::string& path) override {
    const auto found = files_.find(path);
    if (found != files_.end()) return found->second;
    return Error(Code::kNotFound, "there is no such file");
  }
  const std::string* Env(const std::string& name) override {
    const auto found = env_.find(name);
    return found == env_.end() ? nullptr : &found->second;
  }

 private:
  std::map<ValueRequest, json> values_;
  std::map<std::string, std::string> env_, files_;
};

// Returns what is different for ONE, or an empty text.
std::string DifferenceOf(const json& one, OracleValues* values) {
  TemplateSpec spec;
  spec.text = one.at("text");
  spec.left = one.at("left");
  spec.right = one.at("right");
  spec.error_on_missing_key = one.at("strict");
  const Result<RenderedTemplate> done = RenderTemplate(spec, values);
  const std::string error = one.at("error");
  if (!error.empty()) {
    const bool succeeds = done.ok() && done->stopped_by.empty();
    return succeeds ? "the oracle has the error " + error + "\nhere it is\n" + done->text : "";
  }
  const std::string output = one.at("output");
  if (!done.ok())
    return "here is the error " + done.error().message() + "\nthe oracle has\n" + output;
  if (done->text != output) return "here it is\n" + done->text + "\nthe oracle has\n" + output;
  const std::size_t missing = one.at("missing");
  if (done->missing.size() == missing) return "";
  return "here " + std::to_string(done->missing.size()) + " values are missing, and " +
         std::to_string(missing) + " there";
}

TEST(TemplateOracleTest, EveryTemplateGivesTheSameBytes) {
  const char* const path = std::getenv("DROVER_TEMPLATE_CASES");
  ASSERT_NE(path, nullptr);
  std::ifstream cases(path);
  std::string line;
  ASSERT_TRUE(std::getline(cases, line));
  OracleValues values(json::parse(line));
  std::size_t count = 0;
  int different = 0;
  int errors = 0;
  while (std::getline(cases, line)) {
    const json one = json::parse(line);
    ++count;
    errors += one.at("error").get<std::string>().empty() ? 0 : 1;
    const std::string difference = DifferenceOf(one, &values);
    if (difference.empty() || ++different > kMostReports) continue;
    ADD_FAILURE() << one.at("text").get<std::string>() << "\n" << difference;
  }
  EXPECT_GE(count, kLeastCases);
  EXPECT_LT(errors, static_cast<int>(count) / 4) << "the templates are no good: most are errors";
  EXPECT_EQ(different, 0) << "of " << count;
}

}  // namespace
}  // namespace drover
