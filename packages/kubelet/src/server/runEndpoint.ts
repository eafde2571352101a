import { heldOutputsOf } from "./HeldOutputs.ts"
import { type Answer, type SettledResponse, text } from "./KubeletRequest.ts"
import { runningContainer } from "./runningContainer.ts"
import { execStream } from "./streams/commandStream.ts"

/** What go-restful answers without content: no type. */
const nothing: SettledResponse = { code: 200, contentType: "", body: "" }

/** Upstream: cri-client/pkg/remote_runtime.go, execSync. */
const failed = (command: ReadonlyArray<string>, status: number, errors: string): SettledResponse =>
  text(500, `command '${command.join(" ")}' exited with ${status}: ${errors}`)

/**
 * `/run/{namespace}/{pod}/{container}`: runs the words of `cmd`, and answers with what they wrote, first to the standard output.
 * Upstream: pkg/kubelet/server getRun.
 */
export const run: Answer = (content, query, path) => {
  const found = runningContainer(content, path)
  if ("code" in found) return found
  const { container, served } = found
  const command = (query.get("cmd")?.[0] ?? "").split(" ")
  const { open } = execStream(content.streams, served, container, { command, stdin: false, tty: false })
  const later = (reply: (response: SettledResponse) => void): (() => void) => {
    const output = heldOutputsOf(content.streams.timers).hold()
    const input = open({
      write: output.write,
      // What is left out does not wait for a reader: the command goes on to its end.
      isFull: () => false,
      end: (status) => {
        const written = output.take()
        const all = written[1] + written[2]
        if (typeof status === "object") reply(text(500, status.error))
        else if (status !== undefined && status !== 0) reply(failed(command, status, written[2]))
        else reply(all === "" ? nothing : { code: 200, contentType: "application/json", body: all })
      }
    })
    return () => {
      input.close()
      output.take()
    }
  }
  return { code: 200, contentType: "application/json", body: { later } }
}
