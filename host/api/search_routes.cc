// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes that search by the beginning of an id, or by a part of a name.
#include <algorithm>
#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "host/api/namespaces.h"
#include "host/api/router.h"
#include "host/api/scaling_access.h"
#include "host/base/text.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostMatches = 20;  // maximum number of matches for each entry of kContexts
constexpr std::size_t kShortestText = 2;  // minimum size in bytes for a fuzzy search

// What a client needs to see the records of a context.
enum class ContextNeed {
  kNothing,
  kJobs,
  kNodes,
  kNamespaces,
  kServices,
  kVariables,
  kVolumes,
  kScaling
};

struct SearchContext {
  std::string_view name;
  ContextNeed need;
};

// The contexts in which clients may search. Most contexts are always empty in this version.
constexpr SearchContext kContexts[] = {
    {"allocs", ContextNeed::kJobs},
    {"deployment", ContextNeed::kJobs},
    {"evals", ContextNeed::kJobs},
    {"jobs", ContextNeed::kJobs},
    {"nodes", ContextNeed::kNodes},
    {"node_pools", ContextNeed::kNothing},
    {"namespaces", ContextNeed::kNamespaces},
    {"quotas", ContextNeed::kNothing},
    {"recommendations", ContextNeed::kNothing},
    {"scaling_policy", ContextNeed::kScaling},
    {"plugins", ContextNeed::kNothing},
    {"vars", ContextNeed::kVariables},
    {"volumes", ContextNeed::kNothing},
    {"host_volumes", ContextNeed::kVolumes},
    {"groups", ContextNeed::kJobs},
    {"services", ContextNeed::kServices},
    {"tasks", ContextNeed::kJobs},
    {"images", ContextNeed::kJobs},
    {"commands", ContextNeed::kJobs},
    {"classes", ContextNeed::kNodes},
};

constexpr RightSet<Capability> kToFind = {Capability::kReadJob};
constexpr RightSet<Capability> kToFindVolumes = {Capability::kHostVolumeRead,
                                                 Capability::kHostVolumeWrite};

// Returns whether ACL may see anything of a context with NEED in NAME, a namespace or "*".
bool MaySee(const Acl& acl, ContextNeed need, const std::string& name) {
  switch (need) {
    case ContextNeed::kNothing:
      return true;
    case ContextNeed::kJobs:
      return acl.Allows(name, kToFind);
    case ContextNeed::kNodes:
      return acl.Allows(AclArea::kNode, AclLevel::kRead);
    case ContextNeed::kNamespaces:
      return acl.AllowsNamespace(name);
    case ContextNeed::kServices:
      return acl.AllowsServices(name);
    case ContextNeed::kVariables:
      return acl.AllowsAnyVariable(name);
    case ContextNeed::kVolumes:
      return acl.Allows(name, kToFindVolumes);
    case ContextNeed::kScaling:
      return MayListScaling(acl, name);
  }
  return false;
}

// The text for which a client searches, and the context in which the client searches.
struct SearchWanted {
  std::string text;
  std::string context;
  // Of the contexts that are wanted, those in which the client may see anything.
  std::set<std::string_view> seen = {};

  bool Takes(std::string_view name) const { return seen.contains(name); }
};

Result<SearchWanted> ReadWanted(const ApiRequest& request, const char* field) {
  DROVER_ASSIGN(const json body, request.Body());
  SearchWanted wanted{Field<std::string>(body, field), Field<std::string>(body, "Context")};
  const bool everything = wanted.context.empty() || wanted.context == "all";
  bool known = everything, sees_a_record = false;
  for (const SearchContext& one : kContexts) {
    if (!everything && one.name != wanted.context) continue;
    known = true;
    if (!MaySee(request.acl(), one.need, request.Namespace())) continue;
    wanted.seen.insert(one.name);
    sees_a_record = sees_a_record || !everything || one.need != ContextNeed::kNothing;
  }
  if (!known) {
    return Error(Code::kInvalidArgument, "unknown context \"" + wanted.context + "\"");
  }
  if (!sees_a_record) return Error(Code::kPermissionDenied, "Permission denied");
  return wanted;
}

// Returns the hexadecimal digits of PREFIX, the beginning of an id. If their number is odd, drops
// the last digit.
std::string EvenDigits(const std::string& prefix) {
  std::string digits = WithoutHyphens(prefix);
  if (digits.size() % 2 == 1) digits.pop_back();
  return digits;
}

Answer FoundAnswer(json matches, json truncations, std::uint64_t index) {
  return JsonAnswer({{"Matches", std::move(matches)},
                     {"Truncations", std::move(truncations)},
                     {"Index", index},
                     {"LastContact", 0},
                     {"KnownLeader", true}},
                    index);
}

// The ids that match in one context, in the order in which the answer shows them.
class PrefixMatches {
 public:
  void Add(const std::string& id) {
    if (ids_.size() < kMostMatches) {
      ids_.push_back(id);
    } else {
      truncated_ = true;
    }
  }
  void Encode(const char* context, json* matches, json* truncations) {
    (*matches)[context] = std::move(ids_);
    (*truncations)[context] = truncated_;
  }

 private:
  json ids_ = json::array();
  bool truncated_ = false;
};

Co<Answer> SearchPrefix(ApiRequest* request) {
  DROVER_CO_ASSIGN(const SearchWanted wanted, ReadWanted(*request, "Prefix"));
  json matches = json::object(), truncations = json::object();
  std::uint64_t index = 0;
  const std::string digits = EvenDigits(wanted.text);
  const auto fits = [&digits](const std::string& id) {
    return WithoutHyphens(id).starts_with(digits);
  };
  request->agent().store->Read([&](const Tables& tables) {
    index = tables.last_index;
    if (wanted.Takes("jobs")) {
      PrefixMatches found;
      for (const auto& [key, job] : tables.jobs) {
        if (request->MayList(key.first, kToFind) && key.second.starts_with(wanted.text)) {
          found.Add(key.second);
        }
      }
      found.Encode("jobs", &matches, &truncations);
    }
    if (wanted.Takes("allocs")) {
      PrefixMatches found;
      for (const auto& [id, record] : tables.allocs) {
        if (request->MayList(record->alloc->job->job_namespace, kToFind) && fits(id)) {
          found.Add(id);
        }
      }
      found.Encode("allocs", &matches, &truncations);
    }
    if (wanted.Takes("evals")) {
      PrefixMatches found;
      for (const auto& [id, eval] : tables.evals) {
        if (request->MayList(eval->job_namespace, kToFind) && fits(eval->id)) found.Add(eval->id);
      }
      found.Encode("evals", &matches, &truncations);
    }
    if (wanted.Takes("deployment")) {
      PrefixMatches found;
      for (const auto& [id, deployment] : tables.deployments) {
        if (request->MayList(deployment->job_namespace, kToFind) && fits(id)) found.Add(id);
      }
      found.Encode("deployment", &matches, &truncations);
    }
    if (wanted.Takes("nodes")) {
      PrefixMatches found;
      for (const auto& [id, node] : tables.nodes) {
        if (fits(id)) found.Add(id);
      }
      found.Encode("nodes", &matches, &truncations);
    }
    if (wanted.Takes("host_volumes")) {
      PrefixMatches found;
      for (const auto& [id, volume] : tables.volumes) {
        if (request->MayList(volume->name_space, kToFindVolumes) && fits(id)) found.Add(id);
      }
      found.Encode("host_volumes", &matches, &truncations);
    }
    if (wanted.Takes("scaling_policy")) {
      PrefixMatches found;
      for (const auto& [id, policy] : tables.scaling_policies) {
        const std::string& name = policy->job_namespace;
        if (request->InNamespace(name) && MayListScaling(request->acl(), name) && fits(id)) {
          found.Add(id);
        }
      }
      found.Encode("scaling_policy", &matches, &truncations);
    }
    if (wanted.Takes("namespaces")) {
      PrefixMatches found;
      for (const std::string& name : NamespacesOf(tables)) {
        if (name.starts_with(wanted.text) && request->acl().AllowsNamespace(name)) {
          found.Add(name);
        }
      }
      found.Encode("namespaces", &matches, &truncations);
    }
  });
  co_return FoundAnswer(std::move(matches), std::move(truncations), index);
}

std::string Lowered(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(),
                 [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return text;
}

// Finds the names that contain a text. The case of letters is ignored. Names that contain the text
// earlier come first. If two names contain the text at the same place, the shorter name comes
// first.
class FuzzyMatches {
 public:
  explicit FuzzyMatches(const SearchWanted& wanted)
      : wanted_(wanted), text_(Lowered(wanted.text)) {}

  void Add(const char* context, const std::string& name, std::vector<std::string> scope) {
    const std::size_t at = wanted_.Takes(context) ? Lowered(name).find(text_) : std::string::npos;
    if (at != std::string::npos) found_[context].emplace_back(at, name, std::move(scope));
  }

  void Encode(json* matches, json* truncations) {
    for (auto& [context, all] : found_) {
      std::sort(all.begin(), all.end(), [](const Match& a, const Match& b) {
        return std::tuple(a.at, a.name.size(), a.name, a.scope) <
               std::tuple(b.at, b.name.size(), b.name, b.scope);
      });
      (*truncations)[context] = all.size() > kMostMatches;
      for (std::size_t i = 0; i < std::min(all.size(), kMostMatches); ++i) {
        json match = {{"ID", all[i].name}};
        if (!all[i].scope.empty()) match["Scope"] = all[i].scope;
        (*matches)[context].push_back(std::move(match));
      }
    }
  }

 private:
  struct Match {
    Match(std::size_t where, std::string what, std::vector<std::string> in)
        : at(where), name(std::move(what)), scope(std::move(in)) {}
    std::size_t at;
    std::string name;
    std::vector<std::string> scope;
  };

  const SearchWanted& wanted_;
  const std::string text_;
  std::map<std::string, std::vector<Match>> found_;
};

// Returns the value of FIELD in the driver configuration of TASK, such as the program or the image
// that the task runs. Returns an empty text if the configuration has no such text.
std::string ConfiguredText(const Task& task, const char* field) {
  const json config = json::parse(task.config_json, nullptr, false);
  return config.is_object() && config.contains(field) && config[field].is_string()
             ? config[field].get<std::string>()
             : "";
}

void AddJob(const Job& job, FuzzyMatches* found) {
  found->Add("jobs", job.name, {job.job_namespace, job.id});
  for (const TaskGroup& group : job.groups) {
    found->Add("groups", group.name, {job.job_namespace, job.id});
    for (const Task& task : group.tasks) {
      found->Add("tasks", task.name, {job.job_namespace, job.id, group.name});
      const std::vector<std::string> scope = {job.job_namespace, job.id, group.name, task.name};
      const std::string command = ConfiguredText(task, "command");
      const std::string image = ConfiguredText(task, "image");
      if (!command.empty()) found->Add("commands", command, scope);
      if (!image.empty()) found->Add("images", image, scope);
    }
  }
}

Co<Answer> SearchFuzzy(ApiRequest* request) {
  DROVER_CO_ASSIGN(const SearchWanted wanted, ReadWanted(*request, "Text"));
  if (wanted.text.size() < kShortestText) {
    co_return ErrorAnswer(400, "fuzzy search query must be at least 2 characters, got " +
                                   std::to_string(wanted.text.size()));
  }
  std::vector<std::shared_ptr<const JobRecord>> jobs;
  AllocRecords allocs;
  std::vector<std::shared_ptr<const NodeRecord>> nodes;
  std::uint64_t index = 0;
  // The read of the store only collects pointers, because writers wait during a read.
  request->agent().store->Read([&](const Tables& tables) {
    index = tables.last_index;
    for (const auto& [key, job] : tables.jobs) {
      if (request->MayList(key.first, kToFind)) jobs.push_back(job);
    }
    for (const auto& [id, record] : tables.allocs) {
      if (request->MayList(record->alloc->job->job_namespace, kToFind)) allocs.push_back(record);
    }
    for (const auto& [id, node] : tables.nodes) nodes.push_back(node);
  });
  FuzzyMatches found(wanted);
  for (const auto& job : jobs) AddJob(*job->job, &found);
  for (const auto& record : allocs) {
    found.Add("allocs", record->alloc->name, {record->alloc->job->job_namespace, record->id()});
  }
  for (const auto& node : nodes) found.Add("nodes", node->name, {node->id});
  json matches = json::object(), truncations = json::object();
  found.Encode(&matches, &truncations);
  co_return FoundAnswer(std::move(matches), std::move(truncations), index);
}

}  // namespace

std::vector<Route> SearchRoutes() {
  return {
      {"PUT POST", "/v1/search", SearchPrefix},
      {"PUT POST", "/v1/search/fuzzy", SearchFuzzy},
  };
}

}  // namespace drover
