tls {  # error /tls
  http                = true
  cert_file           = "certs/node.pem"
  key_file            = "certs/node-key.pem"
  verify_https_client = true
  tls_min_version     = "tls13"  # error /tls/tls_min_version
  tls_cipher_suites   = "TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256"  # error /tls/tls_cipher_suites
}
