import { modelledPrograms } from "./modelledPrograms.ts"
import type { ProgramEnd } from "./ProgramEnd.ts"
import { parseShellScript, type ShellCommand, type ShellList, type ShellWord } from "./ShellScript.ts"

/** Values of variables. One without a value is set, but not known here. */
export type Environment = ReadonlyMap<string, string | undefined>

const assignment = /^([A-Za-z_]\w*)=/
const MAX_NESTING = 5
/** The longest word or output that is followed: a script can double a variable with each line. */
const MAX_TEXT = 64 * 1024

/** Runs a script in the head. A method returns undefined once the run depends on something that is not modelled. */
class ShellRun {
  private readonly variables: Map<string, string | undefined>
  private readonly nesting: number
  private afterMs = 0
  private output: string | undefined = ""
  private status = 0
  private hasExited = false

  constructor(environment: Environment, nesting: number) {
    this.variables = new Map(environment)
    this.nesting = nesting
  }

  run(script: string): ProgramEnd | undefined {
    const list = this.nesting > MAX_NESTING ? undefined : parseShellScript(script)
    const status = list === undefined ? undefined : this.list(list)
    return status === undefined ? undefined : { status, afterMs: this.afterMs, output: this.output }
  }

  private list(list: ShellList): number | undefined {
    let status = 0
    for (const { after, command } of list) {
      if ((after === "&&" && status !== 0) || (after === "||" && status === 0)) continue
      const next = this.command(command)
      if (next === undefined) return undefined
      status = next
      this.status = next
      if (this.hasExited) break
    }
    return status
  }

  private command(command: ShellCommand): number | undefined {
    if (command.kind === "simple") return this.simple(command.words)
    for (const { body, test } of command.branches) {
      const status = this.list(test)
      if (status === undefined || this.hasExited) return status
      if (status === 0) return this.list(body)
    }
    return this.list(command.otherwise)
  }

  private simple(words: ReadonlyArray<ShellWord>): number | undefined {
    const fields: Array<string> = []
    for (const word of words) {
      const expanded = this.expand(word)
      if (expanded === undefined) return undefined
      fields.push(...expanded)
    }
    const [name = "", ...args] = fields
    if (name === "exit") return this.exit(args)
    if (name === "exec" && args.length > 0) return this.exit([String(this.program(args) ?? "")])
    const [, variable] = fields.length === 1 ? (assignment.exec(name) ?? []) : []
    if (variable === undefined) return this.program(fields)
    this.variables.set(variable, name.slice(variable.length + 1))
    return 0
  }

  private exit([status = String(this.status), ...more]: ReadonlyArray<string>): number | undefined {
    if (!/^\d{1,9}$/.test(status) || more.length > 0) return undefined
    this.hasExited = true
    return Number(status) % 256
  }

  private program(argv: ReadonlyArray<string>): number | undefined {
    const end = programEnd(argv, this.variables, this.nesting + 1)
    if (end === undefined) return undefined
    this.afterMs += end.afterMs
    const output = this.output === undefined || end.output === undefined ? undefined : this.output + end.output
    this.output = output !== undefined && output.length > MAX_TEXT ? undefined : output
    return end.status
  }

  /** Returns the fields of a word: one, or none if nothing but empty expansions is left. */
  private expand(word: ShellWord): ReadonlyArray<string> | undefined {
    let text = ""
    let isField = false
    for (const part of word) {
      if (part.kind === "text") {
        text += part.text
        isField = true
        continue
      }
      const expanded = part.kind === "variable" ? this.variables.get(part.text) : this.outputOf(part.text)
      // Unquoted text with blanks becomes several words, and patterns become names of files.
      if (expanded === undefined || (!part.isQuoted && /[\s*?[]/.test(expanded))) return undefined
      text += expanded
      if (text.length > MAX_TEXT) return undefined
      isField ||= part.isQuoted || expanded !== ""
    }
    return isField ? [text] : []
  }

  private outputOf(script: string): string | undefined {
    const end = new ShellRun(this.variables, this.nesting + 1).run(script)
    this.afterMs += end?.afterMs ?? 0
    return end?.output?.replace(/\n+$/, "")
  }
}

const shells = new Set(["sh", "ash", "bash", "dash"])

/** Returns how a program ends, or undefined if its arguments and variables alone do not decide that. */
export const programEnd = (
  argv: ReadonlyArray<string>,
  environment: Environment,
  nesting = 0
): ProgramEnd | undefined => {
  const [path = "", ...args] = argv
  const name = path.slice(path.lastIndexOf("/") + 1)
  const [flag, script = "", ...more] = args
  if (shells.has(name)) {
    return flag === "-c" && more.length === 0 ? new ShellRun(environment, nesting).run(script) : undefined
  }
  return Object.hasOwn(modelledPrograms, name) ? modelledPrograms[name]?.(args) : undefined
}
