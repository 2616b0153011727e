// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/artifact/unpack.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "host/base/directory_for_test.h"
#include "host/base/unique_fd.h"
#include "host/base/write_whole.h"

#ifdef DROVER_HAS_LIBARCHIVE
#include <archive.h>
#include <archive_entry.h>
#endif

namespace drover {
namespace {

#ifndef DROVER_HAS_LIBARCHIVE

TEST(UnpackTest, WithoutLibarchiveTheErrorSaysSo) {
  UnpackOrder order;
  order.form = "zip";
  EXPECT_EQ(UnpackArchive(order).code(), Code::kUnimplemented);
}

#else

namespace fs = std::filesystem;
using testing::HasSubstr;

struct MadeEntry {
  std::string name;
  std::string content;
  int type = AE_IFREG;
  int mode = 0644;
  std::string link = {};       // the target of a symbolic link
  std::string hard_link = {};  // of a hard link
};

struct UnpackTest : testing::Test {
  UnpackTest() : to(open(dir.path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
    order.to = to.get();
    order.most_bytes = 1 << 20;
    order.most_files = 50;
  }

  // Returns an archive with ENTRIES.
  static std::string Make(const std::string& form, const std::vector<MadeEntry>& entries) {
    archive* const a = archive_write_new();
    if (form.ends_with("gz")) archive_write_add_filter_gzip(a);
    if (form.ends_with("bz2")) archive_write_add_filter_bzip2(a);
    if (form.ends_with("xz")) archive_write_add_filter_xz(a);
    if (form.ends_with("zst")) archive_write_add_filter_zstd(a);
    if (form == "zip") {
      archive_write_set_format_zip(a);
    } else if (form[0] == 't') {
      archive_write_set_format_gnutar(a);
    } else {
      archive_write_set_format_raw(a);
    }
    std::string bytes(8 << 20, '\0');
    std::size_t used = 0;
    EXPECT_EQ(archive_write_open_memory(a, bytes.data(), bytes.size(), &used), ARCHIVE_OK);
    for (const MadeEntry& made : entries) {
      archive_entry* const entry = archive_entry_new();
      archive_entry_set_pathname(entry, made.name.c_str());
      archive_entry_set_filetype(entry, static_cast<unsigned>(made.type));
      archive_entry_set_perm(entry, static_cast<mode_t>(made.mode));
      archive_entry_set_size(entry, static_cast<la_int64_t>(made.content.size()));
      if (!made.link.empty()) archive_entry_set_symlink(entry, made.link.c_str());
      if (!made.hard_link.empty()) archive_entry_set_hardlink(entry, made.hard_link.c_str());
      EXPECT_EQ(archive_write_header(a, entry), ARCHIVE_OK) << archive_error_string(a);
      archive_write_data(a, made.content.data(), made.content.size());
      archive_entry_free(entry);
    }
    archive_write_close(a);
    archive_write_free(a);
    bytes.resize(used);
    return bytes;
  }

  Status Unpack(const std::string& form, const std::string& bytes) {
    const UniqueFd file(memfd_create("archive", MFD_CLOEXEC));
    EXPECT_TRUE(WriteWhole(file.get(), bytes).ok());
    EXPECT_EQ(lseek(file.get(), 0, SEEK_SET), 0);
    order.archive = file.get();
    order.form = form;
    return UnpackArchive(order);
  }
  std::string Refused(const MadeEntry& entry) {
    const Status done = Unpack("tar", Make("tar", {{"before", "text"}, entry}));
    return done.ok() ? "" : done.error().message();
  }
  std::string Read(const std::string& path) const {
    std::ifstream file(dir.path() + "/" + path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  mode_t ModeOf(const std::string& path) const {
    struct stat info{};
    EXPECT_EQ(lstat((dir.path() + "/" + path).c_str(), &info), 0) << path;
    return info.st_mode & 07777;
  }

  const DirectoryForTest dir;
  const UniqueFd to;
  UnpackOrder order;
};

TEST_F(UnpackTest, EachFormIsUnpacked) {
  for (const char* form :
       {"tar", "tar.gz", "tgz", "tar.bz2", "tbz2", "tar.xz", "txz", "tar.zst", "tzst", "zip"}) {
    const std::string top = std::string("of-") + form;
    const Status done = Unpack(form, Make(form, {{top + "/bin/tool", "run", AE_IFREG, 04755},
                                                 {top + "/empty", "", AE_IFDIR, 0700},
                                                 {top + "/secret", "text", AE_IFREG, 0600}}));
    ASSERT_TRUE(done.ok()) << form << ": " << done.error().message();
    EXPECT_EQ(Read(top + "/bin/tool"), "run") << form;
    EXPECT_EQ(ModeOf(top + "/bin/tool"), 0755u) << form;
    EXPECT_EQ(ModeOf(top + "/secret"), 0644u) << form;
    EXPECT_TRUE(fs::is_directory(dir.path() + "/" + top + "/empty")) << form;
  }
}

TEST_F(UnpackTest, LinksWithinTheArchiveAreMade) {
  const Status done = Unpack("tar", Make("tar", {{"a/file", "text"},
                                                 {"a/soft", "", AE_IFLNK, 0777, "file"},
                                                 {"b/up", "", AE_IFLNK, 0777, "../a/file"},
                                                 {"hard", "", AE_IFREG, 0644, "", "a/file"}}));
  ASSERT_TRUE(done.ok()) << done.error().message();
  for (const char* path : {"a/soft", "b/up", "hard"}) EXPECT_EQ(Read(path), "text") << path;
}

TEST_F(UnpackTest, NothingLeadsOut) {
  EXPECT_THAT(Refused({"../drover-out", "x"}), HasSubstr("leads out of the directory"));
  EXPECT_THAT(Refused({"a/../../drover-out", "x"}), HasSubstr("leads out of the directory"));
  EXPECT_THAT(Refused({"/tmp/drover-out", "x"}), HasSubstr("is an absolute path"));
  EXPECT_THAT(Refused({"link", "", AE_IFLNK, 0777, "/etc"}), HasSubstr("leads out"));
  EXPECT_THAT(Refused({"link", "", AE_IFLNK, 0777, "../x"}), HasSubstr("leads out"));
  EXPECT_THAT(Refused({"link", "", AE_IFLNK, 0777, "before/../../x"}), HasSubstr("leads out"));
  EXPECT_THAT(Refused({"hard", "", AE_IFREG, 0644, "", "/etc/passwd"}), HasSubstr("absolute path"));
  EXPECT_THAT(Refused({"hard", "", AE_IFREG, 0644, "", "../x"}), HasSubstr("leads out"));
  EXPECT_FALSE(fs::exists("/tmp/drover-out"));
  EXPECT_FALSE(fs::exists(dir.path() + "/../drover-out"));
}

TEST_F(UnpackTest, NoEntryGoesThroughALink) {
  const std::string bytes =
      Make("tar",
           {{"real/file", "safe"}, {"link", "", AE_IFLNK, 0777, "real"}, {"link/file", "changed"}});
  EXPECT_FALSE(Unpack("tar", bytes).ok());
  EXPECT_EQ(Read("real/file"), "safe");
  // A hard link to a symbolic link.
  EXPECT_FALSE(Unpack("tar", Make("tar", {{"hard", "", AE_IFREG, 0644, "", "link"}})).ok());
}

TEST_F(UnpackTest, SpecialFilesAreRefused) {
  for (const int type : {AE_IFCHR, AE_IFBLK, AE_IFIFO}) {
    EXPECT_THAT(Refused({"special", "", type}), HasSubstr("a device, a pipe or a socket"));
  }
  EXPECT_FALSE(fs::exists(dir.path() + "/special"));
}

TEST_F(UnpackTest, BombsOfEachFormStopAtTheLimit) {
  const std::string zeros(4 << 20, '\0');
  for (const char* form : {"tar", "tar.gz", "tar.bz2", "tar.xz", "tar.zst", "zip"}) {
    const Status done = Unpack(form, Make(form, {{"bomb", zeros}}));
    ASSERT_FALSE(done.ok()) << form;
    EXPECT_THAT(done.error().message(), HasSubstr("more than the limit of 1048576 bytes")) << form;
    EXPECT_LE(fs::file_size(dir.path() + "/bomb"), order.most_bytes) << form;
  }
  std::vector<MadeEntry> many;
  for (int i = 0; i < 60; ++i) many.push_back({"many/" + std::to_string(i), ""});
  EXPECT_THAT(Unpack("tar", Make("tar", many)).error().message(),
              HasSubstr("more than the limit of 50 files"));
}

TEST_F(UnpackTest, ASingleFileIsTakenFromAnArchiveOfOne) {
  order.single = "file";
  for (const char* form : {"gz", "bz2", "xz", "zst", "zip", "tar.gz"}) {
    const Status done = Unpack(form, Make(form, {{"name", "content"}}));
    ASSERT_TRUE(done.ok()) << form << ": " << done.error().message();
    EXPECT_EQ(Read("file"), "content") << form;
    const bool has_mode = form[0] == 't' || form == std::string("zip");
    EXPECT_EQ(ModeOf("file"), has_mode ? 0644u : 0755u) << form;
  }
  EXPECT_THAT(Unpack("tar", Make("tar", {{"a", "1"}, {"b", "2"}})).error().message(),
              HasSubstr("several files"));
  EXPECT_THAT(Unpack("tar", Make("tar", {{"a", "", AE_IFDIR}})).error().message(),
              HasSubstr("has no file"));
}

TEST_F(UnpackTest, ABrokenArchiveIsAnError) {
  const std::string whole = Make("tar.gz", {{"name", std::string(100'000, 'x')}});
  for (const std::string& bytes :
       {whole.substr(0, whole.size() / 2), std::string("<html>404</html>"), std::string()}) {
    const Status done = Unpack("tar.gz", bytes);
    // An empty file is an archive without files.
    EXPECT_TRUE(bytes.empty() || !done.ok());
  }
  EXPECT_FALSE(Unpack("zip", "PK\003\004 no zip").ok());
}

#endif

}  // namespace
}  // namespace drover
