// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Names a version of a job, and takes the name away.
#include <nlohmann/json.hpp>

#include "host/base/printable.h"
#include "host/cli/cli.h"
#include "host/cli/client_command.h"
#include "host/cli/id_lookup.h"
#include "host/cli/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

std::string TagPath(const JobName& job, const std::string& tag) {
  return ApiPath(ApiPath("/v1/job", job.id, "/versions"), tag, "/tag");
}

Result<int> Apply(ApiClient* client, Terminal* terminal, const JobOptions& options) {
  DROVER_ASSIGN(const JobName job, FindJob(client, options.id));
  json body = {{"Name", options.tag}, {"Description", options.description}};
  if (options.version) {
    body["Version"] = *options.version;
  } else {
    body["Latest"] = true;
  }
  DROVER_ASSIGN(const json answer,
                client->Put(TagPath(job, options.tag), body, {{"namespace", job.job_namespace}}));
  if (options.raw()) return PrintAnswer(options, answer);
  terminal->Line((options.version ? "version " + std::to_string(*options.version)
                                  : std::string("the last version")) +
                 " of the job \"" + Printable(job.id) + "\" is tagged \"" + Printable(options.tag) +
                 "\"");
  return kExitOk;
}

Result<int> Unset(ApiClient* client, Terminal* terminal, const JobOptions& options) {
  DROVER_ASSIGN(const JobName job, FindJob(client, options.id));
  DROVER_ASSIGN(const json answer,
                client->Delete(TagPath(job, options.tag), {{"namespace", job.job_namespace}}));
  if (options.raw()) return PrintAnswer(options, answer);
  terminal->Line("no version of the job \"" + Printable(job.id) + "\" is tagged \"" +
                 Printable(options.tag) + "\" any more");
  return kExitOk;
}

}  // namespace

int JobTagApplyCommand(const JobOptions& options) {
  return RunClientCommand("job tag apply", options,
                          [&](auto* client, auto* out) { return Apply(client, out, options); });
}

int JobTagUnsetCommand(const JobOptions& options) {
  return RunClientCommand("job tag unset", options,
                          [&](auto* client, auto* out) { return Unset(client, out, options); });
}

}  // namespace drover
