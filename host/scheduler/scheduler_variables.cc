// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
// The writes of variables. They place no allocations.
#include <algorithm>
#include <string>
#include <utility>

#include "host/scheduler/scheduler.h"

namespace drover {

VariableReply Scheduler::LookAtVariable(const VariableKey& key,
                                        std::optional<std::uint64_t> check_index) const {
  VariableReply reply;
  store_->Read([&](const Tables& tables) {
    reply.variable = Tables::Find(tables.variables, key);
    reply.index = tables.IndexOf(MaskOf(Table::kVariables));
  });
  const std::uint64_t there = reply.variable == nullptr ? 0 : reply.variable->modify_index;
  reply.conflict = check_index && *check_index != there;
  return reply;
}

Status Scheduler::CheckVariableRoom(const VariableRecord* before, std::size_t bytes) const {
  if (options_.check_room) DROVER_TRY(options_.check_room());
  std::size_t count = 0, total = 0;
  store_->Read([&](const Tables& tables) {
    count = tables.variables.size();
    total = tables.variable_bytes;
  });
  if (before == nullptr && count >= options_.most_variables) {
    return Error(Code::kResourceExhausted, "there are " + std::to_string(count) +
                                               " variables already: remove those that nobody "
                                               "needs");
  }
  const std::size_t freed = before == nullptr ? 0 : before->sealed_items.size();
  if (total - freed + bytes > options_.most_variable_bytes && bytes > freed) {
    return Error(Code::kResourceExhausted,
                 "the variables have " + std::to_string(total >> 20) +
                     " MiB already, which is all that the agent keeps: remove those that nobody "
                     "needs");
  }
  return {};
}

Result<VariableReply> Scheduler::PutVariable(VariableDraft draft) {
  VariableReply reply = LookAtVariable(draft.key, draft.check_index);
  if (reply.conflict) return reply;
  const auto before = std::move(reply.variable);
  DROVER_TRY(CheckVariableRoom(before.get(), draft.sealed_items.size()));
  auto record = std::make_shared<VariableRecord>();
  record->name_space = std::move(draft.key.first);
  record->path = std::move(draft.key.second);
  record->sealed_items = std::move(draft.sealed_items);
  record->modify_time = loop_->Wall();
  record->create_time = before == nullptr ? record->modify_time : before->create_time;
  reply.index = store_->Write(cause::kVariablePut, [&](Tables* tables, std::uint64_t index) {
    record->modify_index = index;
    record->create_index = before == nullptr ? index : before->create_index;
    tables->Put(std::shared_ptr<const VariableRecord>(record));
    return MaskOf(Table::kVariables);
  });
  reply.variable = std::move(record);
  return reply;
}

Result<VariableReply> Scheduler::DeleteVariable(const VariableKey& key,
                                                std::optional<std::uint64_t> check_index) {
  VariableReply reply = LookAtVariable(key, check_index);
  if (reply.conflict || reply.variable == nullptr) return reply;
  reply.index = store_->Write(cause::kVariableDeleted, [&](Tables* tables, std::uint64_t) {
    tables->Erase(*reply.variable);
    return MaskOf(Table::kVariables);
  });
  reply.variable = nullptr;
  return reply;
}

}  // namespace drover
