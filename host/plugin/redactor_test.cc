// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/plugin/redactor.h"

#include <gtest/gtest.h>

namespace drover {
namespace {

TEST(RedactorTest, SecretsOfARunAreReplacedUntilItIsForgotten) {
  Redactor redactor;
  redactor.SetPlaces({"/auth/password", "/registries/*/token", "/pins"});
  const RunId run = RunId::Random();
  redactor.Learn(run, R"({"image":"web","auth":{"user":"anna","password":"hunter2"},
                          "registries":[{"token":"t-1-a"},{"token":"t-2-b"}],"pins":[4711]})");
  EXPECT_EQ(redactor.Clean("anna:hunter2 hunter2 of web"), "anna:<redacted> <redacted> of web");
  EXPECT_EQ(redactor.Clean("t-1-a, t-2-b and 4711"), "<redacted>, <redacted> and <redacted>");
  EXPECT_EQ(redactor.Clean(TaskProgress{"hunter2", 1, 2, "t-1-a", "of t-2-b"}),
            (TaskProgress{"<redacted>", 1, 2, "<redacted>", "of <redacted>"}));
  redactor.Forget(run);
  EXPECT_EQ(redactor.Clean("hunter2"), "hunter2");
}

TEST(RedactorTest, ALongSecretIsReplacedBeforeItsPart) {
  Redactor redactor;
  redactor.SetPlaces({"/a", "/b"});
  redactor.Learn(RunId::Random(), R"({"a":"pass","b":"passport"})");
  EXPECT_EQ(redactor.Clean("passport pass"), "<redacted> <redacted>");
}

TEST(RedactorTest, PlacesThatAreNotThereAreNoMistake) {
  Redactor redactor;
  redactor.SetPlaces({"/none/x", "/list/7", "/list/0", "/a~1b", "/short"});
  const std::string config = R"({"list":["first"],"a/b":"slash","short":"ab"})";
  EXPECT_EQ(redactor.CleanFor(config, "first slash ab"), "<redacted> <redacted> ab");
  EXPECT_EQ(redactor.CleanFor("no JSON", "first"), "first");
  EXPECT_EQ(redactor.CleanFor("[]", "first"), "first");
}

TEST(RedactorTest, WithoutPlacesTextsStay) {
  Redactor redactor;
  redactor.Learn(RunId::Random(), R"({"a":"secret"})");
  EXPECT_EQ(redactor.Clean("secret"), "secret");
}

}  // namespace
}  // namespace drover
