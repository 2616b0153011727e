// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <map>
#include <memory>

#include "host/base/context.h"
#include "host/base/event.h"

namespace drover {

// The commands of one plugin instance that have not ended. Control thread only.
class CommandTable {
 public:
  explicit CommandTable(Loop* loop) : loop_(loop) {}

  // Adds a command, which ends with CONTEXT. Returns false if another command has the same pointer.
  bool Add(void* command, Context context) { return open_.emplace(command, context).second; }
  void Remove(void* command) { open_.erase(command); }
  // Ends a command. Does nothing if the command is unknown.
  void Cancel(void* command);

  // Returns success when the command may run, and counts it. Commands get their turns in the order
  // of their calls. Fails if too many wait, or if CONTEXT ends first.
  Co<Status> AwaitTurn(Context context);
  // Must be called when a command that had its turn has ended.
  void EndTurn();

 private:
  Loop* const loop_;
  std::map<void*, Context> open_;
  int running_ = 0;
  std::deque<std::shared_ptr<Event>> waiting_;
};

// Returns the function table of drover.command.
const void* CommandExtension();

}  // namespace drover
