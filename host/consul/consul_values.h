// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <list>
#include <memory>
#include <string>

#include "host/base/event.h"
#include "host/base/time.h"
#include "host/base/worker_pool.h"
#include "host/consul/consul_agent.h"
#include "host/render/value_source.h"

namespace drover {

// The keys, services and nodes of Consul as values of templates: see consul_queries.h. Each value
// is a blocking query, which has a connection while it waits. At most so many wait at a time; if
// there are more values, they take turns: what has waited for its turn for the short wait ends the
// oldest of the others. While Consul is away or gives errors, each value is asked
// for again at growing pauses. Control thread only.
class ConsulValues : public ValueSource {
 public:
  struct Options {
    int connections = 64;
    Duration wait = 60s;           // of one blocking query
    Duration short_wait = 5s;      // the same while values take turns
    Duration pause = 100ms;        // between two questions for a value
    Duration poll = 60s;           // between two questions for what Consul cannot wait for
    Duration first_retry = 250ms;  // after an error; doubles until last_retry
    Duration last_retry = 1min;
    std::size_t most_bytes = std::size_t{8} << 20;  // of one value
  };

  // POOL reads long answers, and must outlive this object.
  ConsulValues(Loop* loop, WorkerPool* pool, std::unique_ptr<ConsulAgent> agent, Options options);

  bool Has(const std::string& function) const override;
  Result<std::string> NameOf(const ValueScope& scope, const ValueRequest& request) override;
  Co<void> Watch(Context context, ValueScope scope, ValueRequest request, Publish publish) override;

 private:
  // What one watch knows of its value.
  struct State {
    std::uint64_t index = 0;
    Duration retry;
  };
  Co<Status> AwaitTurn(Context context);
  void EndTurn();
  // Ends the oldest question that only waits for a change.
  void EndOldestWait();
  // Asks once. Returns how long to wait until the next question.
  Co<Duration> Ask(Context context, ValueRequest request, Publish publish,
                   std::shared_ptr<State> state);

  WorkerPool* const pool_;
  const std::unique_ptr<ConsulAgent> agent_;
  const Options options_;
  int asking_ = 0;               // the number of questions that are asked
  int waiting_ = 0;              // the number of watches that wait for their turn
  std::list<Context> blocking_;  // of the questions that wait for a change, the oldest first
  Event turn_;                   // set when a question has ended
};

}  // namespace drover
