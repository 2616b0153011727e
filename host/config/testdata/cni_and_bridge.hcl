client {
  enabled        = true
  cni_path       = "/opt/cni/bin"
  cni_config_dir = "/opt/cni/config"

  bridge_network_name   = "nomad"
  bridge_network_subnet = "172.26.64.0/20"

  artifact {
    disable_filesystem_isolation = true
  }
  template {  # warning /client/template
    disable_file_sandbox = true
  }
}
