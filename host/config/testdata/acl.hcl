acl {
  enabled    = true  # error /acl/enabled
  token_ttl  = "30s"  # warning /acl/token_ttl
  policy_ttl = "60s"  # warning /acl/policy_ttl
}
