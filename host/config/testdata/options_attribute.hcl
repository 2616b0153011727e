client {
  enabled = true
  options = {
    "driver.raw_exec.enable" = "0"
    "driver.allowlist"       = "exec,docker"  # error /client/options/driver.allowlist
  }
  meta = {
    "type" = "worker",
    "gpu"  = "false"
  }
}
