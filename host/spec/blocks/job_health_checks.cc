// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "host/spec/blocks/service_place.h"
#include "host/spec/job_limits.h"

namespace drover {
namespace {

using At = JobPlace;
using job_checks::BytesOf;
using job_checks::CheckBytes;
using job_checks::CheckCheckRestart;
using job_checks::CheckLength;
using job_checks::HasControl;
using job_checks::HasVariable;
using job_checks::IsPlain;
using job_checks::IsPort;
using job_checks::kOnlyConsul;
using job_checks::WithoutVariables;

constexpr std::size_t kMostCheckName = 256;
constexpr std::size_t kMostPath = 2048;
constexpr std::size_t kMostMethod = 32;

// Returns the size of all texts of CHECK.
std::size_t BytesOfCheck(const ServiceCheck& check) {
  std::size_t bytes = check.name.size() + check.command.size() + BytesOf(check.args) +
                      check.path.size() + check.protocol.size() + check.port_label.size() +
                      check.notes.size() + check.tls_server_name.size() + check.method.size() +
                      check.body.size() + check.task.size() + check.grpc_service.size();
  for (const auto& [key, values] : check.header) bytes += key.size() + BytesOf(values);
  return bytes;
}

// Checks an interval or a timeout.
void CheckRepeated(Duration duration, const At& at) {
  if (duration == 0s) {
    at.Fault("is missing; write at least 1s");
  } else if (duration < 1s) {
    at.Fault("must be at least 1s, but is " + FormatDuration(duration));
  } else {
    CheckLength(duration, at);
  }
}

void CheckHttp(const ServiceCheck& check, const At& at) {
  const std::string& path = check.path;
  if (path.empty()) {
    (at / "Path").Fault("is missing; write a path such as \"/health\"");
  } else if (path.size() > kMostPath) {
    (at / "Path").Fault("is longer than " + std::to_string(kMostPath) + " bytes");
  } else if (HasControl(path) || path.find(' ') != std::string::npos) {
    (at / "Path").Fault(Quoted(path) + " holds a space, or a character that is not visible");
  } else {
    const std::string plain = WithoutVariables(path);
    const std::size_t end = plain.find_first_of(":/?#");
    const bool has_scheme = end != std::string::npos && plain[end] == ':';
    if (has_scheme || plain.starts_with("//")) {
      (at / "Path").Fault(Quoted(path) + " names a host; write only a path such as \"/health\"");
    }
  }
  if (!check.protocol.empty() && check.protocol != "http" && check.protocol != "https") {
    (at / "Protocol").Fault(Quoted(check.protocol) + " is not known; write http or https");
  }
  if (check.method.size() > kMostMethod || !IsPlain(check.method, "-_")) {
    (at / "Method").Fault(Quoted(check.method) + " is not a method, such as \"GET\"");
  }
  for (const auto& [key, values] : check.header) {
    const At here = at / "Header" / key;
    if (key.empty() || !IsPlain(key, "!#$%&'*+-.^_`|~")) {
      here.Fault("the name of a header holds only letters, digits and \"-\"");
    }
    for (std::size_t i = 0; i < values.size(); ++i) {
      if (HasControl(values[i])) (here / i).Fault("holds a character that is not visible");
    }
  }
}

void CheckScript(const ServicePlace& place, const ServiceCheck& check, const At& at) {
  (at / "Command").Unless(!check.command.empty(), "is missing; write the program to run");
  const bool has_task = place.task != nullptr || !TaskOfCheck(*place.service, check).empty();
  (at / "TaskName").Unless(has_task, "is missing; write the task in which the script runs");
  // Consul hears of a script only its status, so it counts nothing.
  const char* const counts_nothing = "does not go with a script; remove it";
  (at / "SuccessBeforePassing").Unless(check.success_before_passing <= 0, counts_nothing);
  (at / "FailuresBeforeCritical").Unless(check.failures_before_critical <= 0, counts_nothing);
  (at / "FailuresBeforeWarning").Unless(check.failures_before_warning <= 0, counts_nothing);
}

// Checks the address mode of a check, and its port, which is that of the service if it has none.
void CheckTarget(const ServicePlace& place, const ServiceCheck& check, const At& at) {
  if (check.address_mode == AddressMode::kAuto) {
    (at / "AddressMode").Fault("\"auto\" is for services; write host or alloc, or leave it out");
  } else if (check.address_mode == AddressMode::kDriver && place.builtin) {
    (at / "AddressMode")
        .Fault("\"driver\" is for the provider \"consul\"; write host or alloc, or leave it out");
  }
  if (!NeedsPort(check.type)) return;
  const std::string& label = PortLabelOf(*place.service, check);
  const At here = at / "PortLabel";
  if (label.empty()) {
    here.Fault("is missing; write a port of the group here or in the service");
  } else if (HasVariable(label) || place.HasLabel(label)) {
    return;
  } else if (!IsPort(label)) {
    // A wrong port of the service is a fault of the service.
    if (!check.port_label.empty()) {
      here.Fault(Quoted(label) + " is not a port of the group; write it into the group's network");
    }
  } else if (place.builtin) {
    here.Fault("the number " + label + " must be the label of a port of the group");
  } else if (AddressModeOf(*place.service, check) == AddressMode::kHost) {
    here.Fault("the number " + label +
               " must be the label of a port of the group; a number needs the address mode driver "
               "or alloc");
  }
}

// Checks the fields that are only for checks of Consul.
void CheckForBuiltin(const ServiceCheck& check, const At& at) {
  (at / "SuccessBeforePassing").Unless(check.success_before_passing == 0, kOnlyConsul);
  (at / "FailuresBeforeCritical").Unless(check.failures_before_critical == 0, kOnlyConsul);
  (at / "FailuresBeforeWarning").Unless(check.failures_before_warning == 0, kOnlyConsul);
  (at / "TLSServerName").Unless(check.tls_server_name.empty(), kOnlyConsul);
}

void CheckThresholds(const ServiceCheck& check, const At& at) {
  const std::pair<const char*, int> thresholds[] = {
      {"SuccessBeforePassing", check.success_before_passing},
      {"FailuresBeforeCritical", check.failures_before_critical},
      {"FailuresBeforeWarning", check.failures_before_warning}};
  for (const auto& [name, value] : thresholds) {
    if (value < 0) (at / name).Fault("must not be negative, but is " + std::to_string(value));
  }
}

// Checks OnUpdate and CheckRestart of a check. A value that comes from the service has its faults
// there. OF_SERVICE is the place of the service.
void CheckConsequences(const ServicePlace& place, const ServiceCheck& check, const At& of_service,
                       const At& at) {
  const Service& service = *place.service;
  const At& says_update = check.on_update == service.on_update ? of_service : at;
  const At& says_restart = check.check_restart == service.check_restart ? of_service : at;
  if (place.builtin && check.on_update == OnUpdate::kIgnoreWarnings) {
    (says_update / "OnUpdate")
        .Fault(
            "\"ignore_warnings\" is for the provider \"consul\"; write require_healthy or ignore");
  }
  if (!check.check_restart) return;
  const At restart = says_restart / "CheckRestart";
  CheckCheckRestart(*check.check_restart, place.builtin, restart);
  if (check.on_update == OnUpdate::kIgnore) {
    restart.Fault("does not go with OnUpdate \"ignore\"; remove one of them");
  } else if (check.on_update == OnUpdate::kIgnoreWarnings && !place.builtin) {
    (restart / "IgnoreWarnings")
        .Unless(check.check_restart->ignore_warnings,
                "must be true, since OnUpdate is \"ignore_warnings\"");
  }
}

void CheckTaskOfCheck(const ServicePlace& place, const ServiceCheck& check, const At& at) {
  if (check.task.empty()) return;
  if (check.type != CheckType::kScript) {
    at.Fault("is for a check of the type \"script\"; remove it");
  } else if (place.task != nullptr && check.task != place.task->name) {
    at.Fault("the service is one of the task " + Quoted(place.task->name) +
             "; remove it, or write the service into the group");
  } else if (place.known->tasks.count(check.task) == 0) {
    at.Fault(Quoted(check.task) + " is not a task of the group");
  }
}

void CheckCheck(const ServicePlace& place, const ServiceCheck& check, const At& of_service,
                const At& at) {
  if (check.type == CheckType::kGrpc) {
    (at / "Type").Fault("\"grpc\" is not supported by this version; write http, tcp or script");
    return;
  }
  const bool is_own_name = check.name != DefaultCheckName(*place.service);
  if (is_own_name && (check.name.size() > kMostCheckName || HasControl(check.name))) {
    (at / "Name")
        .Fault(Quoted(check.name) + " is longer than " + std::to_string(kMostCheckName) +
               " bytes, or holds a character that is not visible");
  }
  CheckRepeated(check.interval, at / "Interval");
  CheckRepeated(check.timeout, at / "Timeout");
  CheckTarget(place, check, at);
  CheckTaskOfCheck(place, check, at / "TaskName");
  if (check.type == CheckType::kHttp) CheckHttp(check, at);
  if (check.type == CheckType::kScript) CheckScript(place, check, at);
  if (place.builtin) CheckForBuiltin(check, at);
  CheckThresholds(check, at);
  CheckConsequences(place, check, of_service, at);
  CheckBytes(BytesOfCheck(check), kMostCheckBytes, at);
}

}  // namespace

void CheckHealthChecks(const ServicePlace& place, const JobPlace& at) {
  const std::vector<ServiceCheck>& checks = place.service->checks;
  if (checks.size() > kMostChecksOfService) {
    (at / "Checks").Fault("must be at most " + std::to_string(kMostChecksOfService) + " checks");
    return;
  }
  for (std::size_t i = 0; i < checks.size(); ++i) {
    const JobPlace here = at / "Checks" / i;
    CheckCheck(place, checks[i], at, here);
    for (std::size_t other = 0; other < i; ++other) {
      if (checks[other] != checks[i]) continue;
      here.Fault("is the same as the one at " + (at / "Checks" / other).pointer() +
                 "; remove one of them");
      break;
    }
  }
}

}  // namespace drover
