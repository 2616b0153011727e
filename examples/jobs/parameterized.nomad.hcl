# A job that runs once for each request, with its input:
# echo hello | drover job dispatch --meta user=ada parameterized -
job "parameterized" {
  type = "batch"

  parameterized {
    payload       = "required"
    meta_required = ["user"]
    meta_optional = ["mark"]
  }

  meta {
    mark = "!"
  }

  group "greet" {
    task "greet" {
      driver = "raw_exec"

      dispatch_payload {
        file = "input.txt"
      }

      config {
        command = "/bin/sh"
        args    = ["-c", "echo \"$(cat \"$NOMAD_TASK_DIR/input.txt\"), $NOMAD_META_user$NOMAD_META_mark\""]
      }
    }
  }
}
