// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes for roles.
#include <algorithm>

#include "host/acl/acl_json.h"
#include "host/acl/acl_state.h"
#include "host/api/acl_answer.h"

namespace drover {
namespace {

using nlohmann::json;

using RoleRecords = std::vector<std::shared_ptr<const RoleRecord>>;

// Returns whether the client may see the role ID: a management token sees all, other tokens their
// own.
bool MaySeeRole(const ApiRequest& request, const std::string& id) {
  const AclPrincipal& who = request.caller().principal;
  if (who.acl->is_management()) return true;
  return who.token != nullptr &&
         std::find(who.token->roles.begin(), who.token->roles.end(), id) != who.token->roles.end();
}

Co<Answer> RoleList(ApiRequest* request, RoleRecords roles) {
  std::vector<ListItem> items;
  items.reserve(roles.size());
  for (const auto& role : roles) {
    items.push_back({role->id, [role] { return RoleJson(*role); }});
  }
  co_return co_await ListAnswer(request, std::move(items));
}

Co<Answer> ListRoles(ApiRequest* request) {
  return AnswerAcl(request, AclTable::kRoles, [request](const AclTables& tables) {
    const std::string prefix = request->Text("prefix");
    RoleRecords found;
    for (const auto& [id, role] : tables.roles()) {
      if (id.starts_with(prefix) && MaySeeRole(*request, id)) found.push_back(role);
    }
    return [request, found] { return RoleList(request, found); };
  });
}

Co<Answer> RoleAnswer(std::shared_ptr<const RoleRecord> role, bool may_see) {
  if (!may_see) co_return DeniedAnswer();
  if (role == nullptr) co_return ErrorAnswer(404, "ACL role not found");
  co_return JsonAnswer(RoleJson(*role));
}

Co<Answer> ShowRole(ApiRequest* request) {
  return AnswerAcl(request, AclTable::kRoles, [request](const AclTables& tables) {
    const std::string& id = request->parameter(0);
    return [role = tables.FindRole(id), may_see = MaySeeRole(*request, id)] {
      return RoleAnswer(role, may_see);
    };
  });
}

Co<Answer> ShowRoleNamed(ApiRequest* request) {
  return AnswerAcl(request, AclTable::kRoles, [request](const AclTables& tables) {
    const auto role = tables.FindRoleNamed(request->parameter(0));
    // A role that does not exist is none of the client's.
    const bool may_see = MaySeeRole(*request, role == nullptr ? "" : role->id);
    return [role, may_see] { return RoleAnswer(role, may_see); };
  });
}

Co<Answer> StoreRole(ApiRequest* request, const std::string id) {
  DROVER_CO_ASSIGN(const json body, request->Body());
  DROVER_CO_ASSIGN(RoleRequest wanted, ReadRoleRequest(body));
  if (!id.empty()) {
    if (!wanted.id.empty() && wanted.id != id) {
      co_return ErrorAnswer(400, "ACL role ID does not match request path");
    }
    wanted.id = id;
  }
  const AclLimits limits = request->agent().settings.Get()->acl_limits;
  RoleWrite made;
  const AclPlan plan = [&](const AclTables& tables, AclMoment moment) -> Result<AclWrite> {
    DROVER_ASSIGN(made, PutRole(tables, wanted, limits, moment));
    return made.write;
  };
  DROVER_CO_ASSIGN(const std::uint64_t index, co_await ChangeAcl(request, plan));
  co_return JsonAnswer(RoleJson(*made.role), index);
}

Co<Answer> MakeRole(ApiRequest* request) { return StoreRole(request, ""); }
Co<Answer> ChangeRole(ApiRequest* request) { return StoreRole(request, request->parameter(0)); }

Co<Answer> RemoveRole(ApiRequest* request) {
  const std::string id = request->parameter(0);
  const AclPlan plan = [&id](const AclTables& tables, AclMoment) { return DeleteRole(tables, id); };
  DROVER_CO_ASSIGN(const std::uint64_t index, co_await ChangeAcl(request, plan));
  Answer done = EmptyAnswer();
  done.index = index;
  co_return done;
}

}  // namespace

std::vector<Route> AclRoleRoutes() {
  return {
      {"GET", "/v1/acl/roles", WithAcl(ListRoles)},
      {"PUT POST", "/v1/acl/role", WithAcl(MakeRole)},
      {"GET", "/v1/acl/role/name/*", WithAcl(ShowRoleNamed)},
      {"GET", "/v1/acl/role/*", WithAcl(ShowRole)},
      {"PUT POST", "/v1/acl/role/*", WithAcl(ChangeRole)},
      {"DELETE", "/v1/acl/role/*", WithAcl(RemoveRole)},
  };
}

}  // namespace drover
