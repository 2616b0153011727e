// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#include "host/alloc/hooks/alloc_dir_hook.h"

namespace drover {

Co<Status> AllocDirHook::Prerun(Context, AllocHookRequest) { co_return co_await dir_->Build(); }

Co<Status> AllocDirHook::Postrun(Context, AllocHookRequest) {
  co_return co_await dir_->DropSecrets();
}

Co<Status> AllocDirHook::Destroy(Context, AllocHookRequest) { co_return co_await dir_->Destroy(); }

}  // namespace drover
