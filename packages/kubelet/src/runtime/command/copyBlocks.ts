import { absolute } from "./absolutePath.ts"
import type { RunContext } from "./RunContext.ts"
import type { Run } from "./ShellWorld.ts"
import { writeIn } from "./writeIn.ts"

const BLOCK_BYTES = 512
/** What is kept of the input. */
const MAX_COPIED = 64 * 1024
const units: Readonly<Record<string, number>> = { "": 1, c: 1, k: 1024, K: 1024, M: 1024 ** 2, G: 1024 ** 3 }

/** Operands that change nothing that is modelled. */
const ignored: ReadonlySet<string> = new Set(["fsync", "fdatasync", "sync", "none", "noxfer"])

interface Operands {
  readonly from: string | undefined
  readonly to: string | undefined
  readonly blockBytes: number
  /** The number of blocks; undefined for all. */
  readonly count: number | undefined
  readonly isSilent: boolean
}

const bytesOf = (text: string | undefined): number | undefined => {
  const [, count, unit = ""] = /^(\d{1,9})([ckKMG]?)B?$/.exec(text ?? "") ?? []
  return count === undefined ? undefined : Number(count) * (units[unit] ?? 1)
}

/** Reads `if=`, `of=`, `bs=`, `count=`, and `conv=` and `status=` where they change nothing; undefined for others. */
const operandsOf = (args: ReadonlyArray<string>): Operands | undefined => {
  const given = new Map<string, string>()
  for (const arg of args) {
    const [, name, value] = /^(if|of|bs|count|conv|status)=(.+)$/.exec(arg) ?? []
    if (name === undefined || value === undefined) return undefined
    given.set(name, value)
  }
  const flags = [...(given.get("conv") ?? "fsync").split(","), given.get("status") ?? "none"]
  const blockBytes = given.has("bs") ? bytesOf(given.get("bs")) : BLOCK_BYTES
  const count = bytesOf(given.get("count"))
  if (!flags.every((flag) => ignored.has(flag)) || blockBytes === undefined || blockBytes === 0) return undefined
  if (given.has("count") && count === undefined) return undefined
  return { from: given.get("if"), to: given.get("of"), blockBytes, count, isSilent: given.get("status") === "none" }
}

/** Returns all of the input; undefined if it is longer than is kept. */
const readInput = function* (limit: number): Run<string | undefined> {
  let text = ""
  while (text.length < limit) {
    const line = yield { kind: "read" }
    if (line === undefined) break
    text += line
    if (text.length > MAX_COPIED) return undefined
  }
  return text
}

/** `dd`: copies a file, the input or zeros to a file or the output. */
export const copyBlocks = function* (args: ReadonlyArray<string>, context: RunContext): Run<number | undefined> {
  const operands = operandsOf(args)
  const world = context.needWorld()
  if (operands === undefined || world === undefined) return undefined
  const { blockBytes, count, from, isSilent, to } = operands
  const limit = count === undefined ? Number.POSITIVE_INFINITY : count * blockBytes
  if (from === "/dev/zero" ? limit > MAX_COPIED : from?.startsWith("/dev/")) return undefined
  const whole =
    from === "/dev/zero"
      ? "\0".repeat(limit)
      : from === undefined
        ? yield* readInput(limit)
        : world.files.read(absolute(from))
  if (whole === undefined) {
    if (from === undefined) return undefined
    yield { kind: "output", stream: 2, text: `dd: can't open '${from}': No such file or directory\n` }
    return 1
  }
  const text = whole.slice(0, limit)
  const problem = to === undefined || to === "/dev/null" ? undefined : writeIn(context, absolute(to), text, false)
  if (problem !== undefined) {
    yield { kind: "output", stream: 2, text: `dd: can't open '${to}': ${problem}\n` }
    return 1
  }
  if (to === undefined && text !== "") yield { kind: "output", stream: 1, text }
  const blocks = `${Math.floor(text.length / blockBytes)}+${text.length % blockBytes === 0 ? 0 : 1}`
  if (!isSilent) yield { kind: "output", stream: 2, text: `${blocks} records in\n${blocks} records out\n` }
  return 0
}
