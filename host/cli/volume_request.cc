// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/volume_request.h"

#include <nlohmann/json.hpp>
#include <utility>

#include "host/cli/answer_check.h"
#include "host/cli/text_file.h"
#include "host/cli/volume_spec.h"
#include "host/view/json_fields.h"

namespace drover {

using nlohmann::json;

namespace {

// Sends the specification in FILE to PATH. Returns the volume in the answer.
Result<json> SendVolumeSpec(ApiClient* client, const std::string& path, const std::string& file) {
  DROVER_ASSIGN(const std::string text, ReadTextFile("specification", file));
  DROVER_ASSIGN(json volume, ReadVolumeSpec(file == "-" ? "<stdin>" : file, text));
  Query query;
  const std::string& name_space = client->options().job_namespace;
  if (!name_space.empty()) query.emplace_back("namespace", name_space);
  json body = json::object();
  body["Volume"] = std::move(volume);
  DROVER_ASSIGN(const json answer, client->Put(path, body, std::move(query)));
  DROVER_TRY(CheckIsObject(answer));
  const json& made = MapField(answer, "Volume");
  DROVER_TRY(CheckIsObject(made));
  return made;
}

}  // namespace

void VolumeSpecCommand::Declare(CLI::App* command) {
  command->add_option("FILE", file_, "The specification, in HCL or JSON; - is standard input")
      ->required();
  command->add_flag("--detach", detach_, "Changes nothing: the agent answers when it is ready");
  AddNote(command, kind_.note);
}

Result<int> VolumeSpecCommand::Run(ApiClient* client, Output* out) const {
  DROVER_ASSIGN(const json volume, SendVolumeSpec(client, kind_.path, file_));
  return out->Print(volume, std::string(kind_.done) + " host volume " + TextField(volume, "Name") +
                                " with ID " + TextField(volume, "ID"));
}

}  // namespace drover
