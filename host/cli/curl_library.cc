// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/cli/curl_library.h"

#include <dlfcn.h>

#include <string>

namespace drover {
namespace {

constexpr char kFile[] = "libcurl.so.4";

template <typename Function>
bool Find(void* library, const char* name, Function* function) {
  *function = reinterpret_cast<Function>(dlsym(library, name));
  return *function != nullptr;
}

}  // namespace

Result<CurlLibrary> CurlLibrary::Load() {
  void* const library = dlopen(kFile, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error(Code::kUnavailable, std::string("the client needs ") + kFile +
                                         " (Debian: apt-get install libcurl4): " + dlerror());
  }
  CurlLibrary curl;
  const bool complete = Find(library, "curl_easy_init", &curl.init) &&
                        Find(library, "curl_easy_cleanup", &curl.cleanup) &&
                        Find(library, "curl_easy_reset", &curl.reset) &&
                        Find(library, "curl_easy_setopt", &curl.setopt) &&
                        Find(library, "curl_easy_perform", &curl.perform) &&
                        Find(library, "curl_easy_getinfo", &curl.getinfo) &&
                        Find(library, "curl_easy_send", &curl.send) &&
                        Find(library, "curl_easy_recv", &curl.recv) &&
                        Find(library, "curl_easy_strerror", &curl.strerror) &&
                        Find(library, "curl_multi_init", &curl.multi_init) &&
                        Find(library, "curl_multi_cleanup", &curl.multi_cleanup) &&
                        Find(library, "curl_multi_setopt", &curl.multi_setopt) &&
                        Find(library, "curl_multi_add_handle", &curl.multi_add_handle) &&
                        Find(library, "curl_multi_remove_handle", &curl.multi_remove_handle) &&
                        Find(library, "curl_multi_perform", &curl.multi_perform) &&
                        Find(library, "curl_multi_poll", &curl.multi_poll) &&
                        Find(library, "curl_multi_info_read", &curl.multi_info_read) &&
                        Find(library, "curl_slist_append", &curl.slist_append) &&
                        Find(library, "curl_slist_free_all", &curl.slist_free_all);
  if (!complete) return Error(Code::kUnavailable, std::string(kFile) + " is not libcurl 7");
  return curl;
}

}  // namespace drover
