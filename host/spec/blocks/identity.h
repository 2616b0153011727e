// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "host/base/time.h"
#include "host/spec/job_faults.h"

namespace drover {

// The name of the identity that every task has.
inline constexpr char kDefaultIdentity[] = "default";
// The audience of the default identity. An agent of this API accepts tokens with this audience.
inline constexpr char kApiAudience[] = "nomadproject.io";
// The shortest time from one token of an identity to the next.
inline constexpr Duration kLeastRenewal = 10s;

// An identity of a task: what the task's signed token states, and where the task finds the
// token. By the token the task proves to others what it is.
struct Identity {
  // What the host does to the task after it has renewed the token.
  enum class ChangeMode { kNoop, kSignal, kRestart };

  std::string name = kDefaultIdentity;
  std::vector<std::string> audience = {kApiAudience};  // those who may accept the token
  bool env = false;                                    // the token is in the task's environment
  bool file = false;                                   // the token is in a file of the task
  std::string filepath;  // relative to the task's directory; empty: the path that the name gives
  ChangeMode change_mode = ChangeMode::kNoop;
  std::string change_signal;  // for kSignal
  Duration ttl = 0s;          // how long a token is valid; 0: as long as the allocation

  bool operator==(const Identity&) const = default;
};
std::string_view IdentityChangeModeName(Identity::ChangeMode mode);  // such as "noop"

// Returns the name of the environment variable for the token of IDENTITY.
std::string TokenVariable(const Identity& identity);
// Returns the path of the file for the token of IDENTITY, relative to the task's directory.
std::string TokenFile(const Identity& identity);

// Adds the faults of a task's identities to FAULTS: of OWN, the default one, and of OTHERS. POINTER
// is the JSON pointer of the task.
void CheckIdentities(const Identity& own, const std::vector<Identity>& others,
                     const std::string& pointer, JobFaults* faults);
// Adds a warning for each part of these identities that is carried out, but is of little use.
void WarnOfIdentities(const Identity& own, const std::vector<Identity>& others,
                      const std::string& pointer, JobFaults* warnings);

}  // namespace drover
