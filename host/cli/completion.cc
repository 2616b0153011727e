// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/completion.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "host/base/printable.h"
#include "host/cli/exit_code.h"
#include "host/cli/id_lookup.h"
#include "host/cli/record_search.h"
#include "host/client/api_client.h"
#include "host/view/json_fields.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostIds = 200;  // maximum number of ids that a completion offers

std::vector<const CLI::App*> Children(const CLI::App& app) {
  return app.get_subcommands([](const CLI::App*) { return true; });
}

// Returns the options of APP and of the option groups in it.
std::vector<const CLI::Option*> OwnOptions(const CLI::App& app) {
  std::vector<const CLI::Option*> options = app.get_options();
  for (const CLI::App* child : Children(app)) {
    if (!child->get_name().empty()) continue;
    for (const CLI::Option* option : OwnOptions(*child)) options.push_back(option);
  }
  return options;
}

// Returns the options that the command APP accepts: its own options, and the options of the groups
// that contain APP.
std::vector<const CLI::Option*> AllOptions(const CLI::App& app) {
  std::vector<const CLI::Option*> options = OwnOptions(app);
  for (const CLI::App* at = &app; at->get_parent() != nullptr && at->get_fallthrough();) {
    at = at->get_parent();
    for (const CLI::Option* option : OwnOptions(*at)) options.push_back(option);
  }
  return options;
}

// Returns the outermost group that contains APP. For "job tag apply", this is "job".
const CLI::App* TopGroup(const CLI::App& app) {
  const CLI::App* group = &app;
  while (group->get_parent() != nullptr && group->get_parent()->get_parent() != nullptr) {
    group = group->get_parent();
  }
  return group;
}

// Returns the option of APP with the name WORD, such as "--tail" or "-n", or null if there is
// none.
const CLI::Option* FindOption(const CLI::App& app, const std::string& word) {
  const std::string name = word.substr(word.starts_with("--") ? 2 : 1);
  for (const CLI::Option* option : AllOptions(app)) {
    const auto& longs = option->get_lnames();
    const auto& shorts = option->get_snames();
    if (std::count(longs.begin(), longs.end(), name) +
        std::count(shorts.begin(), shorts.end(), name)) {
      return option;
    }
  }
  return nullptr;
}

bool TakesValue(const CLI::Option* option) {
  return option != nullptr && option->get_items_expected_max() > 0;
}

// Returns the name of the NTH positional argument of APP, such as "ID" or "FILE".
std::string PositionalName(const CLI::App& app, std::size_t nth) {
  for (const CLI::Option* option : OwnOptions(app)) {
    if (!option->get_positional()) continue;
    const bool many = option->get_items_expected_max() > 1;
    if (many || nth-- == 0) return option->get_name(true);
  }
  return "";
}

// Returns the endings of the files that the positional argument WANTED of a command of GROUP names.
std::vector<std::string> FileEndings(const std::string& wanted, const CLI::App& command,
                                     const CLI::App& group) {
  const bool is_job = wanted == "JOB" || (wanted == "FILE" && group.get_name() == "job");
  if (is_job) return {".hcl", ".nomad", ".json"};
  if (wanted == "PATH" && command.get_name() == "fmt") return {".hcl", ".nomad"};
  return {};
}

// Returns the files with one of ENDINGS, and the directories, whose paths begin with BEGUN. A
// directory has a slash at its end.
std::vector<std::string> Files(const std::vector<std::string>& endings, const std::string& begun) {
  namespace fs = std::filesystem;
  const std::size_t slash = begun.rfind('/');
  const std::string above = slash == std::string::npos ? "" : begun.substr(0, slash + 1);
  const std::string name_begun = begun.substr(above.size());
  std::vector<std::string> found;
  std::error_code error;
  for (fs::directory_iterator at(above.empty() ? "." : above, error), end; !error && at != end;
       at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.starts_with(name_begun) || (name_begun.empty() && name[0] == '.')) continue;
    std::error_code unknown;
    const auto ends = [&name](const std::string& ending) { return name.ends_with(ending); };
    if (at->is_directory(unknown)) {
      found.push_back(above + name + "/");
    } else if (std::any_of(endings.begin(), endings.end(), ends)) {
      found.push_back(above + name);
    }
  }
  std::sort(found.begin(), found.end());
  return found;
}

// The result of reading all words except the last one: the command, and what its next word can be.
struct Way {
  const CLI::App* app;
  std::size_t positionals = 0;
  const CLI::Option* value = nullptr;  // the option that needs the next word as its value, or null
  bool of_job = false;                 // true after --job, so the argument ID is the id of a job
};

Way Follow(const CLI::App& root, const std::vector<std::string>& words) {
  Way way{&root};
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (std::exchange(way.value, nullptr) != nullptr) continue;
    if (word.size() > 1 && word[0] == '-') {
      const CLI::Option* const option = FindOption(*way.app, word);
      if (word.find('=') == std::string::npos && TakesValue(option)) way.value = option;
      way.of_job = way.of_job || word == "--job" || word == "-job";
      continue;
    }
    const std::vector<const CLI::App*> children = Children(*way.app);
    const auto child = std::find_if(children.begin(), children.end(), [&](const CLI::App* one) {
      return !word.empty() && one->get_name() == word;
    });
    if (child != children.end()) {
      way.app = *child;
    } else {
      ++way.positionals;
    }
  }
  return way;
}

// Requests from an agent the ids of all kinds that begin with BEGUN.
std::vector<std::string> AnyIds(ApiClient* client, const std::string& begun) {
  std::vector<std::string> ids;
  bool truncated = false;
  const json answer = SearchRecords(client, begun).value_or(json());
  for (FoundRecord& record : FoundRecords(answer, begun, &truncated)) {
    ids.push_back(std::move(record.id));
  }
  return ids;
}

// Returns the path that lists records of KIND.
const char* ListOf(const std::string& kind) {
  if (kind == "job") return "/v1/jobs";
  if (kind == "namespace") return "/v1/namespaces";
  if (kind == "alloc") return kAllocIds.list;
  if (kind == "node") return kNodeIds.list;
  if (kind == "deployment") return kDeploymentIds.list;
  return kind == "scaling" ? kScalingIds.list : kEvalIds.list;
}

// Requests from an agent the ids of KIND that begin with BEGUN.
std::vector<std::string> IdsOf(ApiClient* client, const std::string& kind,
                               const std::string& begun) {
  Query query = {{"namespace", client->SearchedNamespace()}, {"task_states", "false"}};
  if (kind == "job" || kind == "namespace") {
    query.emplace_back("prefix", begun);
  } else if (const Result<std::string> prefix = ListedPrefix(begun); prefix.ok()) {
    query.emplace_back("prefix", *prefix);
  }
  query.emplace_back("per_page", std::to_string(kMostIds));
  const json answer = client->Get(ListOf(kind), query).value_or(json());
  std::vector<std::string> ids;
  for (const json& stub : AsList(answer)) {
    ids.push_back(RawField(stub, kind == "namespace" ? "Name" : "ID"));
  }
  return ids;
}

// Returns the ids of KIND that begin with BEGUN. Requests them from an agent. Returns no ids if the
// request fails.
std::vector<std::string> Ids(const std::string& kind, const std::string& begun) {
  Result<ApiClient> client = ApiClient::Create(ClientOptions());
  if (!client.ok()) return {};
  std::vector<std::string> ids =
      kind == "any" ? AnyIds(&*client, begun) : IdsOf(&*client, kind, begun);
  // Ids with characters that Printable replaces are not offered, because such characters could have
  // a special meaning for a shell or a terminal.
  std::erase_if(
      ids, [&](const std::string& id) { return !id.starts_with(begun) || Printable(id) != id; });
  return ids;
}

}  // namespace

Completion Complete(const CLI::App& app, const std::vector<std::string>& words) {
  Completion out;
  const Way way = Follow(app, words);
  const std::string begun = words.empty() ? "" : words.back();
  if (way.value != nullptr) {
    for (const char* kind : {"job", "alloc"}) {
      if (way.value->check_lname(kind)) out.ids_of = kind;
    }
    if (way.value->check_lname("node-id")) out.ids_of = "node";
    if (way.value->check_lname("var-file")) out.file_endings = {".hcl", ".var", ".vars"};
    return out;
  }
  const auto offer = [&out, &begun](const std::string& word) {
    if (word.starts_with(begun)) out.words.push_back(word);
  };
  if (begun.starts_with("-")) {
    for (const CLI::Option* option : AllOptions(*way.app)) {
      for (const std::string& name : option->get_lnames()) offer("--" + name);
    }
  } else {
    for (const CLI::App* child : Children(*way.app)) {
      if (!child->get_name().empty()) offer(child->get_name());
    }
    const CLI::App* const group = TopGroup(*way.app);
    const std::string wanted = PositionalName(*way.app, way.positionals);
    out.file_endings = FileEndings(wanted, *way.app, *group);
    if (wanted == "ID") {
      // A command without a group, such as "status", finds records of all kinds.
      out.ids_of = group == way.app ? "any" : group->get_name();
      if (way.of_job) out.ids_of = "job";
    }
    if (wanted == "NAME" && group->get_name() == "namespace") out.ids_of = "namespace";
  }
  std::sort(out.words.begin(), out.words.end());
  out.words.erase(std::unique(out.words.begin(), out.words.end()), out.words.end());
  return out;
}

int CompleteCommand(const CLI::App& app, const std::vector<std::string>& words) {
  Completion found = Complete(app, words);
  const std::string begun = words.empty() ? "" : words.back();
  if (!found.ids_of.empty()) found.words = Ids(found.ids_of, begun);
  if (!found.file_endings.empty()) {
    for (const std::string& file : Files(found.file_endings, begun)) {
      // Names with such characters could have a special meaning for a shell or a terminal.
      if (Printable(file) == file) found.words.push_back(file);
    }
  }
  for (const std::string& word : found.words) std::printf("%s\n", word.c_str());
  return kExitOk;
}

}  // namespace drover
