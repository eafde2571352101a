import { formatTime } from "@rollcall/api"
import { mountTest } from "./mountTest.ts"
import type { RunContext } from "./RunContext.ts"
import { INTERRUPTED, type Run } from "./ShellWorld.ts"

const names = new Set(["agnhost", "agnhost-2"])

/** Whether a program is that of Kubernetes' test image, which is there under two names. */
export const isAgnhost = (name: string): boolean => names.has(name)

const say = (text: string, stream: 1 | 2 = 1) => ({ kind: "output", stream, text }) as const

/** Waits; returns whether the terminal has interrupted it. */
const wait = function* ({ clock }: RunContext, ms: number): Run<boolean> {
  yield { kind: "wait", ms }
  if (clock.isInterrupted === true) return true
  clock.elapsedMs += ms
  return false
}

/** Upstream: test/images/agnhost/pause. */
const pause = function* (context: RunContext): Run<number> {
  yield say("Paused\n")
  yield say("Signals registered\n")
  yield* wait(context, Number.POSITIVE_INFINITY)
  return INTERRUPTED
}

const units: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Returns a duration in Go's notation with one unit. */
const durationMs = (text: string | undefined): number => {
  const [, count, unit = ""] = /^(\d+(?:\.\d+)?)(ms|s|m|h)$/.exec(text ?? "") ?? []
  return count === undefined ? 0 : Number(count) * (units[unit] ?? 0)
}

const methods = ["GET", "POST", "PUT"]
const namespaces = ["kube-system", "default", "ns"]

/** Returns the same numbers each time that a log is read. The constants are those of a linear congruential generator. */
const lineOf = (id: number): string => {
  let state = id + 1
  const below = (limit: number): number => {
    state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296
    return Math.floor((state / 4_294_967_296) * limit)
  }
  const name = Array.from({ length: 3 + below(2) }, () => "bcdfghjklmnpqrstvwxz2456789"[below(27)]).join("")
  const url = `/api/v1/namespaces/${namespaces[below(3)]}/pods/${name}`
  return `${id} ${methods[below(3)]} ${url} ${200 + below(400)}`
}

/** Returns what klog writes before a line. */
const klogHead = (atMs: number, source: string): string => {
  const [date = "", time = ""] = formatTime(atMs).replace("Z", "").split("T")
  const micros = `${String(Math.floor(atMs % 1000)).padStart(3, "0")}000`
  return `I${date.slice(5).replace("-", "")} ${time}.${micros}       1 ${source}] `
}

/** Writes lines at an even pace. Upstream: test/images/agnhost/logs-generator. */
const generateLogs = function* (flags: Flags, context: RunContext): Run<number | undefined> {
  const total = Number(flags.get("log-lines-total") ?? flags.get("t"))
  const duration = durationMs(flags.get("run-duration") ?? flags.get("d"))
  if (!(total > 0) || duration === 0) return undefined
  const { clock, world } = context
  for (let id = 0; id < total; id++) {
    const head = world === undefined ? "" : klogHead(world.startMs + clock.elapsedMs, "logs_generator.go:76")
    yield { kind: "output", stream: 2, text: world === undefined ? undefined : `${head}${lineOf(id)}\n` }
    if (yield* wait(context, duration / total)) return INTERRUPTED
  }
  return 0
}

/** Servers that write nothing and end never. Upstream: test/images/agnhost/test-webserver, liveness. */
const silentServers: ReadonlySet<string> = new Set(["liveness", "test-webserver"])

export type Flags = ReadonlyMap<string, string>

/** Reads flags as `--name=value`, `--name value` or `--name`. */
export const flagsOf = (args: ReadonlyArray<string>): Flags | undefined => {
  const flags = new Map<string, string>()
  for (let at = 0; at < args.length; at++) {
    const [, name, value] = /^--?([a-z][\w-]*)(?:=(.*))?$/s.exec(args[at] ?? "") ?? []
    if (name === undefined) return undefined
    const next = args[at + 1]
    if (value === undefined && next !== undefined && !next.startsWith("-")) at++
    flags.set(name, value ?? (next === undefined || next.startsWith("-") ? "true" : next))
  }
  return flags
}

/** Runs Kubernetes' test program, as far as it needs no network. Upstream: test/images/agnhost. */
export const runAgnhost = function* (
  path: string,
  args: ReadonlyArray<string>,
  context: RunContext
): Run<number | undefined> {
  const [subcommand = "", ...rest] = args
  if (subcommand === "entrypoint-tester") {
    yield say(`[${[path, ...args].join(" ")}]\n`)
    return 0
  }
  if (subcommand === "etc-hosts") {
    const world = context.needWorld()
    if (world === undefined) return undefined
    yield say(world.files.read("/etc/hosts") ?? "")
    return 0
  }
  const flags = flagsOf(rest)
  if (flags === undefined) return undefined
  if (subcommand === "pause") return yield* pause(context)
  if (silentServers.has(subcommand)) {
    yield* wait(context, Number.POSITIVE_INFINITY)
    return INTERRUPTED
  }
  if (subcommand === "logs-generator") return yield* generateLogs(flags, context)
  return subcommand === "mounttest" ? yield* mountTest(flags, context) : undefined
}
