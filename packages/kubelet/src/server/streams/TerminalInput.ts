const BACKSPACE = "\x7f"
const INTERRUPT = "\x03"
const END_OF_INPUT = "\x04"
/** The longest line that is gathered. */
const MAX_LINE = 64 * 1024

export interface TerminalHandlers {
  readonly line: (text: string) => void
  readonly end: () => void
  readonly interrupt: () => void
  readonly echo: (text: string) => void
}

/** Makes lines of what is typed into a terminal, and shows it, as the line discipline of a kernel does. */
export class TerminalInput {
  private readonly handlers: TerminalHandlers
  private typed = ""

  constructor(handlers: TerminalHandlers) {
    this.handlers = handlers
  }

  write(text: string): void {
    for (const char of text) this.key(char)
  }

  private key(char: string): void {
    const { echo, end, interrupt, line } = this.handlers
    if (char === "\r" || char === "\n") {
      echo("\n")
      const { typed } = this
      this.typed = ""
      line(`${typed}\n`)
    } else if (char === INTERRUPT) {
      echo("^C\n")
      this.typed = ""
      interrupt()
    } else if (char === END_OF_INPUT) {
      if (this.typed === "") end()
    } else if (char === BACKSPACE || char === "\b") {
      if (this.typed !== "") echo("\b \b")
      this.typed = this.typed.slice(0, -1)
    } else if ((char >= " " || char === "\t") && this.typed.length < MAX_LINE) {
      this.typed += char
      echo(char)
    }
  }
}

/** Makes lines of the text of a pipe. */
export class PipeInput {
  private readonly handlers: Pick<TerminalHandlers, "line" | "end">
  private rest = ""

  constructor(handlers: Pick<TerminalHandlers, "line" | "end">) {
    this.handlers = handlers
  }

  write(text: string): void {
    const lines = (this.rest + text).split("\n")
    this.rest = (lines.pop() ?? "").slice(0, MAX_LINE)
    for (const line of lines) this.handlers.line(`${line}\n`)
  }

  /** Passes on what stands after the last line feed. */
  flush(): void {
    if (this.rest !== "") this.handlers.line(this.rest)
    this.rest = ""
  }

  end(): void {
    this.flush()
    this.handlers.end()
  }
}
