import { createHash, type Hash } from "node:crypto"
import { createReadStream, createWriteStream, type WriteStream } from "node:fs"
import { createInterface } from "node:readline"
import { type InvalidInput, invalid } from "@rollcall/input"
import type { StoredValue, StoreFailure, StoreShape } from "@rollcall/store"
import * as Effect from "effect/Effect"
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

const write = (stream: WriteStream, text: string) =>
  Effect.callback<void, Error>((resume) => {
    stream.write(text, (error) => resume(error ? Effect.fail(error) : Effect.void))
  })

const opened = (file: string) =>
  Effect.acquireRelease(
    Effect.sync(() => createWriteStream(file, { mode: 0o600 })),
    (stream) => Effect.callback<void>((resume) => void stream.end(() => resume(Effect.void)))
  )

/** Writes all objects of a store to a file, one a line. Returns how many. */
export const exportStore = (store: StoreShape, file: string): Effect.Effect<number, StoreFailure | InvalidInput> =>
  Effect.gen(function* () {
    const stream = yield* opened(file)
    const hash = createHash("sha256")
    let objects = 0
    yield* Stream.runForEach(entriesOf(store), (entries) => {
      const text = entries.map(({ key, value }) => `${JSON.stringify({ key, value } satisfies Line)}\n`).join("")
      hash.update(text)
      objects += entries.length
      return text === "" ? Effect.void : write(stream, text)
    })
    yield* write(stream, `${JSON.stringify({ objects, sha256: hash.digest("hex") } satisfies Seal)}\n`)
    return objects
  }).pipe(
    Effect.scoped,
    Effect.mapError((error) =>
      error instanceof Error && !("_tag" in error) ? invalid(file, "", error.message) : error
    )
  ) as Effect.Effect<number, StoreFailure | InvalidInput>

const checkSeal = (seal: Partial<Seal> | undefined, objects: number, hash: Hash): boolean =>
  seal?.objects === objects && seal.sha256 === hash.digest("hex")

async function* readLines(file: string): AsyncGenerator<Line> {
  const hash = createHash("sha256")
  let objects = 0
  let seal: Partial<Seal> | undefined
  for await (const text of createInterface({ input: createReadStream(file), crlfDelay: Number.POSITIVE_INFINITY })) {
    if (seal !== undefined) throw new Error("has more after its last line")
    const line = JSON.parse(text) as Partial<Line & Seal>
    if (line.key === undefined) seal = line
    else {
      hash.update(`${text}\n`)
      objects++
      yield line as Line
    }
  }
  if (!checkSeal(seal, objects, hash)) throw new Error("is cut off or was changed: its last line does not fit")
}

/** The objects of an export. Fails at its end if it is not whole. */
export const linesOf = (file: string): Stream.Stream<Line, InvalidInput> =>
  Stream.fromAsyncIterable(readLines(file), (error) =>
    invalid(file, "", error instanceof Error ? error.message : String(error))
  )
