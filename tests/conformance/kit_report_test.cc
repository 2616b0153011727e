// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/conformance/kit_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

namespace drover {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

std::vector<ConformanceResult> SomeResults() {
  return {{"load", "", Verdict::kPass, "", 10ms},
          {"exec-tty", "", Verdict::kSkip, "it offers no exec", 1ms},
          {"stop-unknown", "stop-odd", Verdict::kFail, "it said \"<no>\" & more\nsecond", 2ms},
          {"signal-long", "signal-odd", Verdict::kCrash, "signal 11", 3ms},
          {"probe-time", "", Verdict::kWarn, "slow", 4ms}};
}

TEST(KitReportTest, FamiliesAreFamiliesNamesOrFirstWords) {
  EXPECT_TRUE(IsOfFamily("exec-tty", "", "exec"));
  EXPECT_TRUE(IsOfFamily("exec", "", "exec"));
  EXPECT_TRUE(IsOfFamily("stop-unknown", "stop-odd", "stop-odd"));
  EXPECT_FALSE(IsOfFamily("executable", "", "exec"));
  EXPECT_FALSE(IsOfFamily("exec", "", ""));
}

TEST(KitReportTest, DemandsThatAreNotMetAreNamed) {
  KitDemands demands;
  EXPECT_THAT(UnmetDemands(demands, SomeResults()), IsEmpty());
  demands.families = {"load", "stop-odd"};
  demands.max_skips = 1;
  EXPECT_THAT(UnmetDemands(demands, SomeResults()), IsEmpty());
  demands.families = {"exec", "destroy-force"};
  demands.max_skips = 0;
  EXPECT_THAT(UnmetDemands(demands, SomeResults()),
              ElementsAre(HasSubstr("1 cases were skipped, --max-skips allows 0"),
                          "--require exec: exec-tty was skipped: it offers no exec",
                          "--require destroy-force: this run has no such case"));
  EXPECT_TRUE(CheckDemands(demands).ok());
  demands.families = {"no-such-family"};
  EXPECT_EQ(CheckDemands(demands).code(), Code::kInvalidArgument);
}

TEST(KitReportTest, XmlHasNoCharactersThatXmlCannotHave) {
  EXPECT_EQ(XmlText("a<b>&\"'"), "a&lt;b&gt;&amp;&quot;&apos;");
  EXPECT_EQ(XmlText(std::string("\0\x1b\xff", 3)), "\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd");
  EXPECT_EQ(XmlText("\t\n"), "&#9;&#10;");
  EXPECT_EQ(XmlText("gr\u00fc\u00df\uffff"), "gr\u00fc\u00df\ufffd");
}

TEST(KitReportTest, JunitHasEachCaseAndWhatRepeatsTheRun) {
  KitRun run;
  run.driver = "x\"y";
  run.sha256 = "ab";
  run.place = "process";
  run.seed = 4711;
  KitDemands demands;
  demands.max_skips = 0;
  const std::string xml = KitJunitXml(run, SomeResults(), demands);
  EXPECT_THAT(xml, HasSubstr("<testsuite name=\"drover plugin test x&quot;y\" tests=\"6\" "
                             "failures=\"2\" errors=\"1\" skipped=\"1\""));
  EXPECT_THAT(xml, HasSubstr("<property name=\"seed\" value=\"4711\"/>"));
  EXPECT_THAT(xml, HasSubstr("<property name=\"place\" value=\"process\"/>"));
  EXPECT_THAT(xml, HasSubstr("<skipped message=\"it offers no exec\"/>"));
  EXPECT_THAT(xml, HasSubstr("message=\"it said &quot;&lt;no&gt;&quot; &amp; more\">"));
  EXPECT_THAT(xml, HasSubstr("<error type=\"CRASH\" message=\"signal 11\">"));
  EXPECT_THAT(xml, HasSubstr("<testcase name=\"demands\""));
}

TEST(KitReportTest, LinesOfJsonSayWhatTheyAre) {
  KitRun run;
  run.seed = 1;
  EXPECT_EQ(KitRunJson(run)["Type"], "run");
  EXPECT_TRUE(KitRunJson(run)["Sha256"].is_null());
  EXPECT_EQ(KitCaseJson(SomeResults()[2])["Family"], "stop-odd");
  const nlohmann::json summary = KitSummaryJson(SomeResults(), KitDemands());
  EXPECT_EQ(summary["Failed"], 1);
  EXPECT_EQ(summary["Crashed"], 1);
  EXPECT_EQ(summary["Conforms"], false);
}

}  // namespace
}  // namespace drover
