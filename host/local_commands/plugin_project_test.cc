// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/local_commands/plugin_project.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "host/base/directory_for_test.h"

namespace drover {
namespace {

const ProjectFile* FindFile(const std::vector<ProjectFile>& files, const std::string& path) {
  const auto found = std::find_if(files.begin(), files.end(),
                                  [&path](const ProjectFile& file) { return file.path == path; });
  return found == files.end() ? nullptr : &*found;
}

class PluginProjectTest : public ::testing::Test {
 protected:
  std::string Path(const std::string& name) const { return directory_.path() + "/" + name; }
  // The names of all entries of the test's directory.
  std::set<std::string> Entries() const {
    std::set<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
      names.insert(entry.path().filename().string());
    }
    return names;
  }
  std::string ReadBack(const std::string& name) const {
    std::ifstream file(Path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  DirectoryForTest directory_;
};

TEST_F(PluginProjectTest, HasTheFilesOfItsLanguage) {
  const std::vector<std::string> common = {".github/workflows/driver.yml",
                                           ".gitignore",
                                           "Makefile",
                                           "README.md",
                                           "driver_test.py",
                                           "job.json",
                                           "job.nomad.hcl",
                                           "kit.json"};
  const std::vector<std::pair<std::string, std::vector<std::string>>> languages = {
      {"c", {"CMakeLists.txt", "my-disk.c"}},
      {"cpp", {"CMakeLists.txt", "my-disk.cc"}},
      {"rust", {"Cargo.toml", "src/lib.rs"}}};
  for (const auto& [language, own] : languages) {
    const auto project = MakePluginProject("my-disk", language);
    ASSERT_TRUE(project.ok()) << project.error().message();
    for (const std::vector<std::string>& names : {common, own}) {
      for (const std::string& name : names) {
        EXPECT_NE(FindFile(*project, name), nullptr) << language << " has no " << name;
      }
    }
  }
}

TEST_F(PluginProjectTest, NoPlaceholderStays) {
  for (const char* language : {"c", "cpp", "rust"}) {
    const auto project = MakePluginProject("my-disk", language);
    ASSERT_TRUE(project.ok());
    for (const ProjectFile& file : *project) {
      EXPECT_EQ((file.path + file.text).find("@NAME@"), std::string::npos) << file.path;
      EXPECT_EQ((file.path + file.text).find("@IDENT@"), std::string::npos) << file.path;
    }
  }
}

TEST_F(PluginProjectTest, TheJobUsesTheDriver) {
  const auto project = MakePluginProject("my-disk", "cpp");
  ASSERT_TRUE(project.ok());
  const auto job = nlohmann::json::parse(FindFile(*project, "job.json")->text);
  EXPECT_EQ(job["Job"]["TaskGroups"][0]["Tasks"][0]["Driver"], "my-disk");
  EXPECT_TRUE(nlohmann::json::parse(FindFile(*project, "kit.json")->text).is_object());
  EXPECT_NE(FindFile(*project, "my-disk.cc")->text.find("DROVER_DRIVER(TaskDriver, \"my-disk\","),
            std::string::npos);
}

TEST_F(PluginProjectTest, ANameThatCompilersRefuseIsChanged) {
  const auto project = MakePluginProject("9-lives", "rust");
  ASSERT_TRUE(project.ok());
  EXPECT_NE(FindFile(*project, "Cargo.toml")->text.find("name = \"driver_9_lives_driver\""),
            std::string::npos);
}

TEST_F(PluginProjectTest, RefusesNamesThatNoDriverCanHave) {
  for (const std::string name :
       {"", "Disk", "a b", "a/b", "../a", "-a", "exec", "docker", "test", "install"}) {
    const auto project = MakePluginProject(name, "cpp");
    ASSERT_FALSE(project.ok()) << name;
    EXPECT_EQ(project.code(), Code::kInvalidArgument);
    EXPECT_EQ(project.error().message().find("NAME: "), 0u) << project.error().message();
  }
  EXPECT_FALSE(MakePluginProject(std::string(64, 'a'), "cpp").ok());
  EXPECT_TRUE(MakePluginProject(std::string(63, 'a'), "cpp").ok());
}

TEST_F(PluginProjectTest, RefusesAnotherLanguage) {
  for (const char* language : {"", "go", "common", "c/"}) {
    EXPECT_FALSE(MakePluginProject("disk", language).ok()) << language;
  }
}

TEST_F(PluginProjectTest, AppearsWhole) {
  ASSERT_TRUE(WritePluginProject(Path("new/"), {{"a", "1"}, {"b/c/d", "2"}}).ok());
  EXPECT_EQ(Entries(), std::set<std::string>{"new"});
  EXPECT_EQ(ReadBack("new/a"), "1");
  EXPECT_EQ(ReadBack("new/b/c/d"), "2");
}

TEST_F(PluginProjectTest, TakesThePlaceOfAnEmptyDirectory) {
  std::filesystem::create_directory(Path("empty"));
  ASSERT_TRUE(WritePluginProject(Path("empty"), {{"a", "1"}}).ok());
  EXPECT_EQ(ReadBack("empty/a"), "1");
}

TEST_F(PluginProjectTest, ALinkToAnEmptyDirectoryStays) {
  std::filesystem::create_directory(Path("empty"));
  std::filesystem::create_symlink("empty", Path("link"));
  const Status written = WritePluginProject(Path("link/"), {{"a", "1"}});
  ASSERT_TRUE(written.ok()) << written.error().message();
  EXPECT_TRUE(std::filesystem::is_symlink(Path("link")));
  EXPECT_EQ(ReadBack("empty/a"), "1");
  EXPECT_EQ(WritePluginProject(Path("link"), {{"b", "2"}}).code(), Code::kFailedPrecondition);
  EXPECT_EQ(Entries(), (std::set<std::string>{"empty", "link"}));
}

TEST_F(PluginProjectTest, ANameMayBeAsLongAsAFileSystemTakes) {
  const std::string longest(255, 'a');
  const Status written = WritePluginProject(Path(longest), {{"a", "1"}});
  ASSERT_TRUE(written.ok()) << written.error().message();
  EXPECT_EQ(ReadBack(longest + "/a"), "1");
  const Status longer = WritePluginProject(Path(longest + "a"), {{"a", "1"}});
  ASSERT_FALSE(longer.ok());
  EXPECT_EQ(longer.error().message().find(Path(longest + "a") + ": "), 0u);
  EXPECT_EQ(Entries(), std::set<std::string>{longest});
}

TEST_F(PluginProjectTest, AMissingParentIsNamed) {
  const Status written = WritePluginProject(Path("missing/new"), {{"a", "1"}});
  ASSERT_FALSE(written.ok());
  EXPECT_EQ(written.error().message().find(Path("missing") + ": "), 0u)
      << written.error().message();
}

TEST_F(PluginProjectTest, OverwritesNothing) {
  std::filesystem::create_directory(Path("full"));
  std::ofstream(Path("full/a")) << "mine";
  std::ofstream(Path("file")) << "mine";
  std::filesystem::create_symlink("nowhere", Path("link"));
  for (const char* name : {"full", "file", "link"}) {
    const Status written = WritePluginProject(Path(name), {{"a", "1"}});
    EXPECT_EQ(written.code(), Code::kFailedPrecondition) << name;
  }
  const Status used = WritePluginProject(Path("full/."), {{"a", "1"}});
  EXPECT_NE(used.error().message().find("it is in use"), std::string::npos);
  EXPECT_EQ(ReadBack("full/a"), "mine");
  EXPECT_EQ(ReadBack("file"), "mine");
  EXPECT_EQ(Entries(), (std::set<std::string>{"full", "file", "link"}));
}

TEST_F(PluginProjectTest, AFailureLeavesNothing) {
  // The second file needs a directory where the first one is.
  EXPECT_FALSE(WritePluginProject(Path("new"), {{"a", "1"}, {"a/b", "2"}}).ok());
  EXPECT_EQ(Entries(), std::set<std::string>{});
  EXPECT_FALSE(WritePluginProject(Path("missing/new"), {{"a", "1"}}).ok());
}

}  // namespace
}  // namespace drover
