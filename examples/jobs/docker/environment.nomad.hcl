# Variables of the job, the metadata and the host.
job "environment" {
  type = "batch"

  meta {
    owner = "team-a"
  }

  group "environment" {
    task "print" {
      driver = "docker"

      config {
        image   = "drover-test:1"
        command = "sh"
        args    = ["-c", "echo $GREETING $NOMAD_META_owner $NOMAD_ALLOC_INDEX"]
      }

      env {
        GREETING = "good morning"
      }
    }
  }
}
