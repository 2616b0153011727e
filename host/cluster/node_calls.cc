// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cluster/node_calls.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "host/cluster/wire_object.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr std::size_t kMostAllocsOfNode = 100'000;
constexpr std::size_t kMostSigned = 4096;
// The types of workloads in requests for tokens.
constexpr int kTaskWorkload = 0;
constexpr int kServiceWorkload = 1;

Result<NodeAllocIndexes> ReadAllocIndexes(const json& body) {
  std::optional<Error> fault;
  const WireObject in(body, "Node.GetClientAllocs", &fault);
  NodeAllocIndexes read;
  in.Read("Index", &read.index);
  const json* const allocs = in.Find("Allocs");
  const WireObject indexes = in.Object("Allocs");
  if (allocs != nullptr && allocs->is_object()) {
    if (allocs->size() > kMostAllocsOfNode) in.Fault("Allocs", "has more than a node can carry");
    for (auto one = allocs->begin(); !fault && one != allocs->end(); ++one) {
      if (!IsWireUuid(one.key())) in.Fault("Allocs", "has a key that is no UUID in lower case");
      indexes.Read(one.key().c_str(), &read.allocs[one.key()]);
    }
  }
  if (fault) return *fault;
  return read;
}

Result<std::vector<WireAlloc>> ReadAllocs(const json& body, const std::vector<std::string>& asked,
                                          const std::string& node_id,
                                          const std::string& datacenter) {
  std::optional<Error> fault;
  const WireObject in(body, "Alloc.GetAllocs", &fault);
  (void)in.List("Allocs", asked.size());  // not more than were asked for
  if (fault) return *fault;
  std::vector<WireAlloc> allocs;
  const json* const list = in.Find("Allocs");
  if (list == nullptr) return allocs;
  for (const json& one : *list) {
    if (one.is_null()) continue;
    Result<WireAlloc> read = ReadWireAlloc(one, node_id, datacenter);
    if (!read.ok()) return read.error().WithContext("Alloc.GetAllocs");
    if (std::ranges::find(asked, read->alloc.id) == asked.end()) {
      return Error(Code::kInternal, "Alloc.GetAllocs: the server has sent the allocation " +
                                        read->alloc.id + ", for which nobody has asked");
    }
    allocs.push_back(std::move(*read));
  }
  return allocs;
}

json WireIdentityRequest(const IdentityRequest& request) {
  return {{"AllocID", request.alloc_id},
          {"IdentityName", request.identity},
          {"WorkloadIdentifier", request.task},
          {"WorkloadType", request.of_service ? kServiceWorkload : kTaskWorkload}};
}

SignedIdentity ReadSignedIdentity(const WireObject& in) {
  SignedIdentity read;
  in.Read("AllocID", &read.request.alloc_id);
  in.Read("IdentityName", &read.request.identity);
  in.Read("WorkloadIdentifier", &read.request.task);
  int type = kTaskWorkload;
  in.Read("WorkloadType", &type);
  read.request.of_service = type == kServiceWorkload;
  in.Read("JWT", &read.token);
  in.Read("Reason", &read.reason);
  in.ReadTime("Expiration", &read.expires);
  return read;
}

Result<std::vector<SignedIdentity>> ReadSignedIdentities(const json& body) {
  std::optional<Error> fault;
  const WireObject in(body, "Alloc.SignIdentities", &fault);
  std::vector<SignedIdentity> read;
  for (const char* const list : {"SignedIdentities", "Rejections"}) {
    for (const WireObject& one : in.List(list, kMostSigned))
      read.push_back(ReadSignedIdentity(one));
  }
  if (fault) return *fault;
  return read;
}

Result<StringMap> ReadVariableItems(const json& body, const std::string& path) {
  std::optional<Error> fault;
  const WireObject in(body, "Variables.Read", &fault);
  const bool is_there = in.Find("Data") != nullptr;
  StringMap items;
  in.Object("Data").Read("Items", &items);
  if (fault) return *fault;
  if (!is_there) return Error(Code::kNotFound, "there is no variable " + path);
  return items;
}

}  // namespace

const std::string& NodeCalls::Token() const {
  return credentials_.identity.empty() ? credentials_.secret_id : credentials_.identity;
}

json NodeCalls::Arguments(std::string token) const {
  json args = json::object();
  args["Region"] = region_;
  args["AuthToken"] = std::move(token);
  return args;
}

Result<NodeUpdateAnswer> NodeCalls::TakeAnswer(const Result<json>& body) {
  if (!body.ok()) return body.error();
  Result<NodeUpdateAnswer> answer = ReadNodeUpdateAnswer(*body);
  if (answer.ok() && !answer->identity.empty()) credentials_.identity = answer->identity;
  return answer;
}

Co<Result<NodeUpdateAnswer>> NodeCalls::Register(Context context, NodeRecord node,
                                                 std::string introduction) {
  Result<json> wire = WireNode(node, credentials_.secret_id);
  if (!wire.ok()) co_return wire.error();
  // The servers refuse the secret id of a node that they do not know yet.
  const std::string token = credentials_.registered ? Token() : introduction;
  json args = Arguments(token);
  args["Node"] = std::move(*wire);
  json again = args;
  const std::string method = "Node.Register";
  Result<json> body = co_await caller_->Call(context, method, std::move(args));
  if (body.code() == Code::kPermissionDenied && !token.empty()) {
    again["AuthToken"] = introduction == token ? std::string() : introduction;
    body = co_await caller_->Call(context, method, std::move(again));
    if (body.ok()) credentials_.identity.clear();
  }
  Result<NodeUpdateAnswer> answer = TakeAnswer(body);
  if (answer.ok()) credentials_.registered = true;
  co_return answer;
}

Co<Result<NodeUpdateAnswer>> NodeCalls::UpdateStatus(Context context, std::string status,
                                                     bool renew) {
  json args = Arguments(Token());
  args["NodeID"] = credentials_.node_id;
  args["Status"] = status;
  args["ForceIdentityRenewal"] = renew;
  const std::string method = "Node.UpdateStatus";
  const Result<json> body = co_await caller_->Call(context, method, std::move(args));
  co_return TakeAnswer(body);
}

Co<Result<NodeAllocIndexes>> NodeCalls::GetClientAllocs(Context context, std::uint64_t newer_than,
                                                        Duration wait) {
  json args = Arguments(Token());
  args["NodeID"] = credentials_.node_id;
  args["SecretID"] = credentials_.secret_id;
  args["AllowStale"] = newer_than != 0;
  args["MinQueryIndex"] = newer_than;
  args["MaxQueryTime"] = std::clamp<Duration>(wait, 1s, kLongestWait).count();
  const std::string method = "Node.GetClientAllocs";
  const Result<json> body = co_await caller_->Call(context, method, std::move(args));
  if (!body.ok()) co_return body.error();
  co_return ReadAllocIndexes(*body);
}

Co<Result<std::vector<WireAlloc>>> NodeCalls::GetSomeAllocs(Context context,
                                                            std::vector<std::string> ids,
                                                            std::uint64_t index,
                                                            std::string datacenter) {
  json args = Arguments(Token());
  args["AllocIDs"] = ids;
  args["AllowStale"] = true;
  // The answer comes when the server knows INDEX: when its own is above this one.
  args["MinQueryIndex"] = index == 0 ? 0 : index - 1;
  const std::string method = "Alloc.GetAllocs";
  const Result<json> body = co_await caller_->Call(context, method, std::move(args));
  if (!body.ok()) co_return body.error();
  co_return ReadAllocs(*body, ids, credentials_.node_id, datacenter);
}

Co<Result<std::vector<WireAlloc>>> NodeCalls::GetAllocs(Context context,
                                                        std::vector<std::string> ids,
                                                        std::uint64_t index,
                                                        std::string datacenter) {
  std::vector<WireAlloc> all;
  for (std::size_t first = 0; first < ids.size(); first += kMostFetched) {
    const std::size_t count = std::min(kMostFetched, ids.size() - first);
    const auto begin = ids.begin() + static_cast<std::ptrdiff_t>(first);
    std::vector<std::string> some(begin, begin + static_cast<std::ptrdiff_t>(count));
    Result<std::vector<WireAlloc>> read =
        co_await GetSomeAllocs(context, std::move(some), index, datacenter);
    if (!read.ok()) co_return read.error();
    for (WireAlloc& one : *read) all.push_back(std::move(one));
  }
  co_return all;
}

Co<Status> NodeCalls::UpdateAlloc(Context context, std::vector<AllocUpdate> updates) {
  if (updates.empty()) co_return Status();
  json args = Arguments(Token());
  json& list = args["Alloc"] = json::array();
  for (const AllocUpdate& update : updates) {
    list.push_back(WireAllocUpdate(update, credentials_.node_id));
  }
  const std::string method = "Node.UpdateAlloc";
  const Result<json> body = co_await caller_->Call(context, method, std::move(args));
  if (!body.ok()) co_return body.error();
  co_return Status();
}

Co<Status> NodeCalls::EmitEvents(Context context, std::vector<NodeEvent> events) {
  if (events.empty()) co_return Status();
  json args = Arguments(Token());
  json& list = args["NodeEvents"][credentials_.node_id] = json::array();
  for (const NodeEvent& event : events) list.push_back(WireNodeEvent(event));
  const std::string method = "Node.EmitEvents";
  const Result<json> body = co_await caller_->Call(context, method, std::move(args));
  if (!body.ok()) co_return body.error();
  co_return Status();
}

Co<Status> NodeCalls::UpsertServices(Context context, std::vector<ServiceRegistration> services) {
  if (services.empty()) co_return Status();
  json args = Arguments(Token());
  json& list = args["Services"] = json::array();
  for (const ServiceRegistration& service : services) list.push_back(WireService(service));
  const std::string method = "ServiceRegistration.Upsert";
  const Result<json> body = co_await caller_->Call(context, method, std::move(args));
  if (!body.ok()) co_return body.error();
  co_return Status();
}

Co<Status> NodeCalls::DeleteService(Context context, std::string service_namespace,
                                    std::string id) {
  json args = Arguments(Token());
  args["ID"] = id;
  args["Namespace"] = service_namespace;
  const std::string method = "ServiceRegistration.DeleteByID";
  const Result<json> body = co_await caller_->Call(context, method, std::move(args));
  if (!body.ok() && body.code() != Code::kNotFound) co_return body.error();
  co_return Status();
}

Co<Result<std::vector<SignedIdentity>>> NodeCalls::SignIdentities(
    Context context, std::vector<IdentityRequest> requests, std::uint64_t min_index) {
  if (requests.empty()) co_return std::vector<SignedIdentity>();
  json args = Arguments(Token());
  json& list = args["Identities"] = json::array();
  for (const IdentityRequest& request : requests) list.push_back(WireIdentityRequest(request));
  args["AllowStale"] = true;
  args["MinQueryIndex"] = min_index == 0 ? 0 : min_index - 1;
  const std::string method = "Alloc.SignIdentities";
  const Result<json> body = co_await caller_->Call(context, method, std::move(args));
  if (!body.ok()) co_return body.error();
  co_return ReadSignedIdentities(*body);
}

Co<Result<StringMap>> NodeCalls::ReadVariable(Context context, std::string variable_namespace,
                                              std::string path, std::string token) {
  json args = Arguments(token);
  args["Namespace"] = variable_namespace;
  args["Path"] = path;
  const std::string method = "Variables.Read";
  const Result<json> body = co_await caller_->Call(context, method, std::move(args));
  if (!body.ok()) co_return body.error();
  co_return ReadVariableItems(*body, path);
}

Co<Status> NodeCalls::Ping(Context context) {
  json args = Arguments(Token());
  const std::string method = "Status.Ping";
  const Result<json> body = co_await caller_->Call(context, method, std::move(args));
  if (!body.ok()) co_return body.error();
  co_return Status();
}

}  // namespace drover
