// Copyright 2026 The Drover Authors. SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "host/acl/acl.h"
#include "host/acl/acl_state.h"
#include "host/acl/failure_limiter.h"
#include "host/base/loop.h"
#include "host/base/result.h"

namespace drover {

// Who asks, and what that client may do.
struct AclPrincipal {
  std::shared_ptr<const Acl> acl;  // never null
  // The token of the client; null for a task, for the agent's own token, and without a token.
  std::shared_ptr<const TokenRecord> token;
  // A name for the log, which is no secret: the accessor id, "anonymous", "agent-token", or the
  // allocation and the task.
  std::string name;
};

// What the identity of a task says, after it was verified.
struct AclIdentity {
  TaskPrincipal task;
  WallTime expiration_time = 0;  // 0: never
};

// Verifies the identities of tasks, for AclResolver. [any thread]
struct IdentityVerifier {
  // Checks the signature, the times and the audience of an identity. Costs much.
  std::function<Result<AclIdentity>(std::string_view identity, WallTime now)> verify;
  // Whether the allocation is there and has not ended. Costs little.
  std::function<bool(const std::string& alloc_id)> is_live;
};

struct AclSettings {
  // Whether policies count. If not, a client needs the agent's token, or nothing if there is none.
  bool enabled = false;
  // Of the agent's token, which is a management token; see SecretHash. Empty: there is none.
  std::string agent_token_hash;
};

// Finds out what the secret of a request allows. Successful look-ups are kept, until a policy, a
// role or a token changes or the token expires. Failed look-ups are counted by their source. The
// state must outlive this object. [any thread]
class AclResolver {
 public:
  static constexpr std::size_t kMostKept = 512;
  // The longest secret. An identity is the longest; see kLongestToken in host/identity/token.h.
  static constexpr std::size_t kMostSecretBytes = std::size_t{16} << 10;

  explicit AclResolver(const AclState* state, FailureLimiter::Limits limits = {})
      : state_(state), failures_(limits) {}
  AclResolver(const AclResolver&) = delete;
  AclResolver& operator=(const AclResolver&) = delete;

  // These functions may be called again when the configuration has changed.
  void SetSettings(AclSettings settings);
  // Must be called before the first Resolve.
  void SetVerifier(IdentityVerifier verifier) { verifier_ = std::move(verifier); }

  // Returns the client that has sent SECRET, which is empty if it has sent none. SOURCE is where
  // the request comes from: FailureSource(...), or the allocation for a socket of a task. CALLER is
  // the loop of this thread. Errors:
  // - kPermissionDenied with "ACL token not found", "ACL token expired" or "Permission denied"
  // - kResourceExhausted after too many failures of SOURCE; answer 429 and close the connection.
  //   A right token is still accepted then, since a look-up costs little: a program that guesses
  //   must not lock out others at its address. But no identity is verified any more.
  Result<AclPrincipal> Resolve(Loop* caller, std::string_view secret, const std::string& source);
  // Like Resolve, for the socket of a task: a secret is needed whatever the settings are.
  Result<AclPrincipal> ResolveStrictly(Loop* caller, std::string_view secret,
                                       const std::string& source);

  // Returns what TASK may do, as if it had asked with its own identity. [any thread]
  std::shared_ptr<const Acl> AclOfTask(const TaskPrincipal& task) const;

  // Numbers of all that a look-up depends on, beside time and living allocations: the writes to
  // the state, and the calls of SetSettings. What was kept under other numbers does not count.
  struct Stamp {
    std::uint64_t state = 0;
    std::uint64_t settings = 0;

    bool operator==(const Stamp&) const = default;
  };
  // Whoever keeps a principal must resolve again when this has changed. It must be read before the
  // look-up.
  Stamp StampNow() const;

  // Whether the agent has a token of its own.
  bool has_agent_token() const;

  std::size_t kept() const;  // for tests

 private:
  struct Entry {
    std::string secret_hash;
    AclPrincipal principal;
    Stamp stamp;
    WallTime expiration_time = 0;
  };

  Result<Entry> LookUp(const std::string& hash, std::string_view secret, WallTime now);
  Result<Entry> LookUpToken(const std::string& hash, WallTime now) const;
  Result<Entry> LookUpIdentity(std::string_view identity, WallTime now, bool policies_count) const;
  AclPrincipal Anonymous();
  Error Fail(const std::string& source, TimePoint now, Error error);
  // Returns what is kept for HASH, if it still counts.
  std::optional<AclPrincipal> Kept(const std::string& hash, const Stamp& stamp, WallTime now);
  void Keep(Entry entry);
  bool IsLive(const TaskPrincipal& task) const;

  const AclState* const state_;
  IdentityVerifier verifier_;
  mutable std::mutex mutex_;  // protects all below
  AclSettings settings_;
  std::uint64_t settings_number_ = 0;
  FailureLimiter failures_;
  std::list<Entry> entries_;  // the one that was used last is the first
  std::unordered_map<std::string, std::list<Entry>::iterator> places_;
};

}  // namespace drover
