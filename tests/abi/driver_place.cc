// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "driver_place.h"

#include <dlfcn.h>

namespace drover_test {
namespace {

class ThisProcess : public DriverPlace {
 public:
  const drover_driver* Load(const std::string& file, std::string* why) override {
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
      *why = dlerror();
      return nullptr;
    }
    auto entry = reinterpret_cast<drover_driver_entry>(dlsym(library, DROVER_ENTRY_SYMBOL));
    if (entry == nullptr) *why = file + " has no " DROVER_ENTRY_SYMBOL;
    return entry != nullptr ? entry() : nullptr;
  }
};

ThisProcess this_process;
DriverPlace* current = &this_process;

}  // namespace

DriverPlace* Place() { return current; }
void SetPlace(DriverPlace* place) { current = place; }

}  // namespace drover_test
