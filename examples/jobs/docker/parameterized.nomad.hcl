# A job that runs once for each request.
job "docker-parameterized" {
  type = "batch"

  parameterized {
    payload       = "optional"
    meta_required = ["user"]
  }

  group "greet" {
    task "greet" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "echo"
        args    = ["hello, ${NOMAD_META_user}"]
      }
    }
  }
}
