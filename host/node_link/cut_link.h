// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "host/scheduler/cluster_link.h"

namespace drover {

// For tests: a link from a node to a scheduler that is slow, or cut, in one direction or in both.
// All of it may change at any moment, also while calls are under way.
class CutLink : public ClusterLink {
 public:
  explicit CutLink(UpdatePace pace = {}) : pace_(pace) {}

  // SERVER is null while there is no server. LIFE ends before SERVER does. After it has ended,
  // calls that wait in SERVER return when the loop runs, and SERVER is not called any more.
  void Connect(ClusterLink* server, const Context& life) {
    server_ = server;
    life_ = life;
  }
  // Cuts the link in both directions, or makes it whole again.
  void Cut() { drops_requests = drops_answers = true; }
  void Mend() { drops_requests = drops_answers = false; }

  UpdatePace pace() const override { return pace_; }
  Co<Result<Duration>> Register(Context context, NodeRecord node) override {
    ++registered;
    return Call<Result<Duration>>(std::move(context), [node](ClusterLink* server, Context limited) {
      return server->Register(std::move(limited), node);
    });
  }
  Co<Result<Duration>> Heartbeat(Context context, std::string node_id) override {
    ++heartbeats;
    return Call<Result<Duration>>(std::move(context),
                                  [node_id](ClusterLink* server, Context limited) {
                                    return server->Heartbeat(std::move(limited), node_id);
                                  });
  }
  Co<Result<NodeAllocs>> FetchAllocs(Context context, std::string node_id,
                                     std::uint64_t newer_than) override {
    return Call<Result<NodeAllocs>>(
        std::move(context), [node_id, newer_than](ClusterLink* server, Context limited) {
          return server->FetchAllocs(std::move(limited), node_id, newer_than);
        });
  }
  Co<Status> UpdateAllocs(Context context, std::string node_id,
                          std::vector<AllocUpdate> updates) override {
    ++batches;
    return Call<Status>(std::move(context),
                        [node_id, updates](ClusterLink* server, Context limited) {
                          return server->UpdateAllocs(std::move(limited), node_id, updates);
                        });
  }
  Co<Status> ReportAllocs(Context context, std::string node_id,
                          std::vector<AllocUpdate> updates) override {
    ++batches;
    return Call<Status>(std::move(context),
                        [node_id, updates](ClusterLink* server, Context limited) {
                          return server->ReportAllocs(std::move(limited), node_id, updates);
                        });
  }
  Co<Status> UpdateServices(Context context, std::string node_id,
                            std::vector<ServiceRegistration> put,
                            std::vector<std::string> gone) override {
    return Call<Status>(std::move(context),
                        [node_id, put, gone](ClusterLink* server, Context limited) {
                          return server->UpdateServices(std::move(limited), node_id, put, gone);
                        });
  }
  Co<Result<std::vector<ServiceRegistration>>> FetchServices(Context context,
                                                             std::string node_id) override {
    return Call<Result<std::vector<ServiceRegistration>>>(
        std::move(context), [node_id](ClusterLink* server, Context limited) {
          return server->FetchServices(std::move(limited), node_id);
        });
  }

  Duration delay{0};            // of each direction
  bool drops_requests = false;  // nothing reaches the server
  bool drops_answers = false;   // the server acts, and the node never hears of it
  Duration patience = 5s;       // after which a call without an answer fails; 0: it fails at once
  int registered = 0;
  int heartbeats = 0;
  int batches = 0;

 private:
  template <typename T>
  using Function = std::function<Co<T>(ClusterLink* server, Context limited)>;

  template <typename T>
  Co<T> Call(Context context, Function<T> function) {
    if (delay > 0s) DROVER_CO_TRY(co_await Sleep(context, delay));
    if (drops_requests || server_ == nullptr || life_->cancelled()) {
      DROVER_CO_TRY(co_await Silence(context));
    }
    const JoinContext limited(context, *life_);
    T answer = co_await function(server_, limited.context());
    if (delay > 0s) DROVER_CO_TRY(co_await Sleep(context, delay));
    if (drops_answers || life_->cancelled()) DROVER_CO_TRY(co_await Silence(context));
    co_return answer;
  }

  // Never succeeds.
  Co<Status> Silence(Context context) {
    if (patience > 0s) DROVER_CO_TRY(co_await Sleep(context, patience));
    co_return Error(Code::kUnavailable, "the cluster cannot be reached", true);
  }

  const UpdatePace pace_;
  ClusterLink* server_ = nullptr;
  std::optional<Context> life_;
};

}  // namespace drover
