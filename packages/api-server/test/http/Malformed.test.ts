import { connect } from "node:net"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as fc from "fast-check"
import { type Malformed, malformedRequest } from "./malformed.ts"
import { startServer, wallClock } from "./startServer.ts"

/** `MALFORMED=100000 npx vitest run packages/api-server/test/http/Malformed.test.ts` for the long run. */
const COUNT = Number(process.env.MALFORMED ?? 3000)
const AT_ONCE = 32
const TIMEOUT_MS = 150

/** Sends it and hangs up once the answer has begun, or nothing came for a while. */
const send = (port: number, { bytes }: Malformed) =>
  Effect.callback<string>((resume) => {
    let answer = ""
    const socket = connect(port, "127.0.0.1", () => socket.write(bytes))
    const done = () => {
      socket.destroy()
      resume(Effect.succeed(answer))
    }
    socket.setTimeout(TIMEOUT_MS, done)
    socket.on("data", (chunk) => {
      answer += chunk.toString("latin1")
      const body = answer.indexOf("\r\n\r\n")
      const length = /\r\ncontent-length: (\d+)/i.exec(answer)
      if (body >= 0 && (length === null || answer.length - body - 4 >= Number(length[1]))) done()
    })
    socket.on("error", done)
    socket.on("close", done)
  })

const bodyOf = (answer: string): unknown => {
  try {
    return JSON.parse(answer.slice(answer.indexOf("\r\n\r\n") + 4))
  } catch {
    return undefined
  }
}

/** Errors are a Status, or plain text of the protocol's own. */
const isWellFormed = (answer: string): boolean => {
  const code = Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
  if (answer === "" || code < 400) return answer === "" || code >= 100
  if (/content-type: text\/plain/i.test(answer) || /\r\ncontent-length: 0\r\n/i.test(answer)) return true
  if (/content-type: application\/(?:yaml|vnd)/i.test(answer)) return code !== 500
  const body = bodyOf(answer) as { readonly kind?: unknown } | undefined
  return body === undefined ? !answer.includes("{") : body.kind === "Status" && !answer.includes("is not a function")
}

describe("malformed requests", () => {
  it.live(
    "are each refused in order, and the server survives",
    () =>
      Effect.gen(function* () {
        const { ask, port } = yield* startServer()
        const requests = fc.sample(malformedRequest, { numRuns: COUNT, seed: 7 })
        const answers = yield* Effect.forEach(requests, (request) => send(port, request), { concurrency: AT_ONCE })
        const odd = answers.findIndex((answer) => !isWellFormed(answer))
        assert.isTrue(odd < 0, `${requests[odd]?.bytes.toString("latin1").slice(0, 2000)}\n--\n${answers[odd]}`)
        // A genuine server, too, calls an unreadable revision of a watch, and the bare prefix of a proxy, its own fault.
        // Of HEAD there is no text to judge by.
        const isFault = (answer: string, index: number) =>
          answer.startsWith("HTTP/1.1 500") &&
          !answer.includes("ParseUint") &&
          !answer.includes("failed to create RequestInfo") &&
          !requests[index]?.bytes.toString("latin1").startsWith("HEAD")
        assert.deepStrictEqual(answers.filter(isFault), [])
        // On a busy machine some are given up before their answer.
        assert.isAbove(answers.filter((answer) => answer.startsWith("HTTP/1.1 4")).length, COUNT / 8)
        assert.strictEqual((yield* ask("GET", "/livez")).body, "ok")
      }).pipe(Effect.scoped, Effect.provide(wallClock)),
    600_000
  )
})
