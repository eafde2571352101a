import type { Container } from "@rollcall/api"

/** Upstream: pkg/kubelet/container/runtime.go, MaxContainerTerminationMessageLength and those of logs. */
const MAX_MESSAGE = 4 * 1024
const MAX_LOG = 2 * 1024
const MAX_LINES = 80

/** What the status of a container says of its end. Upstream: kuberuntime_container.go, getTerminationMessage. */
export class TerminationMessage {
  private readonly container: Partial<Container>
  private log = ""

  constructor(container: Partial<Container>) {
    this.container = container
  }

  /** The file that a container writes its message into. */
  get path(): string {
    return this.container.terminationMessagePath ?? "/dev/termination-log"
  }

  wrote(text: string): void {
    if (this.container.terminationMessagePolicy === "FallbackToLogsOnError")
      this.log = (this.log + text).slice(-MAX_LOG)
  }

  /** Returns the message: what is in the file, else, after an error, the end of the log if it is asked for. */
  of(written: string | undefined, exitCode: number): string {
    if (written !== undefined && written !== "") return written.slice(0, MAX_MESSAGE)
    return exitCode === 0
      ? ""
      : this.log
          .split(/(?<=\n)/)
          .slice(-MAX_LINES)
          .join("")
  }
}
