// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "host/base/event.h"
#include "host/spec/job.h"
#include "host/task/task_seams.h"
#include "host/task/task_state.h"

namespace drover {

// The states of the tasks of one allocation, by their names.
using TaskStates = std::map<std::string, TaskSnapshot>;

// The phase of an allocation's life. Each phase lets some classes of tasks start.
enum class LifecyclePhase {
  kInit,       // no task may start
  kPrestart,   // prestart tasks may start
  kMain,       // main tasks may start, and prestart sidecars may restart
  kPoststart,  // poststart tasks may start, too
  kWaitAlloc,  // main tasks and sidecars may restart; one-shot tasks are done
  kPoststop,   // only poststop tasks may start
};

// The start gate of one task. It is closed at first. Open and Close may be repeated. After
// Shutdown they have no effect, and a caller of WaitOpen waits until its context ends.
class TaskGate : public StartGate {
 public:
  explicit TaskGate(Loop* loop) : opened_(loop) {}

  void Open();
  void Close();
  void Shutdown();
  bool is_open() const { return opened_.is_set(); }

  Co<Status> WaitOpen(Context context) override;

 private:
  Event opened_;
  bool shutdown_ = false;
};

// Decides which tasks of an allocation may start. It owns one gate per task. The task's runner
// waits at this gate before each start. The coordinator opens and closes the gates as the tasks'
// states change. Closing a gate does not affect a running task. Control thread only.
class Coordinator {
 public:
  Coordinator(Loop* loop, const TaskGroup& group);

  // The gate of a task of the group. It exists as long as the coordinator, or until Forget.
  TaskGate* gate(const std::string& task) { return &gates_.at(task)->gate; }
  LifecyclePhase phase() const { return phase_; }

  // Advances the phase as far as STATES allow, perhaps by several phases.
  void TaskStatesChanged(const TaskStates& states);
  // Enters the phase that follows from STATES, after a restart of the agent. The earlier agent may
  // already have been in a later phase.
  void Restore(const TaskStates& states);
  // Begins the phases of the whole allocation again. No task starts until all tasks are pending.
  void Restart();
  // Leaves TASK out of the restart in progress. So the other tasks do not wait until TASK is
  // pending.
  void LeaveOut(const std::string& task) { gates_.at(task)->left_out = true; }
  // Closes all gates for good, so no task starts any more.
  void Shutdown();
  // Frees the gates. Call it when no task runner uses a gate any more.
  void Forget() { gates_.clear(); }

 private:
  enum class Class {
    kPrestartOneShot,
    kPrestartSidecar,
    kMain,
    kPoststartOneShot,
    kPoststartSidecar,
    kPoststop,
  };
  struct Entry {
    Entry(Loop* loop, Class of_class) : task_class(of_class), gate(loop) {}
    const Class task_class;
    TaskGate gate;
    bool left_out = false;  // whether the restart in progress leaves this task out
  };

  static Class ClassOf(const Task& task);
  static bool MayStart(LifecyclePhase phase, Class task_class);
  LifecyclePhase Next(const TaskStates& states) const;
  bool AllPending(const TaskStates& states) const;
  // Whether TEST is true for the states of all tasks of CLASSES.
  template <typename Test>
  bool All(const TaskStates& states, std::initializer_list<Class> classes, Test test) const;
  void Enter(LifecyclePhase phase);

  LifecyclePhase phase_ = LifecyclePhase::kInit;
  std::map<std::string, std::unique_ptr<Entry>> gates_;
};

}  // namespace drover
