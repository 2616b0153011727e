// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/render/check_templates.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>

namespace drover {
namespace {

using testing::HasSubstr;
using testing::IsEmpty;
using testing::SizeIs;

Job JobWithTexts(std::initializer_list<std::string> texts) {
  Job job;
  job.groups.resize(1);
  job.groups[0].tasks.resize(1);
  for (const std::string& text : texts) {
    TaskTemplate of;
    of.data = text;
    job.groups[0].tasks[0].templates.push_back(of);
  }
  return job;
}

std::vector<JobFault> FaultsOfTexts(const Job& job) {
  JobFaults faults;
  CheckTemplateTexts(job, "/Job", &faults);
  return faults.Take();
}

std::string FaultOfText(const std::string& text) {
  const std::vector<JobFault> faults = FaultsOfTexts(JobWithTexts({text}));
  if (faults.empty()) return "";
  EXPECT_EQ(faults[0].pointer, "/Job/TaskGroups/0/Tasks/0/Templates/0/EmbeddedTmpl");
  return faults[0].message;
}

TEST(CheckTemplatesTest, MistakesHaveTheirLineAndColumn) {
  EXPECT_EQ(FaultOfText("a\nb {{ nope 1 }}"), "template:2:6: function \"nope\" not defined");
  EXPECT_THAT(FaultOfText("{{ if true }}"), HasSubstr("has no {{end}}"));
  EXPECT_THAT(FaultOfText("{{ end }}"), HasSubstr("template:1:4: "));
  EXPECT_THAT(FaultOfText("x {{ $x }}"), HasSubstr("template:1:6: undefined variable"));
  EXPECT_THAT(FaultOfText("{{ \"x }}"), HasSubstr("unterminated"));
}

TEST(CheckTemplatesTest, RefusedFunctionsAreNamedWithWhatToDo) {
  EXPECT_THAT(FaultOfText("{{ with secret \"x\" }}{{ end }}"), HasSubstr("nomadVar"));
  EXPECT_THAT(FaultOfText("{{ plugin \"id\" }}"), HasSubstr("plugin: a template may not run"));
  EXPECT_THAT(FaultOfText("{{ range connect \"x\" }}{{ end }}"), HasSubstr("service mesh"));
}

TEST(CheckTemplatesTest, WhatIsRightHasNoFault) {
  EXPECT_EQ(FaultOfText("no action, but } and { and ${X}"), "");
  EXPECT_EQ(FaultOfText("{{ range nomadService \"a\" }}{{ .Address }}{{ end }}"), "");
  EXPECT_EQ(FaultOfText("{{ with nomadVar \"a\" }}{{ .b | sprig_upper }}{{ end }}"), "");
  // Values of services are not there yet, so only the text counts.
  EXPECT_EQ(FaultOfText("{{ index (service \"db\") 0 }}"), "");
}

TEST(CheckTemplatesTest, AllMistakesAreReportedAtOnce) {
  EXPECT_THAT(FaultsOfTexts(JobWithTexts({"{{ x }}", "fine", "{{ y }}"})), SizeIs(2));
}

TEST(CheckTemplatesTest, DelimitersAreThoseOfTheTemplate) {
  Job job = JobWithTexts({"{{ nope }} <% nope %>"});
  TaskTemplate& of = job.groups[0].tasks[0].templates[0];
  of.left_delimiter = "<%";
  of.right_delimiter = "%>";
  ASSERT_THAT(FaultsOfTexts(job), SizeIs(1));
  EXPECT_THAT(FaultsOfTexts(job)[0].message, HasSubstr("template:1:15: "));
  of.left_delimiter = of.right_delimiter = "";
  EXPECT_THAT(FaultsOfTexts(job)[0].message, HasSubstr("template:1:4: "));
  // A reference as a delimiter is none in an action.
  of.data = "${ nope }";
  of.left_delimiter = "${";
  of.right_delimiter = "}";
  EXPECT_THAT(FaultsOfTexts(job), SizeIs(1));
}

TEST(CheckTemplatesTest, AReferenceInAnActionIsNotJudged) {
  EXPECT_EQ(FaultOfText("{{ ${FUNCTION} 1 }}"), "");
  EXPECT_EQ(FaultOfText("{{ nope \"${NOMAD_JOB_ID}\" }}"), "");
  EXPECT_EQ(FaultOfText("{{ nope ${X}"), "");
  EXPECT_NE(FaultOfText("${X} {{ nope }} ${Y}"), "");
}

TEST(CheckTemplatesTest, HostileTextsAreBounded) {
  std::string deep, variables, operands;
  while (deep.size() < kMostCheckedTemplate / 2) deep += "{{if 1}}";
  for (int i = 0; variables.size() < kMostCheckedTemplate / 2; ++i) {
    variables += "{{$a" + std::to_string(i) + ":=1}}";
  }
  while (variables.size() < kMostCheckedTemplate - 16) variables += "{{$a1}}";
  while (operands.size() < kMostCheckedTemplate - 16) operands += operands.empty() ? "{{$" : "|$";
  operands += "}}";
  const auto began = std::chrono::steady_clock::now();
  EXPECT_THAT(FaultOfText(deep), HasSubstr("nested too deep"));
  EXPECT_EQ(FaultOfText(variables), "");
  EXPECT_EQ(FaultOfText(operands), "");
  const std::string shown = FaultOfText("{{ template $" + std::string(100'000, 'x') + " }}");
  EXPECT_THAT(shown, HasSubstr("unexpected"));
  EXPECT_LT(shown.size(), 500u);
  // A generous limit: a sanitizer needs some twenty times as long.
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(20));
}

TEST(CheckTemplatesTest, WhatIsTooLongIsLeftToTheStart) {
  const std::string wrong = "{{ nope }}";
  EXPECT_EQ(FaultOfText(wrong + std::string(kMostCheckedTemplate, ' ')), "");
  const std::string most = std::string(kMostCheckedTemplate, ' ');
  Job job = JobWithTexts({most, most, most, most, most, most, most, most, wrong});
  EXPECT_THAT(FaultsOfTexts(job), IsEmpty());
  job.groups[0].tasks[0].templates.erase(job.groups[0].tasks[0].templates.begin());
  EXPECT_THAT(FaultsOfTexts(job), SizeIs(1));
}

TEST(CheckTemplatesTest, FilesOfTheTaskAreNotLookedAt) {
  Job job = JobWithTexts({""});
  job.groups[0].tasks[0].templates[0].source = "local/x";
  EXPECT_THAT(FaultsOfTexts(job), IsEmpty());
}

}  // namespace
}  // namespace drover
