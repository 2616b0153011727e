client {
  enabled        = true
  cni_path       = "/opt/cni/bin"  # warning /client/cni_path
  cni_config_dir = "/opt/cni/config"  # warning /client/cni_config_dir

  bridge_network_name   = "nomad"  # warning /client/bridge_network_name
  bridge_network_subnet = "172.26.64.0/20"  # warning /client/bridge_network_subnet

  artifact {
    disable_filesystem_isolation = true
  }
  template {  # warning /client/template
    disable_file_sandbox = true
  }
}
