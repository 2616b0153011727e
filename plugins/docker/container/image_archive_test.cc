// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "container/image_archive.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>

namespace drover_docker {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

TEST(DockerImageArchiveTest, Sha256IsThatOfTheStandard) {
  EXPECT_EQ(Sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(DockerImageArchiveTest, TheTarHasConfigLayerAndManifest) {
  const ImageArchive image = MakeImage("drover/pause", "pause", "PROGRAM", "amd64");
  EXPECT_THAT(image.name, StartsWith("drover/pause:"));
  EXPECT_EQ(image.tar.size() % 512, 0u);
  EXPECT_THAT(image.tar, HasSubstr("\"diff_ids\":[\"" + image.layer + "\"]"));
  EXPECT_THAT(image.tar, HasSubstr("manifest.json"));
  EXPECT_THAT(image.tar, HasSubstr("\"RepoTags\":[\"" + image.name + "\"]"));
  EXPECT_THAT(image.tar, HasSubstr("\"Entrypoint\":[\"/pause\"]"));
  EXPECT_EQ(image.tar.substr(257, 5), "ustar");
}

TEST(DockerImageArchiveTest, TheNameFollowsTheContent) {
  const ImageArchive one = MakeImage("a", "pause", "PROGRAM", "amd64");
  EXPECT_EQ(one.tar, MakeImage("a", "pause", "PROGRAM", "amd64").tar);
  EXPECT_NE(one.name, MakeImage("a", "pause", "PROGRAM2", "amd64").name);
  EXPECT_NE(one.name, MakeImage("a", "pause", "PROGRAM", "arm64").name);
}

// The sum in the head of a file is that of all its bytes, with spaces in the place of the sum.
TEST(DockerImageArchiveTest, TheHeadsAreWhole) {
  const std::string tar = MakeImage("a", "pause", "PROGRAM", "amd64").tar;
  std::string head = tar.substr(0, 512);
  const long stored = std::strtol(head.substr(148, 6).c_str(), nullptr, 8);
  head.replace(148, 8, 8, ' ');
  long sum = 0;
  for (const char c : head) sum += static_cast<unsigned char>(c);
  EXPECT_EQ(stored, sum);
}

}  // namespace
}  // namespace drover_docker
