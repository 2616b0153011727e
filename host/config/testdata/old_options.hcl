# As it was written before drivers had blocks.
client {
  enabled = true
  options {
    "driver.raw_exec.enable"    = "1"  # error /client/options/driver.raw_exec.enable
    "docker.privileged.enabled" = "true"  # error /client/options/docker.privileged.enabled
    "docker.volumes.enabled"    = "true"
    "user.denylist"             = "root"
    "fingerprint.denylist"      = "env_aws"  # warning /client/options/fingerprint.denylist
  }
  chroot_env {
    "/bin"         = "/bin"
    "/etc/passwd"  = "/etc/passwd"
    "/usr/lib/jvm" = "/usr/lib/jvm"
  }
}
