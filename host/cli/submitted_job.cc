// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/submitted_job.h"

#include <utility>

#include "host/base/printable.h"
#include "host/cli/job_file.h"
#include "host/cli/json_fields.h"
#include "host/spec/strict_json.h"

namespace drover {

using nlohmann::json;

Result<SubmittedJob> ReadSubmittedJob(const std::string& path) {
  DROVER_ASSIGN(const std::string text, ReadJobText(path));
  Result<json> file = ParseStrictJson(text);
  if (!file.ok()) return file.error().WithContext("job file " + path);
  SubmittedJob read;
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
