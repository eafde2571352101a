import { execFileSync } from "node:child_process"
import {
  closeSync,
  constants,
  mkdirSync,
  mkdtempSync,
  openSync,
  rmSync,
  truncateSync,
  writeFileSync,
  writeSync
} from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as NodeFileSystem from "@effect/platform-node/NodeFileSystem"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/testing/TestClock"
import { boundedText, layerBoundedFiles, readRegularText, readText, TextFileError } from "../src/index.ts"

const LIMIT = 1024

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "files-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true }))
)

/** A path of each sort, and what is said of it; undefined: it is read. */
const makeFiles = Effect.map(temporaryFolder, (folder) => {
  const at = (name: string) => join(folder, name)
  writeFileSync(at("text"), "kind: Pod\n")
  writeFileSync(at("full"), "x".repeat(LIMIT))
  writeFileSync(at("over"), "x".repeat(LIMIT + 1))
  writeFileSync(at("sparse"), "")
  truncateSync(at("sparse"), 10 * 1024 ** 3)
  mkdirSync(at("folder"))
  return {
    folder,
    at,
    found: [
      [at("text"), undefined],
      [at("full"), undefined],
      [at("over"), "is too long with 1025 bytes: at most 1024 bytes are read"],
      [at("sparse"), "is too long with 10240 MiB: at most 1024 bytes are read"],
      [at("folder"), "is a folder, expected a file"],
      [at("missing"), "no such file"],
      ["/dev/zero", "is too long: at most 1024 bytes are read"],
      ["/dev/null", undefined],
      ["/proc/self/status", undefined]
    ] as const
  }
})

const makePipe = (folder: string) => {
  const pipe = join(folder, "pipe")
  execFileSync("mkfifo", [pipe])
  return pipe
}

describe("readText", () => {
  it.effect("returns the text, or the reason why there is none", () =>
    Effect.gen(function* () {
      const { at, found } = yield* makeFiles
      for (const [file, said] of found) {
        const exit = yield* Effect.result(readText(file, file.startsWith("/proc") ? 1 << 20 : LIMIT))
        assert.strictEqual(exit._tag === "Failure" ? exit.failure.message : undefined, said, file)
      }
      assert.strictEqual(yield* readText(at("text"), LIMIT), "kind: Pod\n")
      assert.lengthOf(yield* readText(at("full"), LIMIT), LIMIT)
      assert.strictEqual(yield* readText("/dev/null", LIMIT), "")
    })
  )

  it.effect("fails for a pipe that no process writes to within 10 s", () =>
    Effect.gen(function* () {
      const reading = yield* Effect.forkChild(Effect.flip(readText(makePipe(yield* temporaryFolder), LIMIT)))
      yield* TestClock.adjust("9 seconds")
      assert.isUndefined(reading.pollUnsafe())
      yield* TestClock.adjust("2 seconds")
      const error = yield* Fiber.join(reading)
      assert.strictEqual(error.reason, "silent")
      assert.match(error.message, /^is a pipe to which nothing was written for 10 s/)
    })
  )

  it.effect(
    "reads a pipe whose writer starts late and writes in pieces, and fails when it writes nothing for 60 s",
    () =>
      Effect.gen(function* () {
        const pipe = makePipe(yield* temporaryFolder)
        for (const ends of [true, false]) {
          const reading = yield* Effect.forkChild(Effect.result(readText(pipe, LIMIT)))
          yield* TestClock.adjust("5 seconds")
          const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
          for (const piece of ["one ", "two"]) {
            writeSync(writer, piece)
            yield* TestClock.adjust("50 seconds")
          }
          assert.isUndefined(reading.pollUnsafe())
          if (ends) closeSync(writer)
          yield* TestClock.adjust("20 seconds")
          const result = yield* Fiber.join(reading)
          if (!ends) closeSync(writer)
          if (result._tag === "Success") assert.strictEqual(result.success, "one two")
          else assert.match(result.failure.message, /^wrote nothing for 60 s/)
          assert.strictEqual(result._tag, ends ? "Success" : "Failure")
        }
      })
  )

  it.effect("reads no more of a pipe than the limit", () =>
    Effect.gen(function* () {
      const pipe = makePipe(yield* temporaryFolder)
      const reading = yield* Effect.forkChild(Effect.flip(readText(pipe, LIMIT)))
      yield* TestClock.adjust("1 second")
      const writer = openSync(pipe, constants.O_WRONLY | constants.O_NONBLOCK)
      writeSync(writer, "x".repeat(LIMIT + 1))
      yield* TestClock.adjust("1 second")
      assert.strictEqual((yield* Fiber.join(reading)).reason, "tooLong")
      closeSync(writer)
    })
  )
})

describe("readRegularText", () => {
  it.effect("reads only regular files, and never waits", () =>
    Effect.gen(function* () {
      const { at, folder } = yield* makeFiles
      const reasonOf = (file: string) => {
        try {
          return readRegularText(file, LIMIT)
        } catch (error) {
          return error instanceof TextFileError ? error.reason : "another error"
        }
      }
      const files = [at("text"), at("over"), at("sparse"), at("folder"), at("missing"), "/dev/zero", makePipe(folder)]
      assert.deepStrictEqual(files.map(reasonOf), [
        "kind: Pod\n",
        "tooLong",
        "tooLong",
        "folder",
        "missing",
        "notRegular",
        "notRegular"
      ])
    })
  )
})

describe("layerBoundedFiles", () => {
  it.effect("limits what a program reads through FileSystem, and nothing else", () =>
    Effect.gen(function* () {
      const { at } = yield* makeFiles
      const fs = yield* FileSystem.FileSystem
      assert.strictEqual(yield* fs.readFileString(at("text")), "kind: Pod\n")
      const missing = yield* Effect.flip(fs.readFileString(at("missing")))
      assert.strictEqual(missing.reason._tag, "NotFound")
      for (const file of [at("sparse"), "/dev/zero"]) {
        assert.match((yield* Effect.flip(fs.readFileString(file))).message, /is too long/)
      }
      assert.isTrue(yield* fs.exists(at("folder")))
    }).pipe(Effect.provide(Layer.provideMerge(layerBoundedFiles, NodeFileSystem.layer)))
  )
})

describe("boundedText", () => {
  it.effect("reads a stream to its end, or to its limit", () =>
    Effect.gen(function* () {
      let pieces = 0
      const piece = Effect.sync(() => {
        pieces++
        return new TextEncoder().encode("é".repeat(128))
      })
      const error = yield* Effect.flip(boundedText(Stream.fromEffectRepeat(piece), LIMIT))
      assert.strictEqual(error.reason, "tooLong")
      assert.isAtMost(pieces, 10)
      const bytes = new TextEncoder().encode("aé")
      assert.strictEqual(yield* boundedText(Stream.make(bytes.slice(0, 2), bytes.slice(2)), LIMIT), "aé")
    })
  )
})
