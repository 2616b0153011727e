# Files of the task at the places where the image expects them.
job "volumes" {
  type = "batch"

  group "volumes" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "cat /etc/app/app.conf"]
        volumes = ["local/app.conf:/etc/app/app.conf:ro"]
      }

      template {
        destination = "local/app.conf"
        data        = "workers = 4\n"
      }
    }
  }
}
