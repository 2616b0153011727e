// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes for the first token and for policies.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "host/acl/acl_json.h"
#include "host/acl/acl_state.h"
#include "host/api/acl_answer.h"
#include "host/base/owned_path.h"
#include "host/base/text.h"
#include "host/base/worker_pool.h"

namespace drover {
namespace {

using nlohmann::json;

// How long the text of a policy waits for its turn to be read. A turn takes a few seconds at most.
constexpr Duration kPolicyTurnWait = 10s;

// Returns the number in the file PATH, which an operator writes to allow one more bootstrap. The
// result is 0 if there is no such file, or if others could have written it. Blocks.
std::uint64_t ReadResetIndex(const std::string& path) {
  const OwnedKind kind{"files that reset the bootstrap", "the number"};
  const Result<UniqueFd> file = OpenOwned(path, O_RDONLY | O_NOCTTY | O_NONBLOCK, kind);
  struct stat info{};
  if (!file.ok() || fstat(file->get(), &info) != 0 || !S_ISREG(info.st_mode)) return 0;
  char text[32];
  const ssize_t size = read(file->get(), text, sizeof text);
  if (size <= 0 || size == sizeof text) return 0;
  std::string_view number(text, static_cast<std::size_t>(size));
  while (number.ends_with('\n') || number.ends_with(' ')) number.remove_suffix(1);
  return ParseNumber<std::uint64_t>(number).value_or(0);
}

// Returns whether the client may make the first token. Where the agent has a token of its own,
// there is a management token already, so only who has it may make another one. A task may never
// become the operator.
bool MayBootstrap(const ApiRequest& request) {
  const AclPrincipal& who = request.caller().principal;
  if (who.acl->is_management()) return true;
  if (request.caller().entrance == Entrance::kTask || who.acl->task()) return false;
  const AclResolver* const resolver = request.agent().resolver;
  return resolver == nullptr || !resolver->has_agent_token();
}

Co<Answer> Bootstrap(ApiRequest* request) {
  if (!MayBootstrap(*request)) co_return DeniedAnswer();
  std::string secret;
  if (!request->http().body.empty()) {
    DROVER_CO_ASSIGN(const json body, request->Body());
    secret = Field<std::string>(body, "BootstrapSecret");
  }
  std::uint64_t reset_index = 0;
  const std::string& path = request->agent().bootstrap_reset_file;
  if (!path.empty()) {
    reset_index =
        co_await request->agent().file_workers->Run([path] { return ReadResetIndex(path); });
  }
  TokenWrite made;
  const AclPlan plan = [&](const AclTables& tables, AclMoment moment) -> Result<AclWrite> {
    DROVER_ASSIGN(made, BootstrapToken(tables, secret, reset_index, moment));
    return made.write;
  };
  DROVER_CO_ASSIGN(const std::uint64_t index, co_await ChangeAcl(request, plan));
  co_return JsonAnswer(TokenJson(*made.token, AclTables(), made.secret), index);
}

using PolicyRecords = std::vector<std::shared_ptr<const PolicyRecord>>;

Co<Answer> PolicyList(ApiRequest* request, PolicyRecords policies) {
  std::vector<ListItem> items;
  items.reserve(policies.size());
  for (const auto& policy : policies) {
    items.push_back({policy->name, [policy] { return PolicyStubJson(*policy); }});
  }
  co_return co_await ListAnswer(request, std::move(items));
}

// Lists all policies, or those of the client if it is no management token.
Co<Answer> ListPolicies(ApiRequest* request) {
  return AnswerAcl(request, AclTable::kPolicies, [request](const AclTables& tables) {
    const bool all = request->acl().is_management();
    const std::set<std::string> own = all ? std::set<std::string>() : OwnPolicies(*request, tables);
    const std::string prefix = request->Text("prefix");
    PolicyRecords found;
    for (const auto& [name, policy] : tables.policies()) {
      if (name.starts_with(prefix) && (all || own.contains(name))) found.push_back(policy);
    }
    return [request, found] { return PolicyList(request, found); };
  });
}

// Lists the policies that the client has, also if it is a management token.
Co<Answer> ListOwnPolicies(ApiRequest* request) {
  return AnswerAcl(request, AclTable::kPolicies, [request](const AclTables& tables) {
    PolicyRecords found;
    for (const std::string& name : OwnPolicies(*request, tables)) {
      found.push_back(tables.FindPolicy(name));
    }
    return [request, found] { return PolicyList(request, found); };
  });
}

Co<Answer> PolicyAnswer(std::shared_ptr<const PolicyRecord> policy, bool may_see) {
  if (!may_see) co_return DeniedAnswer();
  if (policy == nullptr) co_return ErrorAnswer(404, "ACL policy not found");
  co_return JsonAnswer(PolicyRecordJson(*policy));
}

Co<Answer> ShowPolicy(ApiRequest* request) {
  return AnswerAcl(request, AclTable::kPolicies, [request](const AclTables& tables) {
    const std::string& name = request->parameter(0);
    const bool may_see =
        request->acl().is_management() || OwnPolicies(*request, tables).contains(name);
    return [policy = tables.FindPolicy(name), may_see] { return PolicyAnswer(policy, may_see); };
  });
}

// Reads the text of a policy on a thread of its own, since a program may have to read it.
Co<Result<std::shared_ptr<const Policy>>> ReadRules(ApiRequest* request, const std::string text) {
  if (text.size() > kMostPolicyBytes) {
    co_return Error(Code::kInvalidArgument,
                    "the rules are longer than " + std::to_string(kMostPolicyBytes) + " bytes");
  }
  ByteBudget::Owner owner{request->http().client, [] {}};
  const Context waiting = request->exchange()->context().WithTimeout(kPolicyTurnWait);
  const Result<ByteBudget::Share> turn =
      co_await request->agent().hcl_turns->Take(waiting, 1, std::move(owner));
  if (!turn.ok()) {
    co_return Error(Code::kResourceExhausted,
                    "too many policies are read at the moment; try again");
  }
  WorkerPool reader(1);
  DROVER_CO_ASSIGN(Policy rules, co_await reader.Run([&text] { return ReadPolicy(text); }));
  co_return std::make_shared<const Policy>(std::move(rules));
}

Co<Answer> StorePolicy(ApiRequest* request) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  DROVER_CO_ASSIGN(PolicyRequest wanted, ReadPolicyRequest(body));
  if (wanted.name.empty()) wanted.name = request->parameter(0);
  if (wanted.name != request->parameter(0)) {
    co_return ErrorAnswer(400, "ACL policy name does not match request path");
  }
  auto rules = co_await ReadRules(request, wanted.text);
  if (rules.code() == Code::kResourceExhausted) co_return ErrorAnswer(429, rules.error().message());
  if (!rules.ok()) co_return rules.error();
  wanted.rules = std::move(*rules);
  const AclLimits limits = request->agent().settings.Get()->acl_limits;
  const AclPlan plan = [&](const AclTables& tables, AclMoment moment) -> Result<AclWrite> {
    DROVER_ASSIGN(PolicyWrite made, PutPolicy(tables, wanted, limits, moment));
    return made.write;
  };
  DROVER_CO_ASSIGN(const std::uint64_t index, co_await ChangeAcl(request, plan));
  Answer done = EmptyAnswer();
  done.index = index;
  co_return done;
}

Co<Answer> RemovePolicy(ApiRequest* request) {
  const std::vector<std::string> names = {request->parameter(0)};
  const AclPlan plan = [&names](const AclTables& tables, AclMoment) {
    return DeletePolicies(tables, names);
  };
  DROVER_CO_ASSIGN(const std::uint64_t index, co_await ChangeAcl(request, plan));
  Answer done = EmptyAnswer();
  done.index = index;
  co_return done;
}

}  // namespace

std::vector<Route> AclRoutes() {
  return {
      {"PUT POST", "/v1/acl/bootstrap", WithAcl(Bootstrap)},
      {"GET", "/v1/acl/policies", WithAcl(ListPolicies)},
      {"GET", "/v1/acl/policy/self", WithAcl(ListOwnPolicies)},
      {"GET", "/v1/acl/policy/*", WithAcl(ShowPolicy)},
      {"PUT POST", "/v1/acl/policy/*", WithAcl(StorePolicy)},
      {"DELETE", "/v1/acl/policy/*", WithAcl(RemovePolicy)},
  };
}

}  // namespace drover
