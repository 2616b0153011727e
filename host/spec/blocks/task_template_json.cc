// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/task_template_json.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace drover {
namespace {

using nlohmann::json;

// How many times the shortest wait the longest one is, if a job does not set it.
constexpr int kDefaultWaitFactor = 4;

TemplateScript ReadScript(const JobMembers& in) {
  TemplateScript script;
  in.Read("Command", &script.command);
  in.Read("Args", &script.args);
  in.Read("Timeout", &script.timeout);
  in.Read("FailOnError", &script.fail_on_error);
  in.Read("RunOnFirstRender", &script.run_on_first_render);
  return script;
}

TemplateWait ReadWait(const JobMembers& in) {
  TemplateWait wait;
  in.Read("Min", &wait.min);
  // A minimum that is too long is reported later, and must not overflow here.
  wait.max =
      std::clamp(wait.min, Duration(0), Duration::max() / kDefaultWaitFactor) * kDefaultWaitFactor;
  in.Read("Max", &wait.max);
  return wait;
}

// Reads a text that keeps its default if it is empty.
void ReadText(const JobMembers& in, const char* name, std::string* out) {
  std::string text;
  in.Read(name, &text);
  if (!text.empty()) *out = std::move(text);
}

json ToJson(const TemplateScript& script) {
  return {{"Command", script.command},
          {"Args", script.args},
          {"Timeout", script.timeout.count()},
          {"FailOnError", script.fail_on_error},
          {"RunOnFirstRender", script.run_on_first_render}};
}

json ToJson(const TaskTemplate& of) {
  json out = {{"SourcePath", of.source},
              {"DestPath", of.destination},
              {"EmbeddedTmpl", of.data},
              {"ChangeMode", TemplateChangeModeName(of.change_mode)},
              {"ChangeScript", nullptr},
              {"ChangeSignal", of.change_signal},
              {"Once", of.once},
              {"Splay", of.splay.count()},
              {"Perms", of.perms},
              {"Uid", of.uid},
              {"Gid", of.gid},
              {"LeftDelim", of.left_delimiter},
              {"RightDelim", of.right_delimiter},
              {"Envvars", of.env},
              {"Wait", nullptr},
              {"ErrMissingKey", of.error_on_missing_key}};
  if (of.script) out["ChangeScript"] = ToJson(*of.script);
  if (of.wait) out["Wait"] = {{"Min", of.wait->min.count()}, {"Max", of.wait->max.count()}};
  return out;
}

}  // namespace

void ReadTemplate(const JobMembers& in, TaskTemplate* out) {
  in.Read("SourcePath", &out->source);
  in.Read("DestPath", &out->destination);
  in.Read("EmbeddedTmpl", &out->data);
  using Mode = TaskTemplate::ChangeMode;
  ReadName(in, "ChangeMode", {Mode::kNoop, Mode::kSignal, Mode::kRestart, Mode::kScript},
           TemplateChangeModeName, &out->change_mode);
  in.Read("ChangeSignal", &out->change_signal);
  for (char& c : out->change_signal) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  if (in.Find("ChangeScript") != nullptr) out->script = ReadScript(in.Object("ChangeScript"));
  in.Read("Once", &out->once);
  in.Read("Splay", &out->splay);
  ReadText(in, "Perms", &out->perms);
  in.Read("Uid", &out->uid);
  in.Read("Gid", &out->gid);
  out->uid = std::max(out->uid, -1);
  out->gid = std::max(out->gid, -1);
  ReadText(in, "LeftDelim", &out->left_delimiter);
  ReadText(in, "RightDelim", &out->right_delimiter);
  in.Read("Envvars", &out->env);
  if (in.Find("Wait") != nullptr) out->wait = ReadWait(in.Object("Wait"));
  in.Read("ErrMissingKey", &out->error_on_missing_key);
}

json TemplatesToJson(const std::vector<TaskTemplate>& templates) {
  json list = json::array();
  for (const TaskTemplate& of : templates) list.push_back(ToJson(of));
  return list.empty() ? json(nullptr) : list;
}

}  // namespace drover
