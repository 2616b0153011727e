// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/hcl/hcl_program.h"

#include <fcntl.h>
#include <signal.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <iterator>
#include <mutex>
#include <optional>
#include <semaphore>
#include <string_view>
#include <system_error>
#include <utility>

#include "host/base/printable.h"
#include "host/base/utf8.h"
#include "host/child/confined_program.h"
#include "host/spec/json_cost.h"
#include "host/spec/strict_json.h"

namespace drover {
namespace {

using nlohmann::json;

constexpr Duration kLimit = 2s;
constexpr int kAtOnce = 4;
// The reply has the value, which may be as deep as a job in JSON, in an object.
constexpr JsonLimits kReplyLimits{kMostHclBytes, JsonLimits{}.depth + 1};
constexpr std::size_t kMostReplyMemory = std::size_t{32} << 20;
constexpr char kProgram[] = "drover-hcl";

std::mutex path_mutex;
std::string& PathOfTests() {
  static auto* const path = new std::string;
  return *path;
}

Result<std::string> ProgramPath() {
  {
    const std::lock_guard lock(path_mutex);
    if (!PathOfTests().empty()) return PathOfTests();
  }
  std::error_code error;
  const std::filesystem::path self = std::filesystem::read_symlink("/proc/self/exe", error);
  if (error) return ErrnoError(error.value(), "/proc/self/exe");
  return (self.parent_path() / kProgram).string();
}

Result<UniqueFd> OpenProgram() {
  DROVER_ASSIGN(const std::string path, ProgramPath());
  UniqueFd program(open(path.c_str(), O_PATH | O_CLOEXEC));
  if (program) return program;
  if (errno != ENOENT) return ErrnoError(errno, path);
  return Error(Code::kUnimplemented, "this build has no drover-hcl, which reads HCL: there is no " +
                                         path + "; build Drover on a machine with Go, or use JSON");
}

HclDiagnostic Fault(const std::string& file, std::string summary, std::string detail) {
  HclDiagnostic fault;
  fault.file = file;
  fault.summary = std::move(summary);
  fault.detail = std::move(detail);
  return fault;
}

// Returns what is wrong with TEXT if it cannot be a text of JSON.
std::optional<HclDiagnostic> FaultOf(const std::string& file, std::string_view text) {
  const std::size_t valid = ValidLength(text);
  if (valid == text.size()) return std::nullopt;
  HclDiagnostic fault = Fault(file, "Not UTF-8", "A document must be text in UTF-8.");
  const std::string_view before = text.substr(0, valid);
  const std::size_t newline = before.rfind('\n');
  const std::string_view line =
      newline == std::string_view::npos ? before : before.substr(newline + 1);
  const auto is_first = [](char c) { return (static_cast<unsigned char>(c) & 0xc0) != 0x80; };
  fault.line = fault.end_line =
      1 + static_cast<int>(std::count(before.begin(), before.end(), '\n'));
  fault.column = 1 + static_cast<int>(std::count_if(line.begin(), line.end(), is_first));
  fault.end_column = fault.column + 1;
  fault.byte = valid;
  fault.end_byte = valid + 1;
  return fault;
}

std::vector<HclDiagnostic> FaultsOf(const HclRequest& request) {
  std::vector<HclDiagnostic> faults;
  const auto add = [&](std::optional<HclDiagnostic> fault) {
    if (fault) faults.push_back(*std::move(fault));
  };
  add(FaultOf(request.file, request.text));
  std::size_t size = request.text.size();
  for (const HclSource& file : request.variable_files) {
    add(FaultOf(file.name, file.text));
    size += file.text.size();
  }
  for (const auto* settings : {&request.environment, &request.command_line}) {
    for (const HclSetting& setting : *settings) {
      size += setting.value.size();
      if (!FaultOf("", setting.name + setting.value)) continue;
      faults.push_back(
          Fault("", "Not UTF-8",
                "The value of the variable " + setting.name + " must be text in UTF-8."));
    }
  }
  if (size > kMostHclBytes) {
    faults.push_back(Fault(request.file, "Too long",
                           "The document and its variables have " + std::to_string(size) +
                               " bytes; at most " + std::to_string(kMostHclBytes) + " are read."));
  }
  return faults;
}

json ListOf(const std::vector<HclSetting>& settings) {
  json list = json::array();
  for (const HclSetting& one : settings) list.push_back({{"Name", one.name}, {"Value", one.value}});
  return list;
}

std::string DecodeText(const HclRequest& request, const std::string& files_below) {
  json files = json::array();
  for (const HclSource& one : request.variable_files) {
    files.push_back({{"Name", one.name}, {"Text", one.text}});
  }
  return JsonText({{"Action", "decode"},
                   {"File", request.file},
                   {"Text", request.text},
                   {"Schema", request.schema},
                   {"VariableFiles", std::move(files)},
                   {"Environment", ListOf(request.environment)},
                   {"CommandLine", ListOf(request.command_line)},
                   {"Loose", request.loose},
                   {"FilesBelow", files_below},
                   {"Places", request.places}});
}

// Returns the error of a program that did not answer.
Error ErrorOf(const ChildEnd& end, const std::string& file) {
  const auto says = [&](std::string_view what) {
    return end.stderr_tail.find(what) != std::string::npos;
  };
  const std::string what = Printable(file) + " cannot be read: ";
  const std::string mib = " MiB";
  if (end.timed_out) {
    return Error(Code::kTimeout,
                 what + "it takes longer than " + FormatDuration(kLimit) + "; make it simpler",
                 true);
  }
  if (end.too_long) {
    return Error(
        Code::kInvalidArgument,
        what + "it becomes more than " + std::to_string(kMostHclBytes >> 20) + mib + " of JSON");
  }
  // The texts are those of the runtime of Go. Where it does not check an allocation of its own, it
  // ends by SIGSEGV; no code in Go does.
  if (says("stack exceeds") || says("stack overflow")) {
    return Error(Code::kInvalidArgument, what + "its parts are nested too deeply");
  }
  if (says("out of memory") || says("cannot allocate memory") || says("SIGSEGV")) {
    return Error(Code::kInvalidArgument, what + "it needs more than " +
                                             std::to_string(kMostHclMemory >> 20) + mib +
                                             " of memory; make it simpler");
  }
  if (end.signal == SIGKILL) {  // the kernel prefers it where memory is scarce
    return Error(
        Code::kResourceExhausted,
        what + "drover-hcl was killed: the machine or its control group may have no memory left",
        true);
  }
  std::string said = end.stderr_tail.substr(0, 300);
  said = Printable(said.substr(0, said.find('\n')));
  std::string how = end.signal != 0
                        ? "was ended by signal " + std::to_string(end.signal) + " (" +
                              strsignal(end.signal) + ")"  // NOLINT(concurrency-mt-unsafe)
                        : "ended with exit code " + std::to_string(end.exit_code);
  if (!said.empty()) how += ": " + said;
  return Error(Code::kInternal, what + "drover-hcl " + how);
}

bool HasErrors(const std::vector<HclDiagnostic>& diagnostics) {
  return std::any_of(diagnostics.begin(), diagnostics.end(),
                     [](const HclDiagnostic& one) { return one.error; });
}

// At most kAtOnce programs run at a time, since each may take kMostHclMemory.
std::counting_semaphore<kAtOnce>& Turns() {
  static std::counting_semaphore<kAtOnce> turns(kAtOnce);
  return turns;
}

Result<ChildEnd> Run(const ConfinedProgram& spec) {
  if (!Turns().try_acquire_for(kLimit)) {
    return Error(Code::kResourceExhausted,
                 "too many HCL documents are read at the moment; try again", true);
  }
  Result<ChildEnd> end = RunConfined(spec);
  Turns().release();
  return end;
}

// Runs the program, and returns its answer. FILES_BELOW is an absolute path or empty.
Result<json> Ask(const std::string& file, std::string request, const std::string& files_below) {
  DROVER_ASSIGN(const UniqueFd program, OpenProgram());
  ConfinedProgram spec;
  spec.program = program.get();
  spec.name = kProgram;
  // The runtime of Go may use two processors, and collects garbage late. Without backtraces.
  spec.environment = {"GOMAXPROCS=2", "GOTRACEBACK=none", "GOMEMLIMIT=160MiB"};
  if (!files_below.empty()) {
    // The functions of files replace "~" by it.
    const char* const home = std::getenv("HOME");  // NOLINT(concurrency-mt-unsafe)
    if (home != nullptr) spec.environment.push_back(std::string("HOME=") + home);
  }
  spec.input = std::move(request);
  spec.files_below = files_below;
  spec.limit = kLimit;
  spec.most_memory = kMostHclMemory;
  spec.most_output = kMostHclBytes;
  DROVER_ASSIGN(const ChildEnd end, Run(spec));
  if (end.timed_out || end.too_long || end.signal != 0 || end.exit_code != 0) {
    return ErrorOf(end, file);
  }
  if (JsonCost(end.output) > kMostReplyMemory) {
    return Error(Code::kInvalidArgument, Printable(file) + " becomes JSON of too many small parts");
  }
  Result<json> reply = ParseStrictJson(end.output, kReplyLimits);
  if (!reply.ok()) {
    return Error(Code::kInvalidArgument,
                 Printable(file) + " becomes JSON that cannot be used: " + reply.error().message());
  }
  if (!reply->is_object()) return HclNotUnderstood("it is no object");
  return reply;
}

HclDiagnostic ReadDiagnostic(const json& from) {
  HclDiagnostic to;
  to.error = from.value("Error", true);
  to.summary = from.value("Summary", "");
  to.detail = from.value("Detail", "");
  to.file = from.value("File", "");
  to.line = from.value("Line", 0);
  to.column = from.value("Column", 0);
  to.end_line = from.value("EndLine", 0);
  to.end_column = from.value("EndColumn", 0);
  to.byte = from.value("Byte", std::size_t{0});
  to.end_byte = from.value("EndByte", std::size_t{0});
  return to;
}

Result<std::vector<HclDiagnostic>> ReadDiagnostics(const json& reply) {
  std::vector<HclDiagnostic> diagnostics;
  try {
    for (const json& one : reply.value("Diagnostics", json::array())) {
      diagnostics.push_back(ReadDiagnostic(one));
    }
  } catch (const json::exception& e) {
    return HclNotUnderstood(e.what());
  }
  return diagnostics;
}

}  // namespace

Error HclNotUnderstood(std::string_view why) {
  return Error(Code::kInternal, "the answer of drover-hcl is not understood: " + Printable(why) +
                                    "; it must be of the same build as this program");
}

Result<HclReply> DecodeHcl(const HclRequest& request) {
  HclReply reply;
  reply.diagnostics = FaultsOf(request);
  if (!reply.diagnostics.empty()) return reply;
  std::string below;
  if (!request.files_below.empty()) {
    std::error_code error;
    below = std::filesystem::absolute(request.files_below, error).string();
    if (error) return ErrnoError(error.value(), request.files_below);
  }
  DROVER_ASSIGN(json answer, Ask(request.file, DecodeText(request, below), below));
  DROVER_ASSIGN(reply.diagnostics, ReadDiagnostics(answer));
  if (HasErrors(reply.diagnostics)) return reply;
  if (!answer.contains("Value")) return HclNotUnderstood("it has neither a value nor an error");
  try {
    reply.variables = answer.value("Variables", reply.variables);
  } catch (const json::exception& e) {
    return HclNotUnderstood(e.what());
  }
  reply.value = std::move(answer["Value"]);
  return reply;
}

Result<HclLayout> FormatHcl(const std::string& file, const std::string& text) {
  HclLayout layout;
  HclRequest request;
  request.file = file;
  request.text = text;
  layout.diagnostics = FaultsOf(request);
  if (!layout.diagnostics.empty()) return layout;
  DROVER_ASSIGN(json answer,
                Ask(file, JsonText({{"Action", "format"}, {"File", file}, {"Text", text}}), ""));
  DROVER_ASSIGN(layout.diagnostics, ReadDiagnostics(answer));
  if (HasErrors(layout.diagnostics)) return layout;
  // An empty text is left out.
  const json laid_out = answer.value("Text", json(""));
  if (!laid_out.is_string()) return HclNotUnderstood("its text is none");
  layout.text = laid_out;
  return layout;
}

Result<HclReply> ReadHclTree(const std::string& file, const std::string& text) {
  HclReply reply;
  HclRequest request;
  request.file = file;
  request.text = text;
  reply.diagnostics = FaultsOf(request);
  if (!reply.diagnostics.empty()) return reply;
  DROVER_ASSIGN(json answer,
                Ask(file, JsonText({{"Action", "tree"}, {"File", file}, {"Text", text}}), ""));
  DROVER_ASSIGN(reply.diagnostics, ReadDiagnostics(answer));
  if (HasErrors(reply.diagnostics)) return reply;
  if (!answer.contains("Tree")) return HclNotUnderstood("it has neither a tree nor an error");
  reply.value = std::move(answer["Tree"]);
  return reply;
}

void UseHclProgram(std::string path) {
  const std::lock_guard lock(path_mutex);
  PathOfTests() = std::move(path);
}

}  // namespace drover
