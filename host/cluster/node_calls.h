// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "host/base/co.h"
#include "host/base/context.h"
#include "host/base/result.h"
#include "host/cluster/rpc_caller.h"
#include "host/cluster/wire_alloc.h"
#include "host/cluster/wire_records.h"

namespace drover {

// What a node must remember to be the same node for the servers after a restart.
struct NodeCredentials {
  std::string node_id;    // a UUID in lower case, for the life of the node
  std::string secret_id;  // another UUID, which only the servers may know
  std::string identity;   // the newest token of the node; empty until servers give one
  bool registered = false;
};

// Which allocations a node has, by id, with the index of their last change by a server.
struct NodeAllocIndexes {
  std::map<std::string, std::uint64_t> allocs;
  std::uint64_t index = 0;
};

// A token that a task or service asks for, beside its default one.
struct IdentityRequest {
  std::string alloc_id;
  std::string identity;     // the name of the identity block
  std::string task;         // the task or service that has the block
  bool of_service = false;  // then `task` is the name of a service
};
struct SignedIdentity {
  IdentityRequest request;
  std::string token;     // empty if it was refused
  std::string reason;    // why it was refused
  WallTime expires = 0;  // 0: with the allocation
};

// The calls that a node makes to the servers of its cluster. The object keeps the newest token of
// the node. All functions return the errors of RpcCaller::Call, and Code::kInternal for an answer
// that makes no sense. Control thread only.
class NodeCalls {
 public:
  // The most allocations for which one GetAllocs asks, so that an answer has a bounded size.
  static constexpr std::size_t kMostFetched = 64;
  // The longest that a server waits for changes.
  static constexpr Duration kLongestWait = std::chrono::minutes(5);

  // CALLER must outlive the object.
  NodeCalls(RpcCaller* caller, std::string region, NodeCredentials credentials)
      : caller_(caller), region_(std::move(region)), credentials_(std::move(credentials)) {}

  // They change with the answers to Register and UpdateStatus, and must be stored then.
  const NodeCredentials& credentials() const { return credentials_; }

  // Registers NODE, whose id must be that of the credentials, or registers it again. If the servers
  // refuse the token, tries once more without one. INTRODUCTION is a token that new nodes may need;
  // usually empty.
  Co<Result<NodeUpdateAnswer>> Register(Context context, NodeRecord node,
                                        std::string introduction = {});
  // Reports that the node has STATUS, such as node_status::kReady: a heartbeat. Error kNotFound
  // means that the node must register again. RENEW asks for a new token.
  Co<Result<NodeUpdateAnswer>> UpdateStatus(Context context, std::string status,
                                            bool renew = false);
  // Waits until the allocations of the node have changed after the index NEWER_THAN, at most for
  // WAIT. If they have not, the index of the answer is not above NEWER_THAN. With 0, the leader
  // answers at once.
  Co<Result<NodeAllocIndexes>> GetClientAllocs(Context context, std::uint64_t newer_than,
                                               Duration wait = kLongestWait);
  // Returns the allocations IDS as of INDEX or later. Those that are gone are missing from the
  // answer. Each of them has the datacenter DATACENTER.
  Co<Result<std::vector<WireAlloc>>> GetAllocs(Context context, std::vector<std::string> ids,
                                               std::uint64_t index, std::string datacenter);
  // Reports allocations of the node; does nothing if there are none. Error kFailedPrecondition
  // means that a heartbeat must come first.
  Co<Status> UpdateAlloc(Context context, std::vector<AllocUpdate> updates);
  Co<Status> EmitEvents(Context context, std::vector<NodeEvent> events);

  Co<Status> UpsertServices(Context context, std::vector<ServiceRegistration> services);
  // Removes a registration. It is no error if there is none.
  Co<Status> DeleteService(Context context, std::string service_namespace, std::string id);

  // Asks for tokens of tasks and services. MIN_INDEX is an index at which the servers know their
  // allocations.
  Co<Result<std::vector<SignedIdentity>>> SignIdentities(Context context,
                                                         std::vector<IdentityRequest> requests,
                                                         std::uint64_t min_index);
  // Returns the items of the variable PATH, as a task with TOKEN may read it. Error kNotFound means
  // that there is none.
  Co<Result<StringMap>> ReadVariable(Context context, std::string variable_namespace,
                                     std::string path, std::string token);
  // Asks whether a server answers.
  Co<Status> Ping(Context context);

 private:
  // Returns arguments with the region and TOKEN.
  nlohmann::json Arguments(std::string token) const;
  // The token for all calls but the first.
  const std::string& Token() const;
  // Reads an answer, and keeps the token in it.
  Result<NodeUpdateAnswer> TakeAnswer(const Result<nlohmann::json>& body);
  Co<Result<std::vector<WireAlloc>>> GetSomeAllocs(Context context, std::vector<std::string> ids,
                                                   std::uint64_t index, std::string datacenter);

  RpcCaller* caller_;
  std::string region_;
  NodeCredentials credentials_;
};

}  // namespace drover
