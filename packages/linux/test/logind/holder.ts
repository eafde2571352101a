// Takes the lock and keeps running: the process that the tests kill.
import * as Effect from "effect/Effect"
import { makeLogindInhibitor } from "../../src/logind/index.ts"

const busAddress = process.argv[2] ?? ""
await Effect.runPromise(
  Effect.scoped(Effect.flatMap(makeLogindInhibitor({ busAddress }).connect, (session) => session.inhibit))
)
console.log(process.argv[3] === "end" ? "ending" : "held")
if (process.argv[3] !== "end") setInterval(() => undefined, 1000)
