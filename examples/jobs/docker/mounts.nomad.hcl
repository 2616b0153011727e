# The kinds of mounts: a directory of the task, and one in memory.
job "mounts" {
  type = "batch"

  group "mounts" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "touch /scratch/x /data/y && echo written"]

        mount {
          type   = "tmpfs"
          target = "/scratch"

          tmpfs_options {
            size = 1048576
          }
        }

        mount {
          type   = "bind"
          source = "local"
          target = "/data"
        }
      }
    }
  }
}
