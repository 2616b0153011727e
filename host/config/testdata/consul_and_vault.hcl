consul {
  address             = "127.0.0.1:8500"
  token               = "f4c1"
  server_service_name = "nomad"  # warning /consul/default/server_service_name
  client_service_name = "nomad-client"  # warning /consul/default/client_service_name
  auto_advertise      = true  # warning /consul/default/auto_advertise
  server_auto_join    = true  # warning /consul/default/server_auto_join
  client_auto_join    = true  # warning /consul/default/client_auto_join
}

consul {
  name       = "east"
  address    = "https://consul.east.example:8501"
  verify_ssl = "false"
  timeout    = "3s"
}

vault {  # error /vault
  enabled          = true
  address          = "https://vault.service.consul:8200"
  create_from_role = "nomad-cluster"
}
