// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/file_checksum.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>

#include "host/base/unique_fd.h"
#include "host/base/write_whole.h"

namespace drover {
namespace {

using testing::HasSubstr;

UniqueFd FileWith(std::string_view text) {
  UniqueFd file(memfd_create("text", MFD_CLOEXEC));
  EXPECT_TRUE(WriteWhole(file.get(), text).ok());
  return file;
}

TEST(FileChecksumTest, IsThatOfOtherPrograms) {
  const UniqueFd file = FileWith("abc");
  EXPECT_EQ(ChecksumOfFile(file.get(), "md5").value(), "900150983cd24fb0d6963f7d28e17f72");
  EXPECT_EQ(ChecksumOfFile(file.get(), "sha1").value(), "a9993e364706816aba3e25717850c26c9cd0d89d");
  EXPECT_EQ(ChecksumOfFile(file.get(), "sha256").value(),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  EXPECT_EQ(ChecksumOfFile(file.get(), "sha512").value().substr(0, 16), "ddaf35a193617aba");
  EXPECT_FALSE(ChecksumOfFile(file.get(), "crc").ok());
}

TEST(FileChecksumTest, AnotherContentIsAnErrorWithBoth) {
  const UniqueFd file = FileWith("abc");
  const ArtifactChecksum right{"md5", "900150983cd24fb0d6963f7d28e17f72"};
  EXPECT_TRUE(CheckFileChecksum(file.get(), right).ok());
  const Status wrong = CheckFileChecksum(file.get(), {"md5", std::string(32, '0')});
  ASSERT_FALSE(wrong.ok());
  EXPECT_THAT(wrong.error().message(), HasSubstr("900150983cd24fb0d6963f7d28e17f72"));
  EXPECT_THAT(wrong.error().message(), HasSubstr(std::string(32, '0')));
  EXPECT_TRUE(wrong.error().recoverable());
}

TEST(FileChecksumTest, IsFoundInAFileOfChecksums) {
  const std::string a(64, 'a'), b(64, 'b'), c(40, 'c');
  const std::string sums = "# a comment of three words\n" + b + "  other.zip\n\n" + a +
                           " *site.zip\n" + b + "  site.zip\n";
  EXPECT_EQ(FindChecksum(sums, "/v1/site.zip", "/v1/SUMS"), (ArtifactChecksum{"sha256", a}));
  EXPECT_EQ(FindChecksum(sums, "/v1/missing.zip", "/v1/SUMS"), std::nullopt);
  EXPECT_EQ(FindChecksum("SHA1 (site.zip) = " + c + "\r\n", "/site.zip", "/SUMS"),
            (ArtifactChecksum{"sha1", c}));
  EXPECT_EQ(FindChecksum(a, "/site.zip", "/site.zip.sha256"), (ArtifactChecksum{"sha256", a}));
  EXPECT_EQ(FindChecksum(b + " ./linux/site.zip", "/v1/linux/site.zip", "/v1/SUMS"),
            (ArtifactChecksum{"sha256", b}));
  EXPECT_EQ(FindChecksum("zz  site.zip\n(x) =\n", "/site.zip", "/SUMS"), std::nullopt);
}

}  // namespace
}  // namespace drover
