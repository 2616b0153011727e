// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/coordinator.h"

#include <algorithm>

namespace drover {

void TaskGate::Open() {
  if (!shutdown_) opened_.Set();
}

void TaskGate::Close() {
  if (!shutdown_) opened_.Reset();
}

void TaskGate::Shutdown() {
  shutdown_ = true;
  opened_.Reset();
}

Co<Status> TaskGate::WaitOpen(Context context) {
  // The gate may have closed again since the wake-up. Then the task has missed its turn and waits
  // again.
  while (!is_open()) DROVER_CO_TRY(co_await opened_.Wait(context));
  co_return Status();
}

Coordinator::Coordinator(Loop* loop, const TaskGroup& group) {
  for (const Task& task : group.tasks) {
    gates_.emplace(task.name, std::make_unique<Entry>(loop, ClassOf(task)));
  }
}

Coordinator::Class Coordinator::ClassOf(const Task& task) {
  if (IsPrestart(task)) return IsSidecar(task) ? Class::kPrestartSidecar : Class::kPrestartOneShot;
  if (IsPoststart(task)) {
    return IsSidecar(task) ? Class::kPoststartSidecar : Class::kPoststartOneShot;
  }
  return IsPoststop(task) ? Class::kPoststop : Class::kMain;
}

bool Coordinator::MayStart(LifecyclePhase phase, Class task_class) {
  switch (phase) {
    case LifecyclePhase::kInit:
      return false;
    case LifecyclePhase::kPrestart:
      return task_class == Class::kPrestartOneShot || task_class == Class::kPrestartSidecar;
    case LifecyclePhase::kMain:
      return task_class == Class::kPrestartSidecar || task_class == Class::kMain;
    case LifecyclePhase::kPoststart:
      return task_class != Class::kPrestartOneShot && task_class != Class::kPoststop;
    case LifecyclePhase::kWaitAlloc:
      return task_class == Class::kPrestartSidecar || task_class == Class::kMain ||
             task_class == Class::kPoststartSidecar;
    case LifecyclePhase::kPoststop:
      return task_class == Class::kPoststop;
  }
  return false;
}

template <typename Test>
bool Coordinator::All(const TaskStates& states, std::initializer_list<Class> classes,
                      Test test) const {
  static const TaskStateRecord unknown;
  for (const auto& [name, entry] : gates_) {
    if (std::find(classes.begin(), classes.end(), entry->task_class) == classes.end()) continue;
    const auto state = states.find(name);
    if (!test(state == states.end() ? unknown : *state->second)) return false;
  }
  return true;
}

bool Coordinator::AllPending(const TaskStates& states) const {
  for (const auto& [name, entry] : gates_) {
    const auto state = states.find(name);
    if (entry->left_out || state == states.end()) continue;
    if (state->second->state != RunnerState::kPending) return false;
  }
  return true;
}

LifecyclePhase Coordinator::Next(const TaskStates& states) const {
  const auto not_pending = [](const TaskStateRecord& s) {
    return s.state != RunnerState::kPending;
  };
  const auto running = [](const TaskStateRecord& s) { return s.state == RunnerState::kRunning; };
  const auto dead = [](const TaskStateRecord& s) { return s.state == RunnerState::kDead; };
  const auto succeeded = [](const TaskStateRecord& s) { return s.Successful(); };

  if (All(states,
          {Class::kPrestartOneShot, Class::kPrestartSidecar, Class::kMain, Class::kPoststartOneShot,
           Class::kPoststartSidecar},
          dead)) {
    return LifecyclePhase::kPoststop;
  }
  switch (phase_) {
    case LifecyclePhase::kInit:
      if (AllPending(states)) return LifecyclePhase::kPrestart;
      break;
    case LifecyclePhase::kPrestart:
      if (All(states, {Class::kPrestartOneShot}, succeeded) &&
          All(states, {Class::kPrestartSidecar}, running)) {
        return LifecyclePhase::kMain;
      }
      break;
    case LifecyclePhase::kMain:
      if (All(states, {Class::kMain}, not_pending)) return LifecyclePhase::kPoststart;
      break;
    case LifecyclePhase::kPoststart:
      if (All(states, {Class::kPoststartOneShot}, dead)) return LifecyclePhase::kWaitAlloc;
      break;
    case LifecyclePhase::kWaitAlloc:
    case LifecyclePhase::kPoststop:
      break;
  }
  return phase_;
}

void Coordinator::TaskStatesChanged(const TaskStates& states) {
  for (LifecyclePhase next = Next(states); next != phase_; next = Next(states)) Enter(next);
}

void Coordinator::Restore(const TaskStates& states) {
  Enter(LifecyclePhase::kPrestart);
  TaskStatesChanged(states);
}

void Coordinator::Restart() {
  for (auto& [name, entry] : gates_) entry->left_out = false;
  Enter(LifecyclePhase::kInit);
}

void Coordinator::Shutdown() {
  for (auto& [name, entry] : gates_) entry->gate.Shutdown();
}

void Coordinator::Enter(LifecyclePhase phase) {
  phase_ = phase;
  for (auto& [name, entry] : gates_) {
    if (MayStart(phase, entry->task_class)) {
      entry->gate.Open();
    } else {
      entry->gate.Close();
    }
  }
}

}  // namespace drover
