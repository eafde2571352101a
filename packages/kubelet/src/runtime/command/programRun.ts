import { notModelled } from "./notModelled.ts"
import type { OutputDevice } from "./outputDevices.ts"
import type { ProgramEnd } from "./ProgramEnd.ts"
import type { RunContext } from "./RunContext.ts"
import { INTERRUPTED, type Run } from "./ShellWorld.ts"

/** How long a turn of a loop takes at least, so that none fills logs or the processor of this process. */
const TURN_MS = 10
/** The last turns of a loop that repeats itself whose output is kept. */
const KEPT_TURNS = 10_000

/**
 * Returns the pause after a turn of a loop. One that leaves nothing to the next repeats itself: until now, its turns are
 * skipped but for the last ones; and where only words are known, it is enough that they never end.
 */
export const pauseOfLoop = ({ clock, untilMs, world }: RunContext, takenMs: number, hasChanged: boolean): number => {
  if (world === undefined) return hasChanged ? 0 : Number.POSITIVE_INFINITY
  const pauseMs = takenMs === 0 ? TURN_MS : 0
  const periodMs = takenMs + pauseMs
  const turns = hasChanged ? 0 : Math.floor((untilMs - clock.elapsedMs) / periodMs) - KEPT_TURNS
  return pauseMs + Math.max(0, turns) * periodMs
}

/** Takes the time of a program, and writes what it writes. */
export const carryOut = function* (
  { afterMs, errors, output, status }: ProgramEnd,
  { clock }: RunContext
): Run<number> {
  if (afterMs > 0) {
    yield { kind: "wait", ms: afterMs }
    if (clock.isInterrupted === true) return INTERRUPTED
    clock.elapsedMs += afterMs
  }
  if (output !== "") yield { kind: "output", stream: 1, text: output }
  if (errors !== undefined) yield { kind: "output", stream: 2, text: errors }
  return status
}

/** Runs `cat` of the input. */
export const repeatInput = function* ({ isInputClosed }: RunContext): Run<number | undefined> {
  if (isInputClosed) return 0
  for (;;) {
    const line = yield { kind: "read" }
    if (line === undefined) return 0
    yield { kind: "output", stream: 1, text: line }
  }
}

/** A shell that runs one script after another. */
interface InteractiveShell {
  readonly isOver: boolean
  readonly script: (text: string) => Run<number | undefined>
}

/** Runs the lines of the input as scripts, each in the same shell. */
export const runInteractive = function* (shell: InteractiveShell, context: RunContext): Run<number | undefined> {
  const { clock, isInputClosed, world } = context
  if (isInputClosed) return 0
  let status = 0
  while (!shell.isOver) {
    if (world?.hasTerminal) yield { kind: "output", stream: 1, text: world.user === 0 ? "/ # " : "/ $ " }
    const line = yield { kind: "read" }
    if (line === undefined) break
    const next = yield* shell.script(line)
    status = next ?? 127
    clock.isInterrupted = false
    if (next === undefined) yield { kind: "output", stream: 2, text: notModelled(line.trim()) }
  }
  return status
}

type Target = OutputDevice | { readonly path: string; readonly problem: string | undefined }

/** Where the two streams of a program go. */
export interface Targets {
  1: Target
  2: Target
  /** Where the input comes from; its text is undefined if the file is missing. */
  input: { readonly path: string; readonly text: string | undefined } | undefined
}

/** A shell as it was called, and how deep it is in others. */
export interface ShellLevel {
  readonly path: string
  readonly nesting: number
  /** Whether it prints commands before it runs them, as with `-x`. */
  readonly traces?: boolean
}

/** Runs a program whose output goes elsewhere; `write` adds to a file. */
export const redirected = function* (
  run: Run<number | undefined>,
  targets: Targets,
  shell: string,
  write: (path: string, text: string) => string | undefined
): Run<number | undefined> {
  for (const target of [targets[1], targets[2]]) {
    if (!("path" in target) || target.problem === undefined) continue
    yield { kind: "output", stream: 2, text: `${shell}: can't create ${target.path}: ${target.problem}\n` }
    return 1
  }
  if (targets.input !== undefined && targets.input.text === undefined) {
    yield { kind: "output", stream: 2, text: `${shell}: can't open ${targets.input.path}: no such file\n` }
    return 1
  }
  const lines = targets.input?.text?.match(/[^\n]*\n|[^\n]+$/g)?.values() ?? [].values()
  let input: string | undefined
  let isFull = false
  for (;;) {
    const { done, value } = run.next(input)
    input = undefined
    if (done === true) return isFull && value === 0 ? 1 : value
    if (value.kind === "read" && targets.input !== undefined) {
      input = lines.next().value
      continue
    }
    const target = value.kind === "output" ? targets[value.stream] : undefined
    if (value.kind !== "output" || target === undefined) input = yield value
    else if ("stream" in target) yield { ...value, stream: target.stream }
    else if ("log" in target) yield { kind: "log", stream: target.log, text: value.text ?? "" }
    else if (target.path !== "/dev/null" && value.text !== undefined && !isFull) {
      const problem = write(target.path, value.text)
      isFull = problem !== undefined
      if (isFull) yield { kind: "output", stream: 2, text: `${shell}: write error: ${problem}\n` }
    }
  }
}

/** Runs a script for its output; undefined if that is not known, or longer than `limit`. */
export const outputOf = function* (run: Run<number | undefined>, limit: number): Run<string | undefined> {
  let output: string | undefined = ""
  let input: string | undefined
  for (;;) {
    const { done, value } = run.next(input)
    if (done === true) return value === undefined ? undefined : output?.replace(/\n+$/, "")
    if (value.kind !== "output" || value.stream === 2) input = yield value
    else output = output === undefined || value.text === undefined ? undefined : output + value.text
    if (output !== undefined && output.length > limit) return undefined
  }
}
