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
  kInit,       // no task
  kPrestart,   // prestart tasks
  kMain,       // main tasks, and prestart sidecars again
  kPoststart,  // poststart tasks too
  kWaitAlloc,  // main tasks and sidecars may restart, one-shots are done
  kPoststop,   // poststop tasks only
};

// The start gate of one task, closed at first. Open and Close may be repeated. After Shutdown they
// have no effect, and waiters wait until their contexts end.
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

// Decides which tasks of an allocation may start. It holds one gate per task, which the task's
// runner asks before each start. It opens and closes the gates as the tasks' states change. Closing
// a gate does not affect a running task. Control thread only.
class Coordinator {
 public:
  Coordinator(Loop* loop, const TaskGroup& group);

  // The gate of a task of the group. Lives as long as the coordinator, or until Forget.
  TaskGate* gate(const std::string& task) { return &gates_.at(task)->gate; }
  LifecyclePhase phase() const { return phase_; }

  // Advances as far as STATES allow, perhaps through several phases.
  void TaskStatesChanged(const TaskStates& states);
  // Continues where an earlier agent was, as far as STATES show it.
  void Restore(const TaskStates& states);
  // The whole allocation begins again: no task starts until all of them are pending.
  void Restart();
  // This task is not restarted with the others, so they do not wait for it to be pending.
  void LeaveOut(const std::string& task) { gates_.at(task)->left_out = true; }
  // No task starts any more.
  void Shutdown();
  // Frees the gates: nobody asks them any more.
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
    bool left_out = false;  // of the restart in progress
  };

  static Class ClassOf(const Task& task);
  static bool MayStart(LifecyclePhase phase, Class task_class);
  LifecyclePhase Next(const TaskStates& states) const;
  bool AllPending(const TaskStates& states) const;
  // Whether TEST holds for the states of all tasks of these classes.
  template <typename Test>
  bool All(const TaskStates& states, std::initializer_list<Class> classes, Test test) const;
  void Enter(LifecyclePhase phase);

  LifecyclePhase phase_ = LifecyclePhase::kInit;
  std::map<std::string, std::unique_ptr<Entry>> gates_;
};

}  // namespace drover
