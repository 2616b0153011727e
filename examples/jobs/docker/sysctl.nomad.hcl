# A parameter of the kernel, in the network of the container.
job "sysctl" {
  type = "batch"

  group "sysctl" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "cat /proc/sys/net/core/somaxconn"]

        network_mode = "none"

        sysctl = {
          "net.core.somaxconn" = "4321"
        }
      }
    }
  }
}
