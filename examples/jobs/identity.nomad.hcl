# A task with a token for another program, which can check by the agent's public keys who asks.
job "identity" {
  type = "batch"

  group "group" {
    task "show" {
      driver = "raw_exec"

      # The token is in secrets/nomad_bank.jwt, and only a program called bank.example accepts it.
      # After half of its ttl, the agent writes a new one and sends the signal.
      identity {
        name          = "bank"
        aud           = ["bank.example"]
        ttl           = "1h"
        file          = true
        change_mode   = "signal"
        change_signal = "SIGHUP"
      }

      # Prints what the token says.
      config {
        command = "python3"
        args = ["-c", <<-EOT
          import base64, json, os
          with open(os.environ["NOMAD_SECRETS_DIR"] + "/nomad_bank.jwt") as file:
              claims = file.read().split(".")[1]
          print(json.dumps(json.loads(base64.urlsafe_b64decode(claims + "=="))))
          EOT
        ]
      }
    }
  }
}
