// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// Routes for host volumes. There are no CSI volumes: their lists are empty.
#include <algorithm>

#include "host/acl/rights.h"
#include "host/api/router.h"
#include "host/encode/encode.h"
#include "host/volume/volume_draft.h"

namespace drover {
namespace {

using nlohmann::json;
using VolumePointer = std::shared_ptr<const VolumeRecord>;

constexpr TableMask kOfVolumes = MaskOf(Table::kVolumes);
constexpr TableMask kOfVolumesAndUsers = kOfVolumes | MaskOf(Table::kAllocs);

constexpr RightSet<Capability> kToRead = {Capability::kHostVolumeRead,
                                          Capability::kHostVolumeWrite};
constexpr RightSet<Capability> kToCreate = {Capability::kHostVolumeCreate,
                                            Capability::kHostVolumeWrite};
constexpr RightSet<Capability> kToRegister = {Capability::kHostVolumeRegister,
                                              Capability::kHostVolumeWrite};
constexpr RightSet<Capability> kToDelete = {Capability::kHostVolumeDelete,
                                            Capability::kHostVolumeWrite};

// Returns VOLUME as lists of volumes show it.
json EncodeVolumeStub(const VolumeRecord& volume) {
  json out = VolumeToJson(volume);
  for (const char* field : {"HostPath", "RequestedCapacityMinBytes", "RequestedCapacityMaxBytes",
                            "RequestedCapabilities", "Constraints", "Parameters"}) {
    out.erase(field);
  }
  return out;
}

bool IsWanted(const ApiRequest& request, const VolumeRecord& volume) {
  const auto is = [&request](const char* name, const std::string& value) {
    const std::string wanted = request.Text(name);
    return wanted.empty() || wanted == value;
  };
  return volume.id.starts_with(request.Text("prefix")) && is("node_id", volume.node_id) &&
         is("node_pool", volume.node_pool) && request.MayList(volume.name_space, kToRead);
}

Co<Answer> VolumeList(ApiRequest* request, const std::vector<VolumePointer>& volumes) {
  std::vector<ListItem> items;
  for (const VolumePointer& volume : volumes) {
    items.push_back({volume->id, [volume] { return EncodeVolumeStub(*volume); }});
  }
  return ListAnswer(request, std::move(items));
}

Co<Answer> ListVolumes(ApiRequest* request) {
  if (request->Text("type") != "host") co_return co_await AnswerNoList(request);
  co_return co_await AnswerRead(request, kOfVolumes, [request](const Tables& tables) {
    std::vector<VolumePointer> found;
    for (const auto& [id, volume] : tables.volumes) {
      if (IsWanted(*request, *volume)) found.push_back(volume);
    }
    return Found{tables.IndexOf(kOfVolumes),
                 [request, found = std::move(found)] { return VolumeList(request, found); }};
  });
}

Answer NoVolume() { return ErrorAnswer(404, "volume not found"); }

Answer WholeVolume(const VolumeRecord& volume, const AllocRecords& users) {
  json out = VolumeToJson(volume);
  json& allocations = out["Allocations"] = json::array();
  for (const auto& alloc : users) {
    allocations.push_back(EncodeAllocStub(*alloc, {.task_states = false}));
  }
  return JsonAnswer(out);
}

Co<Answer> ShowVolume(ApiRequest* request) {
  return AnswerRead(request, kOfVolumesAndUsers, [request](const Tables& tables) {
    const VolumePointer volume = Tables::Find(tables.volumes, request->parameter(0));
    AllocRecords users;
    if (volume != nullptr) {
      const auto found = tables.volume_users.find(KeyOf(*volume));
      if (found != tables.volume_users.end()) {
        for (const std::string& id : found->second.allocs) {
          if (auto alloc = Tables::Find(tables.allocs, id)) users.push_back(std::move(alloc));
        }
      }
    }
    return Found{tables.IndexOf(kOfVolumesAndUsers), [request, volume, users = std::move(users)] {
                   // A client that may not see the volume does not learn whether it is there.
                   const bool seen =
                       volume != nullptr && request->acl().Allows(volume->name_space, kToRead);
                   return seen ? WholeVolume(*volume, users) : NoVolume();
                 }};
  });
}

// A request that does not fit the volumes that are there is a conflict, which another try does not
// change.
Answer RefusedVolume(const Error& error) {
  if (error.code() == Code::kFailedPrecondition) return ErrorAnswer(409, error.message());
  return error;
}

Co<Answer> PutVolume(ApiRequest* request, VolumeRequestKind kind, RightSet<Capability> rights) {
  DROVER_CO_ASSIGN(json body, request->Body());
  json sent = Field<json>(body, "Volume");
  if (sent.is_object() && sent.value("Namespace", json()).is_null()) {
    sent["Namespace"] = request->Namespace();
  }
  DROVER_CO_ASSIGN(VolumeRecord draft, ReadVolumeDraft(sent, kind));
  if (draft.name_space == "*") {
    co_return Error(Code::kInvalidArgument, "/Volume/Namespace: a volume is in one namespace");
  }
  if (!request->acl().Allows(draft.name_space, rights)) co_return DeniedAnswer();
  const ApiAgent* const agent = &request->agent();
  if (!agent->put_volume) co_return ErrorAnswer(501, "this agent keeps no volumes");
  const Result<VolumePointer> volume =
      co_await request->Control([agent, draft = std::move(draft), kind](Context context) {
        return agent->put_volume(context, draft, kind);
      });
  if (!volume.ok()) co_return RefusedVolume(volume.error());
  const json answer = {{"Volume", VolumeToJson(**volume)}, {"Warnings", ""}};
  co_return JsonAnswer(answer, (*volume)->modify_index);
}

Co<Answer> CreateVolume(ApiRequest* request) {
  return PutVolume(request, VolumeRequestKind::kCreate, kToCreate);
}
Co<Answer> RegisterVolume(ApiRequest* request) {
  return PutVolume(request, VolumeRequestKind::kRegister, kToRegister);
}

// Returns the volume that the path names, if the client has one of RIGHTS to it.
VolumePointer FindFor(const ApiRequest& request, RightSet<Capability> rights) {
  VolumePointer volume;
  request.agent().store->Read(
      [&](const Tables& tables) { volume = Tables::Find(tables.volumes, request.parameter(0)); });
  const bool allowed = volume != nullptr && request.acl().Allows(volume->name_space, rights);
  return allowed ? volume : nullptr;
}

Co<Answer> DeleteVolume(ApiRequest* request) {
  const VolumePointer volume = FindFor(*request, kToDelete);
  if (volume == nullptr) co_return NoVolume();
  const ApiAgent* const agent = &request->agent();
  if (!agent->delete_volume) co_return ErrorAnswer(501, "this agent keeps no volumes");
  const Status deleted = co_await request->Control(
      [agent, id = volume->id](Context context) { return agent->delete_volume(context, id); });
  if (!deleted.ok()) co_return RefusedVolume(deleted.error());
  co_return JsonAnswer(json::object(), LastIndex(*request));
}

struct FoundClaim {
  VolumePointer volume;
  VolumeClaim claim;
};

Co<Answer> ClaimList(ApiRequest* request, const std::vector<FoundClaim>& claims) {
  std::vector<ListItem> items;
  for (const FoundClaim& of : claims) {
    items.push_back({of.claim.id, [of] { return ClaimToJson(*of.volume, of.claim); }});
  }
  std::sort(items.begin(), items.end(),
            [](const ListItem& a, const ListItem& b) { return a.key < b.key; });
  return ListAnswer(request, std::move(items));
}

Co<Answer> ListClaims(ApiRequest* request) {
  return AnswerRead(request, kOfVolumes, [request](const Tables& tables) {
    const std::string job = request->Text("job_id"), group = request->Text("task_group");
    const std::string name = request->Text("volume_name");
    std::vector<FoundClaim> found;
    for (const auto& [id, volume] : tables.volumes) {
      if (!name.empty() && volume->name != name) continue;
      for (const VolumeClaim& claim : volume->claims) {
        const bool wanted =
            (job.empty() || claim.job_id == job) && (group.empty() || claim.group == group);
        if (wanted && request->MayList(claim.job_namespace, kToRead)) {
          found.push_back({volume, claim});
        }
      }
    }
    return Found{tables.IndexOf(kOfVolumes),
                 [request, found = std::move(found)] { return ClaimList(request, found); }};
  });
}

Co<Answer> RemoveClaim(ApiRequest* request) {
  const std::string id = request->parameter(0);
  bool allowed = false;
  request->agent().store->Read([&](const Tables& tables) {
    for (const auto& [volume_id, volume] : tables.volumes) {
      const auto claim = std::ranges::find(volume->claims, id, &VolumeClaim::id);
      if (claim == volume->claims.end()) continue;
      allowed = request->acl().Allows(claim->job_namespace, kToDelete);
    }
  });
  if (!allowed) co_return ErrorAnswer(404, "claim not found");
  Scheduler* const scheduler = request->agent().scheduler;
  const Status deleted =
      co_await request->ControlNow([scheduler, id] { return scheduler->DeleteClaim(id); });
  if (!deleted.ok()) co_return deleted.error();
  co_return JsonAnswer(json::object(), LastIndex(*request));
}

}  // namespace

std::vector<Route> VolumeRoutes() {
  return {
      {"GET", "/v1/volumes", ListVolumes},
      {"GET", "/v1/volumes/claims", ListClaims},
      {"DELETE", "/v1/volumes/claim/*", RemoveClaim},
      {"GET", "/v1/volume/host/*", ShowVolume},
      {"PUT POST", "/v1/volume/host/create", CreateVolume},
      {"PUT POST", "/v1/volume/host/register", RegisterVolume},
      {"DELETE", "/v1/volume/host/*/delete", DeleteVolume},
  };
}

}  // namespace drover
