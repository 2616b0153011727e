# A service that ends in its own way, by the signal that it wants.
job "graceful" {
  group "graceful" {
    task "server" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "trap 'echo good bye; exit 0' INT; while true; do sleep 0.1; done"]
      }

      kill_signal  = "SIGINT"
      kill_timeout = "10s"
    }
  }
}
