// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include "host/spec/job_fields_resources.h"

// The blocks of tasks: what comes into their directories, what they may know, and their logs.
namespace drover::job_fields {

// What to do instead of the blocks that stay refused.
inline constexpr char kInsteadOfVault[] =
    "remove it, and store the secret as a variable (drover var put), which the task may read with "
    "its identity";
inline constexpr char kInsteadOfConsul[] =
    "remove it: services are registered with the namespace and the token of the agent's consul "
    "block, and a service names its cluster itself";
inline constexpr char kInsteadOfCsi[] =
    "remove it, mount the storage on the machine, and give it to tasks as a host volume";
inline constexpr char kInsteadOfKind[] =
    "remove it: it marks the proxies of Connect, which are tasks like all others here";

inline constexpr JobField kLifecycle[] = {
    {"Hook", "hook", kText, kDone, {}, "", "prestart, poststart or poststop"},
    {"Sidecar", "sidecar", kBoolean, kDone},
};

inline constexpr JobField kLogConfig[] = {
    {"MaxFiles", "max_files", kInteger, kDone, {}, "", "default 10"},
    {"MaxFileSizeMB", "max_file_size", kInteger, kDone, {}, "", "default 10"},
    {"Disabled", "disabled", kBoolean, kDone},
    {"Enabled", "enabled", kBoolean, kDone, {}, "", "older form of Disabled"},
};

inline constexpr JobField kAction[] = {
    {"Name", kLabel, kText, kDone, {}, "", "letters, digits and \"-\""},
    {"Command", "command", kText, kDone},
    {"Args", "args", kTextList, kDone},
};

inline constexpr JobField kArtifact[] = {
    {"GetterSource", "source", kText, kDone, {}, "", "see artifacts.md"},
    {"GetterOptions", "options", kTextMap, kDone, {}, "", "parameters of the source"},
    {"GetterHeaders", "headers", kTextMap, kDone, {}, "", "of HTTP requests"},
    {"GetterMode", "mode", kText, kDone, {}, "", "any (default), file or dir"},
    {"GetterInsecure", "insecure", kBoolean, kDone, {}, "", "no certificate is checked"},
    {"RelativeDest",
     "destination",
     kText,
     kDone,
     {},
     "",
     "default local/; relative to the task's directory"},
    {"Chown", "chown", kBoolean, kDone, {}, "", "the files belong to the task's user"},
};

inline constexpr JobField kChangeScript[] = {
    {"Command", "command", kText, kDone},
    {"Args", "args", kTextList, kDone},
    {"Timeout", "timeout", kDuration, kDone, {}, "", "default 5s"},
    {"FailOnError", "fail_on_error", kBoolean, kDone},
    {"RunOnFirstRender", "run_on_first_render", kBoolean, kDone},
};

inline constexpr JobField kWait[] = {
    {"Min", "min", kDuration, kDone},
    {"Max", "max", kDuration, kDone, {}, "", "default: four times Min"},
};

inline constexpr JobField kTemplate[] = {
    {"SourcePath", "source", kText, kDone, {}, "", "a file of the task"},
    {"DestPath", "destination", kText, kDone, {}, "", "below the task's directory, or shared"},
    {"EmbeddedTmpl", "data", kText, kDone},
    {"ChangeMode", "change_mode", kText, kDone, {}, "", "noop, signal, restart (default), script"},
    {"ChangeScript", "change_script", kObject, kDone, kChangeScript},
    {"ChangeSignal", "change_signal", kText, kDone},
    {"Once", "once", kBoolean, kDone},
    {"Splay", "splay", kDuration, kDone, {}, "", "default 5s"},
    {"Perms", "perms", kText, kDone, {}, "", "default 0644, at most 0777"},
    {"Uid", "uid", kInteger, kDone, {}, "", "default: the owner of the task's directory"},
    {"Gid", "gid", kInteger, kDone, {}, "", "as Uid"},
    {"LeftDelim", "left_delimiter", kText, kDone, {}, "", "default {{"},
    {"RightDelim", "right_delimiter", kText, kDone, {}, "", "default }}"},
    {"Envvars", "env", kBoolean, kDone},
    {"VaultGrace", "vault_grace", kDuration, kWarned, {}, "", "Nomad has dropped it, too"},
    {"Wait", "wait", kObject, kDone, kWait},
    {"ErrMissingKey", "error_on_missing_key", kBoolean, kDone},
};

inline constexpr JobField kDispatchPayload[] = {
    {"File", "file", kText, kDone, {}, "", "below local/"},
};

inline constexpr JobField kVault[] = {
    {"Policies", "policies", kTextList, kRefused},
    {"Role", "role", kText, kRefused},
    {"Namespace", "namespace", kText, kRefused},
    {"Cluster", "cluster", kText, kRefused},
    {"Env", "env", kBoolean, kRefused},
    {"DisableFile", "disable_file", kBoolean, kRefused},
    {"ChangeMode", "change_mode", kText, kRefused},
    {"ChangeSignal", "change_signal", kText, kRefused},
    {"AllowTokenExpiration", "allow_token_expiration", kBoolean, kRefused},
};

inline constexpr JobField kConsul[] = {
    {"Namespace", "namespace", kText, kRefused},
    {"Cluster", "cluster", kText, kRefused, {}, R"(["default"])"},
    {"Partition", "partition", kText, kRefused},
};

inline constexpr JobField kSecret[] = {
    {"Name", kLabel, kText, kRefused},  {"Provider", "provider", kText, kRefused},
    {"Path", "path", kText, kRefused},  {"Config", "config", kBody, kRefused},
    {"Env", "env", kTextMap, kRefused},
};

inline constexpr JobField kIdentity[] = {
    {"Name", "name", kText, kDone, {}, "", "letters, digits, \"-\" and \"_\""},
    {"Audience", "aud", kTextList, kDone, {}, "", "of the default identity: nomadproject.io"},
    {"ChangeMode", "change_mode", kText, kDone, {}, "", "noop (default), signal or restart"},
    {"ChangeSignal", "change_signal", kText, kDone},
    {"Env", "env", kBoolean, kDone},
    {"File", "file", kBoolean, kDone},
    {"Filepath", "filepath", kText, kDone, {}, "", "relative to the task's directory"},
    {"ServiceName", "service_name", kText, kRefused},
    {"TTL", "ttl", kDuration, kDone, {}, "", "default: as long as the allocation"},
    {"ExtraClaims",
     "extra_claims",
     kTextList,
     kWarned,
     {},
     "",
     "tokens have only the claims of tasks"},
};

inline constexpr JobField kScheduleCron[] = {
    {"Start", "start", kText, kRefused},
    {"End", "end", kText, kRefused},
    {"Timezone", "timezone", kText, kRefused},
};

inline constexpr JobField kSchedule[] = {
    {"Cron", "cron", kObject, kRefused, kScheduleCron},
};

}  // namespace drover::job_fields
