// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/job_fields.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "host/base/time.h"

namespace drover {
namespace {

using nlohmann::json;

void ForEach(std::span<const JobField> fields, const std::string& pointer,
             const std::function<void(const std::string&, const JobField&)>& see) {
  for (const JobField& field : fields) {
    const std::string here = pointer + "/" + field.name;
    see(here, field);
    ForEach(field.members, field.kind == FieldKind::kObjectList ? here + "/*" : here, see);
  }
}

TEST(JobFieldsTest, TheTableIsSound) {
  std::set<std::string> seen;
  ForEach(JobFields(), "", [&seen](const std::string& pointer, const JobField& field) {
    EXPECT_TRUE(seen.insert(pointer).second) << pointer << " stands twice";
    const bool nested = field.kind == FieldKind::kObject || field.kind == FieldKind::kObjectList;
    EXPECT_EQ(nested, !field.members.empty()) << pointer;
    if (*field.no_effect == '\0') return;
    EXPECT_EQ(field.state, FieldState::kRefused) << pointer;
    const json values = json::parse(field.no_effect, nullptr, false);
    ASSERT_TRUE(values.is_array()) << pointer;
    for (const json& value : values) {
      Duration unused{};
      if (field.kind == FieldKind::kDuration) EXPECT_TRUE(ReadJsonDuration(value, &unused));
      if (field.kind == FieldKind::kText) EXPECT_TRUE(value.is_string());
    }
  });
  EXPECT_TRUE(seen.count("/TaskGroups/*/Tasks/*/RestartPolicy/Interval"));
  EXPECT_GT(seen.size(), 150u);
}

// Each refused field is refused below its own pointer when it says something.
TEST(JobFieldsTest, RefusedFieldsAreRefusedByPointer) {
  int refused = 0;
  ForEach(JobFields(), "", [&refused](const std::string& pattern, const JobField& field) {
    if (field.state != FieldState::kRefused || !field.members.empty()) return;
    std::string pointer = pattern;
    for (std::size_t star; (star = pointer.find('*')) != std::string::npos;) pointer[star] = '0';
    json job = json::object();
    for (const json& value : {json("something"), json(77), json::array({1}), json{{"A", 1}}}) {
      job[json::json_pointer(pointer)] = value;
      JobFaults faults;
      CheckJobFields(job, "/Job", &faults);
      ASSERT_EQ(faults.list().size(), 1u) << pointer << " " << value;
      EXPECT_EQ(faults.list()[0].pointer, "/Job" + pointer);
      EXPECT_EQ(faults.list()[0].message, "is not supported by this version");
    }
    for (const json& value : {json(nullptr), json(""), json(0), json(false), json::array(),
                              json::object(), json{{"A", nullptr}, {"B", 0}, {"C", ""}}}) {
      job[json::json_pointer(pointer)] = value;
      JobFaults faults;
      CheckJobFields(job, "", &faults);
      EXPECT_TRUE(faults.empty()) << pointer << " " << value;
    }
    if (*field.no_effect != '\0') {
      for (const json& value : json::parse(field.no_effect)) {
        job[json::json_pointer(pointer)] = value;
        JobFaults faults;
        CheckJobFields(job, "", &faults);
        EXPECT_TRUE(faults.empty()) << pointer << " " << value;
      }
    }
    ++refused;
  });
  EXPECT_GT(refused, 60);
}

TEST(JobFieldsTest, DurationsAreNumbersOrTexts) {
  Duration duration{};
  EXPECT_TRUE(ReadJsonDuration(json(1'500'000'000), &duration));
  EXPECT_EQ(duration, 1500ms);
  EXPECT_TRUE(ReadJsonDuration(json("1m30s"), &duration));
  EXPECT_EQ(duration, 90s);
  EXPECT_TRUE(ReadJsonDuration(json(-1), &duration));
  EXPECT_EQ(duration, -1ns);
  for (const json& bad : {json("10"), json(1.5), json(18446744073709551615u), json(true),
                          json(nullptr), json::array({1})}) {
    EXPECT_FALSE(ReadJsonDuration(bad, &duration)) << bad;
  }
  EXPECT_EQ(duration, -1ns);  // untouched
}

// DROVER_UPDATE_DOCS=1 writes the page instead.
TEST(JobFieldsTest, ThePageIsThatOfTheTable) {
  const std::string path = std::string(DROVER_DOCS) + "/job-fields.md";
  if (std::getenv("DROVER_UPDATE_DOCS") != nullptr) std::ofstream(path) << JobFieldsMarkdown();
  std::ifstream file(path);
  ASSERT_TRUE(file) << path << " is missing";
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(text.str(), JobFieldsMarkdown())
      << "run spec_test with DROVER_UPDATE_DOCS=1 to write the page again";
}

}  // namespace
}  // namespace drover
