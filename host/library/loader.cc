// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/library/loader.h"

#include <array>
#include <boost/dll/shared_library.hpp>
#include <cstdio>
#include <exception>
#include <mutex>
#include <vector>

#include "host/abi/abi_names.h"
#include "host/abi/abi_read.h"

namespace drover {
namespace {

namespace dll = boost::dll;

// The handles of loaded libraries. The object is never destroyed, because the destructor of
// shared_library would unload the code.
struct Registry {
  std::mutex loading;  // held while a library is loaded
  std::mutex mutex;    // guards the members below
  std::vector<dll::shared_library> libraries;
  std::string being_loaded;
};

Registry& NeverDestroyed() {
  static auto* const registry = new Registry;
  return *registry;
}

class Loading {
 public:
  explicit Loading(std::string path) : alone_(NeverDestroyed().loading) { Tell(std::move(path)); }
  ~Loading() { Tell({}); }
  Loading(const Loading&) = delete;
  Loading& operator=(const Loading&) = delete;

 private:
  static void Tell(std::string path) {
    const std::lock_guard lock(NeverDestroyed().mutex);
    NeverDestroyed().being_loaded = std::move(path);
  }
  const std::lock_guard<std::mutex> alone_;
};

// Checks a driver's function table. Reads only the members that its struct_size includes. Every
// function of this ABI version must exist.
Status CheckTable(const std::string& file, const drover_driver* driver) {
  if (driver == nullptr) {
    return Error(Code::kFailedPrecondition, file + " has no driver: " DROVER_ENTRY_SYMBOL
                                                   "() returned null; the plugin is broken");
  }
  const auto has = [&](std::size_t end) { return driver->struct_size >= end; };
  if (!has(offsetof(drover_driver, info) + sizeof driver->info)) {
    return Error(Code::kFailedPrecondition,
                 file + " is broken: its drover_driver has a struct_size of " +
                     std::to_string(driver->struct_size));
  }
  DROVER_TRY(CheckAbiVersion(file, driver->abi_major, driver->min_host_minor));
  const char* missing = nullptr;
#define DROVER_CHECK_MEMBER(member)                                                  \
  if (!missing && (!DROVER_HAS(driver, drover_driver, member) || !driver->member)) { \
    missing = #member;                                                               \
  }
#define DROVER_CHECK_VERB(verb, tag) DROVER_CHECK_MEMBER(verb)
  DROVER_CHECK_MEMBER(info)
  DROVER_CHECK_MEMBER(create)
  DROVER_CHECK_MEMBER(get_extension)
  DROVER_ASYNC_VERBS(DROVER_CHECK_VERB)
  DROVER_CHECK_MEMBER(signal)
  DROVER_CHECK_MEMBER(fingerprint)
  DROVER_CHECK_MEMBER(events)
  DROVER_CHECK_MEMBER(stream_cancel)
  DROVER_CHECK_MEMBER(stream_join)
  DROVER_CHECK_MEMBER(call_cancelled)
#undef DROVER_CHECK_VERB
#undef DROVER_CHECK_MEMBER
  if (missing != nullptr) {
    return Error(Code::kFailedPrecondition, file +
                                                " is broken: its drover_driver has no function \"" +
                                                missing + "\", and all of this ABI must be there");
  }
  return {};
}

}  // namespace

std::string PluginBeingLoaded() {
  const std::lock_guard lock(NeverDestroyed().mutex);
  return NeverDestroyed().being_loaded;
}

Result<const drover_driver*> LoadPluginCode(PluginFile file) {
  // The library is loaded by a name that contains the number of the descriptor. The dynamic linker
  // does not open a file if a library with the same name is already loaded. So the descriptor is
  // never closed, and no other file can get this number and name.
  const int fd = file.fd.Release();
  const std::string name = "/proc/self/fd/" + std::to_string(fd);
  drover_driver_entry entry = nullptr;
  try {
    const Loading loading(file.path);
    // Only the overload that throws an exception reports the linker's message.
    dll::shared_library library(name, dll::load_mode::rtld_now | dll::load_mode::rtld_local);
    entry = &library.get<const drover_driver*()>(DROVER_ENTRY_SYMBOL);
    Registry& registry = NeverDestroyed();
    const std::lock_guard lock(registry.mutex);
    registry.libraries.push_back(std::move(library));
  } catch (const std::exception& e) {
    std::string text = e.what();
    // The linker's message contains the name with the descriptor. People need the path of the file
    // instead.
    for (std::size_t at; (at = text.find(name)) != std::string::npos;) {
      text.replace(at, name.size(), file.path);
    }
    return Error(Code::kFailedPrecondition, file.path + " cannot be loaded: " + text);
  }
  const drover_driver* driver = nullptr;
  try {
    driver = entry();
  } catch (...) {
    return Error(Code::kInternal, file.path + " threw an exception out of " DROVER_ENTRY_SYMBOL);
  }
  DROVER_TRY(CheckTable(file.path, driver));
  return driver;
}

Result<PluginInfo> AskInfo(const std::string& file, const Manifest& manifest,
                           const drover_driver* driver) {
  const drover_info* raw = nullptr;
  try {
    raw = driver->info();
  } catch (...) {
    return Error(Code::kInternal, file + " threw an exception out of info()");
  }
  Result<PluginInfo> info = ReadInfo(raw);
  if (!info.ok()) return info.error().WithContext(file);
  if (info->name != manifest.name || info->version != manifest.version) {
    return Error(Code::kFailedPrecondition,
                 file + " is broken: its manifest says " + manifest.name + " " + manifest.version +
                     ", its code says " + info->name + " " + info->version);
  }
  if ((info->needs & ~kKnownNeeds) != 0) {
    std::array<char, 32> bits{};
    std::snprintf(bits.data(), bits.size(), "0x%llx",
                  static_cast<unsigned long long>(info->needs & ~kKnownNeeds));
    return Error(Code::kFailedPrecondition,
                 file + " needs parts of the host that this Drover does not have (bits " +
                     bits.data() + "): install a newer Drover, or an older plugin");
  }
  return info;
}

}  // namespace drover
