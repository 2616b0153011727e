// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "host/base/printable.h"
#include "host/cli/replace_file.h"
#include "host/cli/text_file.h"
#include "host/hcl/hcl_diagnostics.h"
#include "host/local_commands/local_commands.h"

namespace drover {
namespace {

namespace fs = std::filesystem;

bool IsHclName(const fs::path& path) {
  return path.extension() == ".hcl" || path.extension() == ".nomad";
}

// Adds the files in HCL in DIRECTORY to FILES, sorted by name.
Status AddFiles(const fs::path& directory, bool recursive, std::vector<std::string>* files) {
  std::error_code error;
  std::vector<fs::directory_entry> entries;
  for (fs::directory_iterator at(directory, error), end; !error && at != end; at.increment(error)) {
    entries.push_back(*at);
  }
  if (error) return ErrnoError(error.value(), directory.string());
  std::sort(entries.begin(), entries.end());
  for (const fs::directory_entry& entry : entries) {
    // A symbolic link to a directory could lead out of it, or around in a circle.
    if (entry.is_directory(error) && !entry.is_symlink(error)) {
      if (recursive) DROVER_TRY(AddFiles(entry.path(), recursive, files));
    } else if (entry.is_regular_file(error) && IsHclName(entry.path())) {
      files->push_back(entry.path().string());
    }
  }
  return {};
}

struct FmtCommand {
  std::vector<std::string> paths = {"."};
  bool check = false;
  bool list = true;
  bool recursive = false;
  bool write = true;

  void Declare(CLI::App* command) {
    command->add_option("PATH", paths,
                        "Files in HCL, or directories with files *.hcl and *.nomad (default: .); "
                        "-: stdin, and the result goes to stdout");
    command->add_flag("--check", check, "Changes nothing; exit code 1 if a file would change");
    command->add_flag("--list", list, "Prints the names of files that change (default: true)");
    command->add_flag("--recursive", recursive, "Also in the directories below");
    command->add_flag("--write", write, "Changes the files (default: true)");
    command->footer(
        "Without both --list and --write, the result goes to stdout. Exit code: 0 done, 1 a file "
        "is not valid, or would change with --check, 2 the command line is wrong or a file cannot "
        "be read or written.");
  }

  int Run() const {
    const bool from_stdin = paths.size() == 1 && paths[0] == "-";
    if (from_stdin) return Format("-", true);
    int code = kExitOk;
    std::vector<std::string> files;
    for (const std::string& path : paths) {
      const Status found = Find(path, &files);
      if (!found.ok()) code = Fail("fmt", found.error(), kExitUsage);
    }
    for (const std::string& file : files) {
      code = std::max(code, Format(file, !list && (!write || check)));
    }
    return code;
  }

  Status Find(const std::string& path, std::vector<std::string>* files) const {
    std::error_code error;
    if (fs::is_directory(path, error)) return AddFiles(path, recursive, files);
    if (path == "-") return Error(Code::kInvalidArgument, "-: stands alone, without other paths");
    if (!fs::exists(path, error)) return Error(Code::kNotFound, path + ": no such file");
    if (!IsHclName(path)) {
      return Error(Code::kInvalidArgument, path + ": is not called *.hcl or *.nomad");
    }
    files->push_back(path);
    return {};
  }

  // Lays FILE out and returns the exit code.
  int Format(const std::string& file, bool to_stdout) const {
    const Result<std::string> text = ReadTextFile("file", file);
    if (!text.ok()) return Fail("fmt", text.error(), kExitUsage);
    const std::string name = file == "-" ? "<stdin>" : file;
    const Result<HclLayout> layout = FormatHcl(name, *text);
    if (!layout.ok()) return Fail("fmt", layout.error(), kExitFailed);
    if (!layout->diagnostics.empty()) {
      const std::string faults = DiagnosticsText(layout->diagnostics, {{name, *text}});
      std::fputs(PrintableLines(faults).c_str(), stderr);
      return kExitFailed;
    }
    if (to_stdout) std::fwrite(layout->text.data(), 1, layout->text.size(), stdout);
    if (layout->text == *text) return kExitOk;
    if (list && file != "-") std::printf("%s\n", Printable(file).c_str());
    if (check) return kExitFailed;
    if (!write || file == "-") return kExitOk;
    const Status written = ReplaceFile(file, layout->text);
    return written.ok() ? kExitOk : Fail("fmt", written.error(), kExitUsage);
  }
};

}  // namespace

void AddFmt(const CommandGroup& drover) {
  drover.Add<FmtCommand>("fmt", "Lays out job files and configurations in HCL");
}

}  // namespace drover
