import { Host } from "@rollcall/components"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"

/** Lines of the log that a cluster keeps. */
const LOG_LINES = 1000

/** The process of a test, without its environment, its home folder and its streams: a test sees only what it names. */
export const makeTestHost = (folder: string) =>
  Effect.gen(function* () {
    const clock = yield* Clock.Clock
    const lines: Array<string> = []
    const log = (line: string) => {
      lines.push(line)
      if (lines.length > LOG_LINES) lines.shift()
    }
    const host = Host.of({
      environment: {},
      hostname: "localhost",
      homeFolder: folder,
      temporaryFolder: folder,
      processId: process.pid,
      wallClockMs: () => clock.currentTimeMillisUnsafe(),
      print: () => undefined,
      log,
      output: () => undefined,
      error: log,
      stdin: () => Promise.resolve("")
    })
    return { host, lines }
  })
