// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "host/node_link/cluster_fixture.h"
#include "tests/model/change_model.h"

namespace drover {

// A server, three nodes and three jobs in one process, in simulated time, to which anything may
// happen. The model looks at each group of writes.
class ChangeWorld {
 public:
  explicit ChangeWorld(std::uint64_t seed);
  ~ChangeWorld();
  ChangeWorld(const ChangeWorld&) = delete;
  ChangeWorld& operator=(const ChangeWorld&) = delete;

  // Does one thing chosen at random, and lets some time pass.
  void Step();
  // Puts everything right, and registers versions that work. Returns what is still missing when
  // there was time enough.
  std::vector<std::string> EndWell();
  // Kills the server, and starts the next one with what was stored.
  void KillServer();

  SimulatedCluster& cluster() { return cluster_; }
  ChangeModel& model() { return model_; }
  // What has happened, one thing per line.
  std::string story() const;

 private:
  int Pick(int count) { return static_cast<int>(random_() % static_cast<unsigned>(count)); }
  bool Chance(int percent) { return Pick(100) < percent; }
  void Note(const std::string& what);

  Job MakeJob(const std::string& name);
  Job WorkingJob(const std::string& name);
  SimulatedNode& AnyNode() { return cluster_.node("n" + std::to_string(1 + Pick(3))); }
  // An allocation whose tasks run; null if there is none.
  SimulatedNode::Runner* AnyRunning(const std::string& job);
  std::shared_ptr<const AllocRecord> AnyLive();
  std::shared_ptr<const Deployment> AnyActive();

  void Register();
  void ChangeCount();
  void ChangeDeployment();
  void RevertJob();
  void StopJob();
  void StopAlloc();
  void EndTasks();
  void RestartTasks();
  void ChangeDrain();
  void ChangeLink();
  void Kill();

  void Heal();
  // Lets time pass. Tasks of versions that do not work fail, and nodes decide on the health.
  void Pass(Duration time);
  void JudgeAll();
  // The model looks at what the current server writes.
  void Watch();
  std::vector<std::string> Missing();

  std::mt19937_64 random_;
  std::vector<std::string> story_;
  ChangeModel model_;
  SimulatedCluster cluster_;
  int revision_ = 0;
  std::set<std::pair<std::string, std::string>> judged_;  // allocations and their deployments
};

}  // namespace drover
