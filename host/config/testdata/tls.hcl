tls {
  http = true
  rpc  = true  # warning /tls/rpc

  ca_file   = "/etc/nomad.d/tls/nomad-agent-ca.pem"
  cert_file = "/etc/nomad.d/tls/global-server-nomad.pem"
  key_file  = "/etc/nomad.d/tls/global-server-nomad-key.pem"

  verify_server_hostname = true  # warning /tls/verify_server_hostname
  verify_https_client    = false
  tls_min_version        = "tls12"
}
