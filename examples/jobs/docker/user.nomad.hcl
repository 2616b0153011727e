# A user other than that of the image.
job "user" {
  type = "batch"

  group "user" {
    task "main" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "id -u"]
      }

      user = "1000"
    }
  }
}
