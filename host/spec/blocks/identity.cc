// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/spec/blocks/identity.h"

#include <algorithm>
#include <map>

#include "host/base/unseen_text.h"
#include "host/spec/job_limits.h"
#include "host/spec/signal_name.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

constexpr std::size_t kLongestIdentityName = 128;
constexpr std::size_t kMaxAudience = 512;  // in bytes
constexpr std::size_t kMaxAudiences = 16;
// Each identity costs a signature at each start of the task.
constexpr std::size_t kMaxIdentities = 32;
constexpr std::size_t kLongestTokenPath = 1024;
// A token is first written to a file whose name is a little longer.
constexpr std::size_t kLongestPathPart = 240;

bool IsNameCharacter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
         c == '_';
}

bool HoldsControl(std::string_view text) {
  return HasUnseen(text) || std::any_of(text.begin(), text.end(), [](char c) {
           return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
         });
}

// Adds the faults of one identity. AT is its JSON pointer.
class IdentityCheck {
 public:
  IdentityCheck(const Identity& identity, std::string at, JobFaults* faults)
      : identity_(identity), at_(std::move(at)), faults_(faults) {}

  void Name(bool is_default) const {
    const std::string& name = identity_.name;
    if (is_default) {
      if (name == kDefaultIdentity) return;
      Fault("Name", Quoted(name) + " is not \"default\": write this identity under Identities");
    } else if (name.empty()) {
      Fault("Name", "is missing");
    } else if (name == kDefaultIdentity) {
      Fault("Name", "write the identity \"default\" under Identity");
    } else if (name.size() > kLongestIdentityName) {
      Fault("Name", "is longer than " + std::to_string(kLongestIdentityName) + " bytes");
    } else if (!std::all_of(name.begin(), name.end(), IsNameCharacter)) {
      Fault("Name", Quoted(name) + " may hold only letters, digits, \"-\" and \"_\"");
    }
  }

  void Values() const {
    if (identity_.audience.size() > kMaxAudiences) {
      Fault("Audience", "must hold at most " + std::to_string(kMaxAudiences) + " texts");
    }
    for (std::size_t i = 0; i < identity_.audience.size(); ++i) Audience(i);
    if (!identity_.filepath.empty()) Filepath(identity_.filepath);
    const bool signals = identity_.change_mode == Identity::ChangeMode::kSignal;
    const std::string& signal = identity_.change_signal;
    if (signals && signal.empty()) {
      Fault("ChangeSignal", "is missing: ChangeMode is \"signal\"");
    } else if (!signals && !signal.empty()) {
      Fault("ChangeSignal", "is only for the ChangeMode \"signal\"");
    } else if (signals && !IsSignalName(signal)) {
      Fault("ChangeSignal", Quoted(signal) + " is not a signal, such as \"SIGHUP\"");
    }
    if (identity_.ttl < 0s) {
      Fault("TTL", "must not be negative, but is " + FormatDuration(identity_.ttl));
    } else if (identity_.ttl > kLongestOfJob) {
      Fault("TTL", "must be at most " + FormatDuration(kLongestOfJob) + " (100 years), but is " +
                       FormatDuration(identity_.ttl));
    }
  }

  void Fault(const char* field, std::string message) const {
    faults_->Add(JsonPointer(at_, field), std::move(message));
  }

 private:
  void Audience(std::size_t i) const {
    const std::string& audience = identity_.audience[i];
    const std::string at = JsonPointer(JsonPointer(at_, "Audience"), i);
    if (audience.empty()) {
      faults_->Add(at, "is missing");
    } else if (audience.size() > kMaxAudience) {
      faults_->Add(at, "is longer than " + std::to_string(kMaxAudience) + " bytes");
    } else if (HoldsControl(audience)) {
      faults_->Add(at, Quoted(audience) + " holds a control character or an invisible one");
    }
  }

  void Filepath(std::string_view path) const {
    if (path.size() > kLongestTokenPath) {
      return Fault("Filepath", "is longer than " + std::to_string(kLongestTokenPath) + " bytes");
    }
    if (HoldsControl(path)) {
      return Fault("Filepath", Quoted(path) + " holds a control character or an invisible one");
    }
    if (path[0] == '/') {
      return Fault("Filepath", Quoted(path) + " must be relative to the task's directory");
    }
    for (std::size_t begin = 0; begin <= path.size();) {
      const std::size_t end = std::min(path.find('/', begin), path.size());
      const std::string_view part = path.substr(begin, end - begin);
      if (part.empty() || part == "." || part == "..") {
        return Fault("Filepath", Quoted(path) + " holds an empty part, \".\" or \"..\"");
      }
      if (part.size() > kLongestPathPart) {
        return Fault("Filepath", Quoted(path) + " has a part of more than " +
                                     std::to_string(kLongestPathPart) + " bytes");
      }
      begin = end + 1;
    }
  }

  const Identity& identity_;
  const std::string at_;
  JobFaults* const faults_;
};

// Calls CALL with each identity and its JSON pointer, the default one first.
template <typename F>
void ForEachIdentity(const Identity& own, const std::vector<Identity>& others,
                     const std::string& pointer, F call) {
  call(own, JsonPointer(pointer, "Identity"));
  const std::string list = JsonPointer(pointer, "Identities");
  for (std::size_t i = 0; i < others.size(); ++i) call(others[i], JsonPointer(list, i));
}

}  // namespace

std::string_view IdentityChangeModeName(Identity::ChangeMode mode) {
  switch (mode) {
    case Identity::ChangeMode::kNoop:
      return "noop";
    case Identity::ChangeMode::kSignal:
      return "signal";
    case Identity::ChangeMode::kRestart:
      return "restart";
  }
  return "unknown";
}

std::string TokenVariable(const Identity& identity) {
  if (identity.name == kDefaultIdentity) return "NOMAD_TOKEN";
  return "NOMAD_TOKEN_" + identity.name;
}

std::string TokenFile(const Identity& identity) {
  if (!identity.filepath.empty()) return identity.filepath;
  if (identity.name == kDefaultIdentity) return "secrets/nomad_token";
  return "secrets/nomad_" + identity.name + ".jwt";
}

void CheckIdentities(const Identity& own, const std::vector<Identity>& others,
                     const std::string& pointer, JobFaults* faults) {
  if (others.size() > kMaxIdentities) {
    faults->Add(JsonPointer(pointer, "Identities"),
                "must hold at most " + std::to_string(kMaxIdentities) + " identities, but holds " +
                    std::to_string(others.size()));
    return;
  }
  std::map<std::string, std::string> names, files;  // the pointers of those that came before
  ForEachIdentity(own, others, pointer, [&](const Identity& identity, const std::string& at) {
    const IdentityCheck check(identity, at, faults);
    check.Name(&identity == &own);
    check.Values();
    const auto [name, is_new] = names.emplace(identity.name, at);
    if (!is_new && !identity.name.empty()) {
      check.Fault("Name", Quoted(identity.name) + " is already at " + name->second);
    }
    if (!identity.file) return;
    const std::string path = TokenFile(identity);
    const auto [file, is_first] = files.emplace(path, at);
    if (!is_first) {
      check.Fault("Filepath", "the file " + Quoted(path) + " is already that of " + file->second);
    }
  });
}

void WarnOfIdentities(const Identity& own, const std::vector<Identity>& others,
                      const std::string& pointer, JobFaults* warnings) {
  ForEachIdentity(own, others, pointer, [&](const Identity& identity, const std::string& at) {
    if (!identity.filepath.empty() && !identity.file) {
      warnings->Add(JsonPointer(at, "Filepath"),
                    "has no effect without File: no file with the token is written");
    }
    if (identity.audience.empty()) {
      warnings->Add(JsonPointer(at, "Audience"),
                    "is empty, so most services refuse the token, and the others cannot know for "
                    "whom it is; name the service that the token is for");
    }
    if (identity.ttl == 0s) return;
    if (identity.ttl < 2 * kLeastRenewal) {
      warnings->Add(JsonPointer(at, "TTL"), "is less than " + FormatDuration(2 * kLeastRenewal) +
                                                ", so tokens may expire before they are renewed");
    }
    if (identity.env && identity.change_mode != Identity::ChangeMode::kRestart) {
      warnings->Add(JsonPointer(at, "Env"),
                    "the environment of a running task keeps the first token, which expires; read "
                    "the token from a file, or set ChangeMode to \"restart\"");
    }
  });
}

}  // namespace drover
