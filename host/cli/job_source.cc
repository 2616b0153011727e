// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/job_source.h"

#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "host/cli/shell_word.h"
#include "host/cli/text_file.h"
#include "host/hcl/hcl_diagnostics.h"
#include "host/hcl/is_json.h"
#include "host/hcl/job_hcl.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::string_view kVariablePrefix = "NOMAD_VAR_";

// Splits NAME=VALUE.
HclSetting SettingOf(std::string_view text) {
  const std::size_t equals = text.find('=');
  return {std::string(text.substr(0, equals)), std::string(text.substr(equals + 1))};
}

// Returns the variables that the environment of this program sets.
std::vector<HclSetting> EnvironmentVariables() {
  std::vector<HclSetting> settings;
  for (char** entry = environ; *entry != nullptr; ++entry) {
    const std::string_view text = *entry;
    const std::size_t equals = text.find('=');
    if (!text.starts_with(kVariablePrefix) || equals == std::string_view::npos) continue;
    if (equals > kVariablePrefix.size()) {
      settings.push_back(SettingOf(text.substr(kVariablePrefix.size())));
    }
  }
  return settings;
}

Result<HclRequest> RequestOf(const std::string& path, std::string text, const HclOptions& options) {
  HclRequest request;
  request.file = path == "-" ? "<stdin>" : path;
  request.text = std::move(text);
  request.environment = EnvironmentVariables();
  request.loose = !options.strict;
  request.places = true;
  request.files_below = options.files_below;
  for (const std::string& one : options.variables) {
    if (one.find('=') == std::string::npos || one[0] == '=') {
      return Error(Code::kInvalidArgument, "--var " + one + ": must be NAME=VALUE");
    }
    request.command_line.push_back(SettingOf(one));
  }
  for (const std::string& file : options.variable_files) {
    DROVER_ASSIGN(std::string variables, ReadTextFile("variable file", file));
    request.variable_files.push_back({file, std::move(variables)});
  }
  return request;
}

// The words of the helper about file() and the like. It does not know the option that allows them.
constexpr std::string_view kNoFiles = "functions of files are not allowed here";

// Adds the option that allows functions of files to what DIAGNOSTICS say of them.
std::vector<HclDiagnostic> WithOption(std::vector<HclDiagnostic> diagnostics) {
  for (HclDiagnostic& one : diagnostics) {
    if (one.detail.find(kNoFiles) == std::string::npos) continue;
    one.detail += " --files-below DIRECTORY lets them read the files below that directory.";
  }
  return diagnostics;
}

// VARIABLES_OF_JOB are those that the job file declares. The environment may also hold those of
// other job files, which whoever reads this job must not see.
json SubmissionOf(const HclRequest& request, const std::vector<std::string>& variables_of_job) {
  json flags = json::object();
  for (const HclSetting& one : request.environment) {
    if (std::find(variables_of_job.begin(), variables_of_job.end(), one.name) !=
        variables_of_job.end()) {
      flags[one.name] = one.value;
    }
  }
  for (const HclSetting& one : request.command_line) flags[one.name] = one.value;
  std::string variables;
  for (const HclSource& file : request.variable_files) variables += file.text + "\n";
  return {{"Source", request.text},
          {"Format", "hcl2"},
          {"VariableFlags", std::move(flags)},
          {"Variables", std::move(variables)}};
}

Result<JobSource> ReadHcl(const std::string& path, std::string text, const HclOptions& options) {
  DROVER_ASSIGN(const HclRequest request, RequestOf(path, std::move(text), options));
  DROVER_ASSIGN(HclJob read, ReadJobHcl(request));
  if (read.job.is_null()) return HclError(request, WithOption(read.diagnostics));
  JobSource source;
  source.json = JsonText(read.job);
  source.submission = SubmissionOf(request, read.variables);
  std::vector<HclSource> texts = request.variable_files;
  texts.push_back({request.file, request.text});
  source.warnings = DiagnosticsText(read.diagnostics, texts);
  source.places = JobPlaces({request.file, request.text}, std::move(read.places));
  return source;
}

}  // namespace

void HclOptions::Declare(CLI::App* command) {
  command
      ->add_option("--var", variables,
                   "NAME=VALUE, a variable of a job file in HCL; may be repeated. The environment "
                   "sets variables as NOMAD_VAR_NAME")
      ->allow_extra_args(false);
  command
      ->add_option("--var-file", variable_files,
                   "A file with NAME = VALUE lines in HCL; may be repeated")
      ->allow_extra_args(false);
  command->add_flag("--hcl2-strict", strict,
                    "With =false, a variable that the job file does not declare is a warning");
  command->add_option("--files-below", files_below,
                      "Lets functions of HCL such as file() read the files below this directory, "
                      "where relative paths begin");
}

std::string HclOptions::Words() const {
  std::string words;
  for (const std::string& one : variables) words += " --var " + ShellWord(one);
  for (const std::string& file : variable_files) words += " --var-file " + ShellWord(file);
  if (!strict) words += " --hcl2-strict=false";
  if (!files_below.empty()) words += " --files-below " + ShellWord(files_below);
  return words;
}

Result<JobSource> ReadJobSource(const std::string& path, const HclOptions& options) {
  DROVER_ASSIGN(std::string text, ReadTextFile("job file", path));
  const std::string context = "job file " + path;
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) {
    return Error(Code::kInvalidArgument, context + ": the text is empty");
  }
  if (!IsJsonText(text)) {
    Result<JobSource> read = ReadHcl(path, std::move(text), options);
    return read.ok() ? std::move(read) : read.error().WithContext(context);
  }
  if (!options.variables.empty() || !options.variable_files.empty()) {
    return Error(Code::kInvalidArgument,
                 context + ": is JSON, which has no variables; --var and --var-file are for HCL");
  }
  JobSource source;
  source.submission = {{"Source", text}, {"Format", "json"}};
  source.json = std::move(text);
  return source;
}

}  // namespace drover
