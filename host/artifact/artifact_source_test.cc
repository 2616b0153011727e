// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/artifact_source.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace drover {
namespace {

using Kind = ArtifactSource::Kind;
using Mode = Artifact::Mode;
using testing::HasSubstr;
using testing::Not;

struct KnownSource {
  const char* text;
  Kind kind;
  const char* url;
  const char* subdir = "";
  const char* archive = "";
  const char* filename = "";
  const char* ref = "";
  int depth = 0;
  Mode mode = Mode::kAny;
};

class KnownSourceTest : public testing::TestWithParam<KnownSource> {};

TEST_P(KnownSourceTest, IsRead) {
  const KnownSource& wanted = GetParam();
  const auto source = ParseArtifactSource(wanted.text, {}, wanted.mode);
  ASSERT_TRUE(source.ok()) << wanted.text << ": " << source.error().message();
  EXPECT_EQ(source->kind, wanted.kind) << wanted.text;
  EXPECT_EQ(source->url.Text(), wanted.url) << wanted.text;
  EXPECT_EQ(source->subdir, wanted.subdir) << wanted.text;
  EXPECT_EQ(source->archive, wanted.archive) << wanted.text;
  EXPECT_EQ(source->filename, wanted.filename) << wanted.text;
  EXPECT_EQ(source->ref, wanted.ref) << wanted.text;
  EXPECT_EQ(source->depth, wanted.depth) << wanted.text;
}

INSTANTIATE_TEST_SUITE_P(
    Http, KnownSourceTest,
    testing::Values(
        KnownSource{"https://x.example/a/b", Kind::kHttp, "https://x.example/a/b", "", "", "b"},
        KnownSource{"HTTP://x.example/a", Kind::kHttp, "http://x.example/a", "", "", "a"},
        KnownSource{"http::https://x/a", Kind::kHttp, "https://x/a", "", "", "a"},
        KnownSource{"https://x/a?b=1&a=2#top", Kind::kHttp, "https://x/a?a=2&b=1", "", "", "a"},
        KnownSource{"https://x/a?", Kind::kHttp, "https://x/a", "", "", "a"},
        KnownSource{"https://x/a?filename=c", Kind::kHttp, "https://x/a", "", "", "c"},
        KnownSource{"https://x/a?filename=c/d", Kind::kHttp, "https://x/a", "", "", "c/d"},
        KnownSource{"https://x/a%20b", Kind::kHttp, "https://x/a%20b", "", "", "a b"},
        KnownSource{"https://x/a.tar.gz", Kind::kHttp, "https://x/a.tar.gz", "", "tar.gz"},
        KnownSource{"https://x/a.tgz//b/c", Kind::kHttp, "https://x/a.tgz", "b/c", "tgz"},
        KnownSource{"https://x/a.zip//b*?v=1", Kind::kHttp, "https://x/a.zip?v=1", "b*", "zip"},
        KnownSource{"https://x/a.zip//./b/../c/", Kind::kHttp, "https://x/a.zip", "c", "zip"},
        KnownSource{"https://x/a?archive=tar.zst", Kind::kHttp, "https://x/a", "", "tar.zst"},
        KnownSource{"https://x/a.zip?archive=false", Kind::kHttp, "https://x/a.zip", "", "",
                    "a.zip"},
        KnownSource{"https://x/a.zip?archive=0", Kind::kHttp, "https://x/a.zip", "", "", "a.zip"},
        KnownSource{"https://x/a.gz", Kind::kHttp, "https://x/a.gz", "", "gz", "", "", 0,
                    Mode::kFile},
        KnownSource{"https://x/a", Kind::kHttp, "https://x/a", "", "", "", "", 0, Mode::kFile},
        KnownSource{"https://u:p@x/a?next=https://y//z", Kind::kHttp,
                    "https://u:p@x/a?next=https%3A%2F%2Fy%2F%2Fz", "", "", "a"}));

INSTANTIATE_TEST_SUITE_P(
    Git, KnownSourceTest,
    testing::Values(
        KnownSource{"github.com/o/n", Kind::kGit, "https://github.com/o/n.git"},
        KnownSource{"github.com/o/n.git", Kind::kGit, "https://github.com/o/n.git"},
        KnownSource{"github.com/o/n/a/b", Kind::kGit, "https://github.com/o/n.git", "a/b"},
        KnownSource{"github.com/o/n//a", Kind::kGit, "https://github.com/o/n.git", "a"},
        KnownSource{"github.com/o/n/a//b", Kind::kGit, "https://github.com/o/n.git", "a/b"},
        KnownSource{"github.com/o/n//a b/\u00e9*#1?ref=v1", Kind::kGit,
                    "https://github.com/o/n.git", "a b/\u00e9*#1", "", "", "v1"},
        KnownSource{"github.com/o/n/a b/c%20d#1", Kind::kGit, "https://github.com/o/n.git",
                    "a b/c%20d#1"},
        KnownSource{"github.com/o/n?ref=v1&depth=1", Kind::kGit, "https://github.com/o/n.git", "",
                    "", "", "v1", 1},
        KnownSource{"gitlab.com/o/n", Kind::kGit, "https://gitlab.com/o/n.git"},
        KnownSource{"git::https://x/n.git?ref=a%2Fb", Kind::kGit, "https://x/n.git", "", "", "",
                    "a/b"},
        KnownSource{"git::http://x/n//d?depth=x&k=1", Kind::kGit, "http://x/n?k=1", "d"}));

INSTANTIATE_TEST_SUITE_P(
    Stores, KnownSourceTest,
    testing::Values(
        KnownSource{"s3::https://s3.amazonaws.com/b/k.zip", Kind::kHttp,
                    "https://s3.amazonaws.com/b/k.zip", "", "zip"},
        KnownSource{"b.s3-eu-west-1.amazonaws.com/k", Kind::kHttp,
                    "https://s3-eu-west-1.amazonaws.com/b/k", "", "", "k"},
        KnownSource{"b.s3.eu-west-1.amazonaws.com/d/k?version=7", Kind::kHttp,
                    "https://s3.eu-west-1.amazonaws.com/b/d/k?versionId=7", "", "", "k"},
        KnownSource{"s3-eu-west-1.amazonaws.com/b/k", Kind::kHttp,
                    "https://s3-eu-west-1.amazonaws.com/b/k", "", "", "k"},
        KnownSource{"www.googleapis.com/storage/v1/b/d/k", Kind::kHttp,
                    "https://storage.googleapis.com/b/d/k", "", "", "k"},
        KnownSource{"gcs::https://www.googleapis.com/storage/v1/b/k#12", Kind::kHttp,
                    "https://storage.googleapis.com/b/k?generation=12", "", "", "k"},
        KnownSource{"/srv/files/a.tar", Kind::kFile, "file:///srv/files/a.tar", "", "tar"},
        KnownSource{"file::/srv/files/a", Kind::kFile, "file:///srv/files/a", "", "", "a"},
        KnownSource{"/srv/files/a#1", Kind::kFile, "file:///srv/files/a", "", "", "a"},
        KnownSource{"/srv/files/a:b?c;d=1", Kind::kFile, "file:///srv/files/a:b", "", "", "a:b"},
        KnownSource{"/srv/files/a/..", Kind::kFile, "file:///srv/files/a/..", "", "", "files"},
        KnownSource{"/srv/files//a b", Kind::kFile, "file:///srv/files", "a b", "", "files"},
        KnownSource{"file:///srv/files//sub", Kind::kFile, "file:///srv/files", "sub", "",
                    "files"}));

struct RefusedSource {
  const char* text;
  const char* why;
  Mode mode = Mode::kAny;
};

class RefusedSourceTest : public testing::TestWithParam<RefusedSource> {};

TEST_P(RefusedSourceTest, SaysWhy) {
  const auto source = ParseArtifactSource(GetParam().text, {}, GetParam().mode);
  ASSERT_FALSE(source.ok()) << GetParam().text;
  EXPECT_THAT(source.error().message(), HasSubstr(GetParam().why));
}

INSTANTIATE_TEST_SUITE_P(
    All, RefusedSourceTest,
    testing::Values(
        RefusedSource{"local/file", "is neither a URL nor an absolute path"},
        RefusedSource{"hg::https://x/n", "Mercurial is not supported"},
        RefusedSource{"ftp://x/a", "the scheme \"ftp\" is not supported"},
        RefusedSource{"git@github.com:o/n.git", "git by SSH is not supported"},
        RefusedSource{"git@github.com:/o/n%zz", "git by SSH is not supported"},
        RefusedSource{"git@github.com:o/n?next=https://y", "git by SSH is not supported"},
        RefusedSource{"git@github.com://n", "git by SSH is not supported"},
        RefusedSource{"git@github.com:o/n.git//../a?archive=rar", "git by SSH is not supported"},
        RefusedSource{"http::git@github.com:o/n", "git by SSH is not supported"},
        RefusedSource{"git::ssh://git@x/n", "git by SSH is not supported"},
        RefusedSource{"git::https://x/n?sshkey=YQ==", "git by SSH is not supported"},
        RefusedSource{"git::file:///srv/n", "git is fetched by https, http or git"},
        RefusedSource{"git::https:me:hunter2@x/n", "has no host"},
        RefusedSource{"git::/srv/n", "git is fetched by https, http or git"},
        RefusedSource{"git::ext::sh -c id", "git is fetched by https, http or git, and not by ext"},
        RefusedSource{"git::https://x/n?ref=--upload-pack=id", "its ref begins with a hyphen"},
        RefusedSource{"git::https://x/n?checksum=md5:d41d8cd98f00b204e9800998ecf8427e",
                      "a directory has no checksum"},
        RefusedSource{"bitbucket.org/o/n", "write git::https://bitbucket.org/OWNER/NAME.git"},
        RefusedSource{"github.com/o", "must be github.com/OWNER/NAME"},
        RefusedSource{"github.com/o/n/a?ref=v1",
                      "write github.com/OWNER/NAME//DIRECTORY?PARAMETERS"},
        RefusedSource{"gitlab.com/o/n/a//b?ref=v1",
                      "write gitlab.com/OWNER/NAME//DIRECTORY?PARAMETERS"},
        RefusedSource{"file://", "a file URL has a path: write file:///PATH"},
        RefusedSource{"file:////a", "a file URL has a path: write file:///PATH"},
        RefusedSource{"https://x/a.zip//../b", "leads out of the source"},
        RefusedSource{"https://x/a//b", "a single file has no subdirectory"},
        RefusedSource{"https://x/a/", "HTTP has no directories"},
        RefusedSource{"https://x/a", "HTTP has no directories", Mode::kDir},
        RefusedSource{"https://x/a.gz", "holds one file"},
        RefusedSource{"https://x/a?archive=rar", "archive=rar is no known form"},
        RefusedSource{"https://x/a?filename=../b", "its filename leads out of the destination"},
        RefusedSource{"https://x/a?filename=b%00c", "its filename has a NUL"},
        RefusedSource{"https://x/a%00b", "its filename has a NUL"},
        RefusedSource{"https://x", "its path names no file"},
        RefusedSource{"https:///a", "has no host"},
        RefusedSource{"https://x:port/a", "its port is no number"},
        RefusedSource{"https://x/a%zz", "its path has a wrong escape"},
        RefusedSource{"https://x/a?checksum=md5:123", "the checksum is no md5, which has 32"},
        RefusedSource{"https://x/a?checksum=crc:123", "the checksum is of no known type"},
        RefusedSource{"s3::https://s3.amazonaws.com/b/k?aws_access_key_id=A",
                      "use a presigned https URL"}));

TEST(ArtifactSourceTest, ChecksumsAreRead) {
  const std::string md5 = "d41d8cd98f00b204e9800998ecf8427E";
  const auto of = [](const std::string& checksum) {
    return ParseArtifactSource("https://x/a?checksum=" + checksum, {}, Mode::kAny).value();
  };
  EXPECT_EQ(of("md5:" + md5).checksum,
            (ArtifactChecksum{"md5", "d41d8cd98f00b204e9800998ecf8427e"}));
  EXPECT_EQ(of(md5).checksum->type, "md5");
  EXPECT_EQ(of(std::string(64, 'a')).checksum->type, "sha256");
  EXPECT_EQ(of("SHA512:" + std::string(128, '0')).checksum->type, "sha512");
  const ArtifactSource by_file = of("file:https://x/SHA256SUMS");
  EXPECT_FALSE(by_file.checksum);
  EXPECT_EQ(by_file.checksum_source, "https://x/SHA256SUMS");
  EXPECT_EQ(by_file.url.Text(), "https://x/a");
}

TEST(ArtifactSourceTest, OptionsAreParametersThatTheSourceDoesNotHave) {
  const auto source = ParseArtifactSource("https://x/a?archive=zip&k=1",
                                          {{"archive", "tar"}, {"k", "2"}, {"l", "3"}}, Mode::kAny)
                          .value();
  EXPECT_EQ(source.archive, "zip");
  EXPECT_EQ(source.url.Text(), "https://x/a?k=1&l=3");
}

TEST(ArtifactSourceTest, AFileOfARepositoryIsTheLastPartOfThePath) {
  const auto source = ParseArtifactSource("git::https://x/n.git/conf", {}, Mode::kFile).value();
  EXPECT_EQ(source.url.Text(), "https://x/n.git");
  EXPECT_EQ(source.repository_file, "conf");
  EXPECT_FALSE(source.is_directory());
}

TEST(ArtifactSourceTest, NoErrorShowsASecret) {
  for (const char* text :
       {"ftp://user:hunter2@x/a?token=hunter2", "https://user:hunter2@x/a.gz?sig=hunter2",
        "https://user:hunter2?x@y/a", "https://user:hunter2#x@y/a", "https://user:hunter2/?@y/a",
        "git::https:user:hunter2@x/n", "https://user:hunter2@x:port/a",
        "user:hunter2@x/a?token=hunter2", "git::ssh://user:hunter2@x/n?sshkey=hunter2",
        "https://x/a%zz?token=hunter2#hunter2"}) {
    const auto source = ParseArtifactSource(text, {}, Mode::kAny);
    ASSERT_FALSE(source.ok()) << text;
    EXPECT_THAT(source.error().message(), Not(HasSubstr("hunter2"))) << text;
  }
  EXPECT_EQ(ParseSourceUrl("https://u:p@x/a?k=v#f")->Shown(), "https://x/a");
  EXPECT_EQ(ShownSource("https://x:80/a?mail=a@b"), "https://x:80/a");
}

}  // namespace
}  // namespace drover
