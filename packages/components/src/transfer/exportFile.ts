import { createHash, type Hash } from "node:crypto"
import { type FileHandle, open, rm } from "node:fs/promises"
import { isFields } from "@rollcall/api/values"
import { type InvalidInput, invalid } from "@rollcall/input"
import type { StoredValue, StoreFailure, StoreShape } from "@rollcall/store"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import { entriesOf } from "./entries.ts"

/** A line of an export: an object below its key. */
export interface Line {
  readonly key: string
  readonly value: StoredValue
}

/** The last line, by which a file that is cut off or changed is found. */
interface Seal {
  readonly objects: number
  readonly sha256: string
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

const onFile = <A>(file: string, act: () => Promise<A>): Effect.Effect<A, InvalidInput> =>
  Effect.tryPromise({ try: act, catch: (error) => invalid(file, "", messageOf(error)) })

/** Creates a file that does not exist yet. One that is not written to its end is removed. */
const created = (file: string) =>
  Effect.acquireRelease(
    onFile(file, () => open(file, "wx", 0o600)),
    (handle, exit) =>
      Effect.promise(async () => {
        await handle.close()
        if (Exit.isFailure(exit)) await rm(file, { force: true })
      })
  )

/** Writes all objects of a store to a new file, one a line. Returns how many. */
export const exportStore = Effect.fnUntraced(function* (
  store: StoreShape,
  file: string
): Effect.fn.Return<number, StoreFailure | InvalidInput> {
  const writeAll = Effect.fnUntraced(function* (handle: FileHandle) {
    const hash = createHash("sha256")
    let objects = 0
    yield* Stream.runForEach(entriesOf(store), (entries) => {
      const text = entries.map(({ key, value }) => `${JSON.stringify({ key, value } satisfies Line)}\n`).join("")
      hash.update(text)
      objects += entries.length
      return onFile(file, () => handle.appendFile(text))
    })
    const seal: Seal = { objects, sha256: hash.digest("hex") }
    yield* onFile(file, () => handle.appendFile(`${JSON.stringify(seal)}\n`))
    yield* onFile(file, () => handle.sync())
    return objects
  })
  return yield* Effect.scoped(Effect.flatMap(created(file), writeAll))
})

const sealFits = (seal: Partial<Seal> | undefined, objects: number, hash: Hash): boolean =>
  seal?.objects === objects && seal.sha256 === hash.digest("hex")

const parseLine = (text: string, number: number): Partial<Line & Seal> => {
  let line: unknown
  try {
    line = JSON.parse(text)
  } catch (error) {
    throw new Error(`line ${number} is not JSON: ${messageOf(error)}`)
  }
  if (isFields(line)) return line
  throw new Error(`line ${number}: found ${text.slice(0, 40)}, expected an object`)
}

async function* readLines(file: string): AsyncGenerator<Line> {
  const hash = createHash("sha256")
  let objects = 0
  let seal: Partial<Seal> | undefined
  const handle = await open(file)
  try {
    for await (const text of handle.readLines()) {
      if (seal !== undefined) throw new Error("has more after its last line")
      const line = parseLine(text, objects + 1)
      if (line.key === undefined) seal = line
      else {
        hash.update(`${text}\n`)
        objects++
        yield line as Line
      }
    }
  } finally {
    await handle.close()
  }
  if (!sealFits(seal, objects, hash)) throw new Error("is cut off or was changed: its last line does not fit")
}

/** The objects of an export. Fails at its end if it is not whole. */
export const linesOf = (file: string): Stream.Stream<Line, InvalidInput> =>
  Stream.fromAsyncIterable(readLines(file), (error) => invalid(file, "", messageOf(error)))
