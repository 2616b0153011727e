// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "host/govalues/template_answers.h"
#include "host/template/function.h"

namespace drover::templates {
namespace {

struct Refusal {
  std::string_view name;
  std::string_view why;
};

constexpr std::string_view kNoVault =
    "this version has no Vault: keep secrets in variables and read them with nomadVar";
constexpr std::string_view kNoConnect = "this version has no service mesh: use service instead";
constexpr std::string_view kNoCommand = "a template may not run programs of the host";
constexpr std::string_view kNoWriting =
    "a template may not write other files: use one template for each file";
constexpr std::string_view kNoHost =
    "a template may not look at the network of the host: use env \"NOMAD_IP_LABEL\" instead";
constexpr std::string_view kNoEnterprise =
    "this version does not ask for what only Consul Enterprise has";
constexpr std::string_view kNoKeys =
    "a template may not make keys or random values, because each rendering would give others";
constexpr std::string_view kNoVersion =
    "this version has no values of versions: use sprig_semverCompare";
constexpr std::string_view kNoDebug = "this version has no functions for debugging: use toJSON";

constexpr Refusal kRefused[] = {
    {"secret", kNoVault},
    {"secrets", kNoVault},
    {"pkiCert", kNoVault},
    {"connect", kNoConnect},
    {"caRoots", kNoConnect},
    {"caLeaf", kNoConnect},
    {"plugin", kNoCommand},
    {"writeToFile", kNoWriting},
    {"sockaddr", kNoHost},
    {"partitions", kNoEnterprise},
    {"peerings", kNoEnterprise},
    {"exportedServices", kNoEnterprise},
    {"spew_dump", kNoDebug},
    {"spew_sdump", kNoDebug},
    {"spew_printf", kNoDebug},
    {"spew_sprintf", kNoDebug},
    {"sprig_bcrypt", kNoKeys},
    {"sprig_htpasswd", kNoKeys},
    {"sprig_genPrivateKey", kNoKeys},
    {"sprig_derivePassword", kNoKeys},
    {"sprig_buildCustomCert", kNoKeys},
    {"sprig_genCA", kNoKeys},
    {"sprig_genCAWithKey", kNoKeys},
    {"sprig_genSelfSignedCert", kNoKeys},
    {"sprig_genSelfSignedCertWithKey", kNoKeys},
    {"sprig_genSignedCert", kNoKeys},
    {"sprig_genSignedCertWithKey", kNoKeys},
    {"sprig_encryptAES", kNoKeys},
    {"sprig_decryptAES", kNoKeys},
    {"sprig_randInt", kNoKeys},
    {"sprig_shuffle", kNoKeys},
    {"sprig_semver", kNoVersion},
};

}  // namespace

const Type* TypeOfLetter(char letter) {
  switch (letter) {
    case 's':
      return &kString;
    case 'b':
      return &kBool;
    case 'i':
      return &kInt;
    case 'l':
      return &kInt64;
    case 'f':
      return &kFloat64;
    case 'd':
      return &kDuration;
    case 't':
      return &kTime;
    case 'A':
      return &kAnyList;
    case 'S':
      return &kStringList;
    case 'M':
      return &kAnyMap;
    case 'P':
      return &kPairs;
    case 'H':
      return &kHealths;
    default:
      return &kAny;
  }
}

FunctionSet::FunctionSet(std::vector<FunctionSpan> spans, bool of_tasks) : of_tasks_(of_tasks) {
  for (const FunctionSpan& span : spans) {
    for (const Function& function : span) functions_.push_back(&function);
  }
  std::ranges::sort(functions_, {}, &Function::name);
}

const FunctionSet& FunctionSet::OfTasks() {
  static const FunctionSet set(
      {BuiltinFunctions(), TextFunctions(), CaseFunctions(), NumberFunctions(),
       CollectionFunctions(), DictionaryFunctions(), DefaultFunctions(), EncodingFunctions(),
       HashFunctions(), PatternFunctions(), TimeFunctions(), UrlFunctions(), VersionFunctions(),
       WatchedFunctions(), GroupFunctions()},
      true);
  return set;
}

const FunctionSet& FunctionSet::OfCommandLine() {
  static const FunctionSet set({BuiltinFunctions(), CommandLineFunctions()}, false);
  return set;
}

const Function* FunctionSet::Find(std::string_view name) const {
  const auto found = std::ranges::lower_bound(functions_, name, {}, &Function::name);
  return found != functions_.end() && (*found)->name == name ? *found : nullptr;
}

std::string_view FunctionSet::WhyNot(std::string_view name) const {
  if (!of_tasks_) return "";
  const auto* const found = std::ranges::find(kRefused, name, &Refusal::name);
  return found == std::end(kRefused) ? "" : found->why;
}

}  // namespace drover::templates
