# Limits of files, shared memory, processor and memory.
job "limits" {
  type = "batch"

  group "limits" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "ulimit -n"]

        shm_size       = 33554432
        cpu_hard_limit = true

        ulimit {
          nofile = "128:256"
        }
      }

      resources {
        cpu    = 200
        memory = 32
      }
    }
  }
}
