# Logs that are rotated by the host, and a small buffer in the engine.
job "logging" {
  type = "batch"

  group "logging" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "echo a line"]

        logging {
          type = "json-file"

          config {
            max-size = "1m"
          }
        }
      }

      logs {
        max_files     = 2
        max_file_size = 1
      }
    }
  }
}
