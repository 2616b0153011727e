// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/submitted_job.h"

#include <cstdio>
#include <utility>

#include "host/base/printable.h"
#include "host/spec/strict_json.h"
#include "host/view/json_fields.h"

namespace drover {

using nlohmann::json;

Result<SubmittedJob> ReadSubmittedJob(const std::string& path, const HclOptions& options) {
  DROVER_ASSIGN(JobSource source, ReadJobSource(path, options));
  std::fputs(PrintableLines(source.warnings).c_str(), stderr);
  Result<json> file = ParseStrictJson(source.json);
  if (!file.ok()) return file.error().WithContext("job file " + path);
  SubmittedJob read;
  read.submission = std::move(source.submission);
  read.places = std::move(source.places);
  read.job = file->is_object() && file->contains("Job") ? (*file)["Job"] : std::move(*file);
  read.id = RawField(read.job, "ID");
  if (!read.id.empty()) return read;
  return Error(Code::kInvalidArgument,
               "job file " + path + ": there is no job with an ID in it: see docs/job-fields.md");
}

Query NamespaceQuery(const ApiClient& client) {
  const std::string& name = client.options().job_namespace;
  if (name.empty() || name == "*") return {};
  return {{"namespace", name}};
}

void PrintWarnings(Terminal* terminal, const json& answer) {
  const std::string warnings = RawField(answer, "Warnings");
  if (warnings.empty()) return;
  terminal->Line(terminal->Paint(Terminal::Colour::kYellow, "warning: ") +
                 PrintableLines(warnings));
}

}  // namespace drover
