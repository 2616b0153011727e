// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "host/base/base64.h"
#include "host/base/printable.h"
#include "host/cli/eval_follower.h"
#include "host/cli/id_lookup.h"
#include "host/cli/text_file.h"
#include "host/commands/commands.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

struct JobDispatchCommand {
  std::string id;
  std::string input;              // a file, "-" for standard input, or empty for no payload
  std::vector<std::string> meta;  // each KEY=VALUE
  std::string token;
  std::string id_prefix;
  int priority = 0;  // 0 means that of the job
  WaitOptions wait;

  void Declare(CLI::App* command) {
    AddId(command, &id);
    command->add_option("INPUT", input,
                        "A file with the payload, at most 16384 bytes; \"-\" is standard input");
    command->add_option("--meta", meta, "KEY=VALUE, which the job must allow; may be repeated")
        ->allow_extra_args(false);
    command->add_option("--idempotency-token", token,
                        "Starts nothing if the job was dispatched with the same token already");
    command->add_option("--id-prefix-template", id_prefix, "Becomes a part of the new job's id");
    command->add_option("--priority", priority, "1 to 100, and not that of the job");
    wait.Declare(command);
    AddNote(command, kWaitCodes);
  }

  Status Check() const {
    DROVER_TRY(Meta());
    return {};
  }

  Result<int> Run(ApiClient* client, Output* out) const {
    DROVER_ASSIGN(const JobName job, FindJob(client, id, JobKind::kParameterized));
    DROVER_ASSIGN(json values, Meta());
    json body = {{"JobID", job.id},
                 {"Meta", std::move(values)},
                 {"IdPrefixTemplate", id_prefix},
                 {"Priority", priority}};
    if (!input.empty()) {
      DROVER_ASSIGN(const std::string payload, ReadTextFile("payload", input));
      body["Payload"] = Base64(payload);
    }
    Query query = {{"namespace", job.job_namespace}};
    if (!token.empty()) query.emplace_back("idempotency_token", token);
    DROVER_ASSIGN(const json answer,
                  client->Put(ApiPath("/v1/job", job.id, "/dispatch"), body, query));
    if (!out->raw()) {
      const bool was_there = !token.empty() && RawField(answer, "EvalID").empty();
      out->Line("job \"" + TextField(answer, "DispatchedJobID") + "\" " +
                (was_there ? "is the one with the idempotency token \"" + Printable(token) + "\""
                           : "is dispatched"));
    }
    return FollowAnswer(client, out, wait, answer);
  }

  // Returns the metadata of the arguments.
  Result<json> Meta() const {
    json values = json::object();
    for (const std::string& pair : meta) {
      const std::size_t equals = pair.find('=');
      if (equals == 0 || equals == std::string::npos) {
        return Error(Code::kInvalidArgument,
                     "--meta: \"" + Printable(pair) + "\" is not KEY=VALUE");
      }
      values[pair.substr(0, equals)] = pair.substr(equals + 1);
    }
    return values;
  }
};

}  // namespace

void AddJobDispatch(const ClientGroup& job) {
  job.Add<JobDispatchCommand>("dispatch", "Starts a child of a parameterized job");
}

}  // namespace drover
