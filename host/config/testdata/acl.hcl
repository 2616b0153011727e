acl {
  enabled           = true
  token_ttl         = "30s"  # warning /acl/token_ttl
  policy_ttl        = "60s"  # warning /acl/policy_ttl
  role_ttl          = "60s"  # warning /acl/role_ttl
  replication_token = "d4"  # warning /acl/replication_token

  token_min_expiration_ttl = "30s"
  token_max_expiration_ttl = "48h"
}
