tls {  # error /tls
  http = true
}
