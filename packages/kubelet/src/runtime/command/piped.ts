import type { Run } from "./ShellWorld.ts"

/** What one command has written that the next has not read; a reader that asks gets it before more is made. */
const MAX_UNREAD = 64 * 1024

/** A line that waits, the end of what is written, or that it is not known. */
type Pulled = { readonly line: string | undefined } | "unknown"

/** The writer's side of a pipe. It runs only when the reader asks. */
class Writer {
  private readonly run: Run<number | undefined>
  private lines: Array<string> = []
  private rest = ""
  private unread = 0
  private input: string | undefined
  private state: "runs" | "ended" | "unknown" = "runs"

  constructor(run: Run<number | undefined>) {
    this.run = run
  }

  /** Returns the next line. */
  *pull(): Run<Pulled> {
    while (this.lines.length === 0) {
      if (this.state === "unknown") return "unknown"
      if (this.state === "ended") {
        const line = this.rest === "" ? undefined : this.rest
        this.rest = ""
        return { line }
      }
      yield* this.step()
    }
    const line = this.lines.shift() ?? ""
    this.unread -= line.length
    return { line }
  }

  /** Runs on without a reader: it is killed by what it writes next. Returns false if it is not known. */
  *finish(): Run<boolean> {
    while (this.state === "runs" && this.lines.length === 0 && this.rest === "") yield* this.step()
    return this.state !== "unknown" || this.lines.length > 0
  }

  private *step(): Run<void> {
    const { done, value } = this.run.next(this.input)
    this.input = undefined
    if (done === true) this.state = value === undefined ? "unknown" : "ended"
    else if (value.kind !== "output" || value.stream === 2) this.input = yield value
    else if (value.text === undefined) this.state = "unknown"
    else this.take(value.text)
  }

  private take(text: string): void {
    const lines = (this.rest + text).split("\n")
    this.rest = lines.pop() ?? ""
    this.lines.push(...lines.map((line) => `${line}\n`))
    this.unread += text.length
    if (this.unread > MAX_UNREAD || this.rest.length > MAX_UNREAD) this.state = "unknown"
  }
}

/** Runs a command that reads what another one writes. Its status is that of the reader. */
export const piped = function* (
  left: Run<number | undefined>,
  right: Run<number | undefined>
): Run<number | undefined> {
  const writer = new Writer(left)
  let input: string | undefined
  for (;;) {
    const { done, value } = right.next(input)
    input = undefined
    if (done === true) return value === undefined || !(yield* writer.finish()) ? undefined : value
    if (value.kind !== "read") {
      input = yield value
      continue
    }
    const pulled: Pulled = yield* writer.pull()
    if (pulled === "unknown") return undefined
    input = pulled.line
  }
}
