import { absolute } from "./absolutePath.ts"
import { isAgnhost, runAgnhost } from "./agnhost.ts"
import { assignment, withoutAssignments } from "./assignments.ts"
import { calculate } from "./calculate.ts"
import { copyBlocks } from "./copyBlocks.ts"
import { runFilter } from "./filters/Filter.ts"
import { filterNamed } from "./filters/filterPrograms.ts"
import { modelledPrograms } from "./modelledPrograms.ts"
import { outputDevice } from "./outputDevices.ts"
import { piped } from "./piped.ts"
import {
  carryOut,
  outputOf,
  pauseOfLoop,
  redirected,
  repeatInput,
  runInteractive,
  type ShellLevel,
  type Targets
} from "./programRun.ts"
import { contextOf, type RunContext } from "./RunContext.ts"
import { parseShellScript, type ShellCommand, type ShellList, type ShellRedirect } from "./ShellScript.ts"
import type { ShellWord, WordPart } from "./ShellTokens.ts"
import { type Environment, INTERRUPTED, type Run } from "./ShellWorld.ts"
import { writeIn } from "./writeIn.ts"

/** What else a shell can trap. */
const notSignals: ReadonlySet<string> = new Set(["0", "EXIT", "ERR", "DEBUG", "RETURN"])
const MAX_NESTING = 5
const MAX_CALLS = 20
/** The longest word or output that is followed: a script can double a variable with each line. */
const MAX_TEXT = 64 * 1024

/** The exit status of a shell that ends for a variable without a value. */
const MISSING_VALUE = 2

/** `$RANDOM` is less than this. */
const RANDOM_LIMIT = 32_768

/** A run in the head; a method returns undefined once the run depends on something that is not modelled. */
export class ShellRun {
  private readonly variables: Map<string, string | undefined>
  private readonly context: RunContext
  private readonly level: ShellLevel
  private readonly functions: Map<string, ShellList>
  private status = 0
  private hasExited = false
  private loops = 0
  /** The calls of functions that have not returned. */
  private calls = 0
  /** The loops that a `break` or `continue` leaves. */
  private leaving: "break" | "continue" | undefined = undefined
  /** Increases with everything that one turn of a loop leaves to the next. */
  private changes = 0

  constructor(
    environment: Environment,
    context: RunContext,
    level: ShellLevel,
    functions: ReadonlyMap<string, ShellList> = new Map()
  ) {
    this.functions = new Map(functions)
    this.variables = new Map(environment)
    this.context = context
    this.level = level
  }

  /** Whether `exit` has ended the shell. */
  get isOver(): boolean {
    return this.hasExited
  }

  *script(text: string): Run<number | undefined> {
    const { nesting, path } = this.level
    const keepsBraces = this.context.keepsBraces === true && !path.endsWith("bash")
    const list = nesting > MAX_NESTING ? undefined : parseShellScript(text, keepsBraces)
    return list === undefined ? undefined : yield* this.list(list)
  }

  private get isLeft(): boolean {
    return this.hasExited || this.context.clock.isInterrupted === true
  }

  private *list(list: ShellList): Run<number | undefined> {
    let status = 0
    for (const { after, command } of list) {
      if ((after === "&&" && status !== 0) || (after === "||" && status === 0)) continue
      const next = yield* this.command(command)
      if (next === undefined) return undefined
      status = next
      this.status = next
      if (this.context.clock.isInterrupted === true) return INTERRUPTED
      if (this.hasExited || this.leaving !== undefined) break
    }
    return status
  }

  *command(command: ShellCommand): Run<number | undefined> {
    if (command.kind === "simple") return yield* this.simple(command.words, command.redirects)
    if (command.kind === "for") return yield* this.forLoop(command)
    if (command.kind === "pipe") return yield* this.pipe(command.commands)
    if (command.kind === "redirected") return yield* this.inside(command.redirects, this.command(command.command))
    if (command.kind === "group") return yield* this.list(command.body)
    if (command.kind === "function") {
      this.functions.set(command.name, command.body)
      return 0
    }
    if (command.kind === "not") {
      const status = yield* this.command(command.command)
      return status === undefined || this.hasExited ? status : status === 0 ? 1 : 0
    }
    if (command.kind !== "if") return yield* this.loop(command)
    for (const { body, test } of command.branches) {
      const status = yield* this.list(test)
      if (status === undefined || this.hasExited) return status
      if (status === 0) return yield* this.list(body)
    }
    return yield* this.list(command.otherwise)
  }

  /** Runs commands that read what those before them write, each in a shell of its own. */
  private *pipe(commands: ReadonlyArray<ShellCommand>): Run<number | undefined> {
    if (this.context.needWorld() === undefined || this.level.nesting >= MAX_NESTING) return undefined
    const level = { ...this.level, nesting: this.level.nesting + 1 }
    const runs = commands.map((command) =>
      new ShellRun(this.variables, this.context, level, this.functions).command(command)
    )
    // A turn of a loop around it may read files that another command changes.
    this.changes++
    return yield* runs.reduce((left, right) => piped(left, right))
  }

  /** Runs a command with the streams that its redirections say. */
  private *inside(redirects: ReadonlyArray<ShellRedirect>, run: Run<number | undefined>): Run<number | undefined> {
    const targets = yield* this.targets(redirects)
    if (targets === undefined) return undefined
    return yield* redirected(run, targets, this.level.path, (path, text) => {
      this.changes++
      return writeIn(this.context, path, text, true)
    })
  }

  private *loop({ body, kind, test }: Extract<ShellCommand, { readonly test: ShellList }>): Run<number | undefined> {
    let status = 0
    for (;;) {
      const { changes } = this
      const { clock } = this.context
      const startMs = clock.elapsedMs
      const tested = yield* this.list(test)
      if (tested === undefined || this.isLeft) return tested
      if ((tested === 0) !== (kind === "while")) return status
      const next = yield* this.turn(body)
      if (next === undefined || this.isLeft) return next
      status = next
      if (this.leftBy("break")) return status
      yield { kind: "turn" }
      yield* this.pause(clock.elapsedMs - startMs, changes !== this.changes)
    }
  }

  /** Pauses between two turns of a loop, the last of which took this long and left something to the next, or not. */
  private *pause(takenMs: number, hasChanged: boolean): Run<void> {
    const ms = pauseOfLoop(this.context, takenMs, hasChanged)
    if (ms > 0) yield { kind: "wait", ms }
    this.context.clock.elapsedMs += ms
  }

  private *forLoop({ body, name, words }: Extract<ShellCommand, { readonly kind: "for" }>): Run<number | undefined> {
    const values = yield* this.fields(words)
    if (values === undefined) return undefined
    let status = 0
    for (const value of values) {
      this.set(name, value)
      const next = yield* this.turn(body)
      if (next === undefined || this.isLeft) return next
      status = next
      if (this.leftBy("break")) break
      yield { kind: "turn" }
    }
    return status
  }

  private *turn(body: ShellList): Run<number | undefined> {
    this.loops++
    const status = yield* this.list(body)
    this.loops--
    return status
  }

  private leftBy(how: "break" | "continue"): boolean {
    const is = this.leaving === how
    this.leaving = undefined
    return is
  }

  private *simple(words: ReadonlyArray<ShellWord>, redirects: ReadonlyArray<ShellRedirect>): Run<number | undefined> {
    const fields = yield* this.fields(words)
    if (fields === undefined) return undefined
    if (this.hasExited) return this.status
    if (this.level.traces && fields.length > 0)
      yield { kind: "output", stream: 2, text: `+ ${fields.map(traced).join(" ")}\n` }
    const { assigned, rest } = withoutAssignments(fields)
    const [name = "", ...args] = rest
    if (rest.length === 0 && redirects.length === 0) {
      for (const [variable, value] of assigned) this.set(variable, value)
      return 0
    }
    const builtin = Object.hasOwn(this.builtins, name) ? this.builtins[name] : undefined
    if (builtin !== undefined) return yield* this.inside(redirects, runBuiltin(builtin, args))
    const body = this.functions.get(name)
    // Its arguments would be variables that no script that is modelled can read.
    if (body !== undefined) return args.length > 0 ? undefined : yield* this.inside(redirects, this.call(body))
    const variables = assigned.length === 0 ? this.variables : new Map([...this.variables, ...assigned])
    const run = runProgram(rest.length === 0 ? [":"] : rest, variables, this.context, this.level.nesting + 1)
    return yield* this.inside(redirects, run)
  }

  private readonly builtins: Readonly<Record<string, Builtin>> = {
    exit: (args) => this.exit(args),
    exec: (args) => this.exec(args),
    export: (args) => this.export(args),
    unset: (args) => this.unset(args),
    read: (args) => this.readLine(args),
    trap: (args) => this.trap(args),
    break: () => this.leave("break"),
    continue: () => this.leave("continue")
  }

  private *call(body: ShellList): Run<number | undefined> {
    if (this.calls >= MAX_CALLS) return undefined
    // Those who follow a run count its turns.
    yield { kind: "turn" }
    this.calls++
    const status = yield* this.list(body)
    this.calls--
    return status
  }

  /** `trap ACTION SIGNAL…`; only the first process of a container gets its signals. Ends and errors cannot be trapped. */
  private trap([action, ...signals]: ReadonlyArray<string>): number | undefined {
    const { traps } = this.context
    if (signals.some((signal) => notSignals.has(signal))) return undefined
    if (traps === undefined || this.level.nesting > 0 || action === undefined) return 0
    for (const signal of signals) {
      const name = signal.replace(/^SIG/, "")
      if (action === "-") traps.delete(name)
      else traps.set(name, () => this.trapped(action))
    }
    return 0
  }

  /** Carries out a trap; returns the exit status if it ends the shell. */
  private *trapped(action: string): Run<number | undefined> {
    const status = yield* this.script(action)
    return this.hasExited ? status : undefined
  }

  private leave(how: "break" | "continue"): number {
    if (this.loops > 0) this.leaving = how
    return 0
  }

  private exit([status = String(this.status), ...more]: ReadonlyArray<string>): number | undefined {
    if (!/^\d{1,9}$/.test(status) || more.length > 0) return undefined
    this.hasExited = true
    return Number(status) % 256
  }

  private *exec(argv: ReadonlyArray<string>): Run<number | undefined> {
    const status = argv.length === 0 ? 0 : yield* runProgram(argv, this.variables, this.context, this.level.nesting + 1)
    this.hasExited = argv.length > 0 && status !== undefined
    return status
  }

  private export(args: ReadonlyArray<string>): number {
    for (const arg of args) {
      const [, name] = assignment.exec(arg) ?? []
      if (name !== undefined) this.set(name, arg.slice(name.length + 1))
    }
    return 0
  }

  private unset(args: ReadonlyArray<string>): number {
    for (const arg of args) this.variables.delete(arg)
    this.changes++
    return 0
  }

  private *readLine([name = "REPLY", ...more]: ReadonlyArray<string>): Run<number | undefined> {
    const { isInputClosed, world } = this.context
    if ((isInputClosed && world === undefined) || more.length > 0) return undefined
    const line = yield { kind: "read" }
    this.set(name, line?.replace(/\n$/, "") ?? "")
    return line === undefined ? 1 : 0
  }

  private set(name: string, value: string): void {
    if (this.variables.get(name) !== value) this.changes++
    this.variables.set(name, value)
  }

  /** Returns where the two streams go. */
  private *targets(redirects: ReadonlyArray<ShellRedirect>): Run<Targets | undefined> {
    const targets: Targets = { 1: { stream: 1 }, 2: { stream: 2 }, input: undefined }
    for (const { file, from, to } of redirects) {
      if (from !== 0 && (to === 1 || to === 2)) {
        targets[from] = targets[to]
        continue
      }
      const [path, ...more] = (yield* this.fields(file === undefined ? [] : [file])) ?? []
      if (path === undefined || more.length > 0) return undefined
      if (from === 0) {
        const world = this.context.needWorld()
        if (world === undefined) return undefined
        targets.input = { path, text: path === "/dev/null" ? "" : world.files.read(absolute(path)) }
        continue
      }
      const device = outputDevice(path)
      if (device !== undefined) {
        // Its container must be there for what is written to its log.
        if ("log" in device) this.context.needWorld()
        targets[from] = "log" in device ? device : targets[device.stream]
        continue
      }
      const problem = path === "/dev/null" ? undefined : writeIn(this.context, path, "", to === "end")
      targets[from] = { path, problem }
    }
    return targets
  }

  /** Returns the fields of words, which unquoted values with blanks divide. */
  private *fields(words: ReadonlyArray<ShellWord>): Run<ReadonlyArray<string> | undefined> {
    const fields: Array<string> = []
    for (const word of words) {
      let text = ""
      let isField = false
      for (const part of word) {
        const value = part.kind === "text" ? part.text : yield* this.valueOf(part)
        if (value === undefined) return undefined
        if (part.kind === "text" || part.isQuoted || value === "" || !/[\s*?[]/.test(value)) {
          text += value
          isField ||= part.kind === "text" || part.isQuoted || value !== ""
        } else {
          // Patterns become names of files.
          if (/[*?[]/.test(value) || this.context.needWorld() === undefined) return undefined
          const pieces = (text + value).split(/\s+/)
          text = pieces.pop() ?? ""
          isField = text !== ""
          fields.push(...pieces.filter((piece) => piece !== ""))
        }
        if (text.length > MAX_TEXT) return undefined
      }
      if (isField) fields.push(text)
    }
    return fields
  }

  private *valueOf(part: WordPart): Run<string | undefined> {
    const { kind, text } = part
    const variable = (name: string): string | undefined => {
      if (name === "RANDOM" && !this.variables.has(name)) return this.random()
      const value = name === "?" ? String(this.status) : this.variables.get(name)
      // The image may set what the pod does not.
      return value ?? (this.context.needWorld() === undefined || this.variables.has(name) ? undefined : "")
    }
    if (kind === "variable") {
      const value = variable(text)
      if (value === "" && part.isRequired === true) {
        this.hasExited = true
        this.status = MISSING_VALUE
        yield { kind: "output", stream: 2, text: `${this.level.path}: ${text}: parameter not set\n` }
        return ""
      }
      return value === "" && part.kind === "variable" && part.otherwise !== undefined ? part.otherwise : value
    }
    if (kind === "calculation") return calculate(text, variable)?.toString()
    const inner = { ...this.level, nesting: this.level.nesting + 1 }
    const output = yield* outputOf(
      new ShellRun(this.variables, this.context, inner, this.functions).script(text),
      MAX_TEXT
    )
    // What the words do not say, the container may.
    return output === undefined && this.context.needWorld() === undefined ? undefined : output
  }

  private random(): string | undefined {
    const random = this.context.needWorld()?.random?.()
    this.changes++
    return random === undefined ? undefined : String(Math.floor(random * RANDOM_LIMIT))
  }
}

const runBuiltin = function* (builtin: Builtin, args: ReadonlyArray<string>): Run<number | undefined> {
  const done = builtin(args)
  return typeof done === "object" ? yield* done : done
}

type Builtin = (args: ReadonlyArray<string>) => Run<number | undefined> | number | undefined

const quoted = (text: string): string => (/^[\w./:=,+@%-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`)

/** Returns a field as a shell prints it. */
const traced = (field: string): string => {
  const [start = ""] = assignment.exec(field) ?? []
  return start + (field === start ? "" : quoted(field.slice(start.length)))
}

/** Returns the script that a shell is given, by `-c`, and whether `-x` is given too. */
const scriptOf = (args: ReadonlyArray<string>): { readonly script: string; readonly traces: boolean } | undefined => {
  const at = args.findIndex((arg) => !/^-x$/.test(arg))
  const [flag = "", script, ...more] = args.slice(at < 0 ? args.length : at)
  if (!/^-(?:x?c|cx)$/.test(flag) || script === undefined || more.length > 0) return undefined
  return { script, traces: at > 0 || flag.includes("x") }
}

const shells = new Set(["sh", "ash", "bash", "dash"])

/** Runs a program. Returns undefined if its arguments, variables and the container alone do not decide what it does. */
export const runProgram = function* (
  argv: ReadonlyArray<string>,
  environment: Environment,
  context: RunContext,
  nesting = 0
): Run<number | undefined> {
  const [path = "", ...args] = argv
  const name = path.slice(path.lastIndexOf("/") + 1)
  if (shells.has(name)) {
    const given = scriptOf(args)
    if (given !== undefined)
      return yield* new ShellRun(environment, context, { path, nesting, traces: given.traces }).script(given.script)
    if (args.length > 0 && args[0] !== "-i") return undefined
    return yield* runInteractive(new ShellRun(environment, context, { path, nesting }), context)
  }
  if (name === "cat" && args.length === 0) return yield* repeatInput(context)
  if (name === "dd") return yield* copyBlocks(args, context)
  if (isAgnhost(name)) return yield* runAgnhost(path, args, context)
  const filter = filterNamed(name)?.(args, context)
  if (filter !== undefined) return yield* runFilter(name, filter, context)
  const program = Object.hasOwn(modelledPrograms, name) ? modelledPrograms[name] : undefined
  const end = program?.(args, contextOf(environment, context))
  return end === undefined ? undefined : yield* carryOut(end, context)
}
