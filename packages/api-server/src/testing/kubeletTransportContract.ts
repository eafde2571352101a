import { assert, describe, it } from "@effect/vitest"
import { isPorts, isStream } from "@rollcall/streams"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type * as Scope from "effect/Scope"
import {
  hostPort,
  isRelayed,
  type KubeletAddress,
  type KubeletAnswer,
  type KubeletReply,
  type KubeletRequest,
  type KubeletTransportShape
} from "../http/resources/proxy/KubeletTransport.ts"

/** A transport, and a node that it reaches. */
export interface TransportUnderTest {
  readonly transport: KubeletTransportShape
  /** The kubelet of a node that runs `default/web`, whose container `c` has written `hello`. */
  readonly kubelet: KubeletAddress
  /** An address of that node where no process listens. */
  readonly unreachable: KubeletAddress
  /** Waits until something has happened, which fails in the end. */
  readonly until: (hasHappened: () => boolean) => Effect.Effect<void>
}

type Answered = Parameters<KubeletReply>[0]

/** Reads the whole of an answer. */
const readAll = ({ body }: KubeletAnswer, done: (text: string) => void): void => {
  let text = ""
  if (typeof body === "string") done(body)
  else if (body instanceof Uint8Array) done(Buffer.from(body).toString())
  else if (isRelayed(body)) {
    body.message.on("data", (chunk: Buffer) => {
      text += chunk.toString()
    })
    body.message.on("end", () => done(text))
  } else if (isStream(body)) {
    const write = (_: 1 | 2, more: string) => {
      text += more
    }
    body.open({ write, isFull: () => false, end: () => done(text) })
  }
}

/** What a client sends that wants a command over a WebSocket. */
const webSocket: Partial<KubeletRequest> = {
  upgrade: "websocket",
  headers: [
    ...["Sec-WebSocket-Version", "13", "Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=="],
    ...["Sec-WebSocket-Protocol", "v5.channel.k8s.io"]
  ]
}

/** Closes what an answer leaves open; returns whether that was a stream or a connection. */
const closeAnswer = ({ body }: KubeletAnswer): boolean => {
  if (typeof body === "string" || body instanceof Uint8Array) return false
  if (!isRelayed(body)) return isStream(body) || isPorts(body)
  body.upgraded?.socket.destroy()
  return body.upgraded !== undefined
}

/** Tests what the API server relies on in a `KubeletTransport`. */
export const kubeletTransportContract = (
  name: string,
  make: Effect.Effect<TransportUnderTest, never, Scope.Scope>
): void => {
  const asking = Effect.map(make, ({ kubelet, unreachable, transport, until }) => {
    const send = Effect.fnUntraced(function* (path: string, more: Partial<KubeletRequest> = {}, to = kubelet) {
      const answers: Array<Answered> = []
      const request = { method: "GET", path, query: new Map(), body: new Uint8Array(), ...more }
      transport.send(to, request, (answer) => answers.push(answer))
      yield* until(() => answers.length > 0)
      assert.lengthOf(answers, 1)
      return answers[0] as Answered
    })
    const read = Effect.fnUntraced(function* (path: string, more: Partial<KubeletRequest> = {}) {
      const answer = yield* send(path, more)
      if (Result.isFailure(answer)) return assert.fail(answer.failure)
      const texts: Array<string> = []
      readAll(answer.success, (text) => texts.push(text))
      yield* until(() => texts.length > 0)
      return [answer.success.code, texts[0]] as const
    })
    return { kubelet, unreachable, transport, until, send, read }
  })

  describe(`${name}: a transport to kubelets`, () => {
    it.live("brings the answers of a kubelet, whatever they are", () =>
      Effect.gen(function* () {
        const { read } = yield* asking
        assert.deepStrictEqual(yield* read("/healthz"), [200, "ok"])
        assert.deepStrictEqual(yield* read("/nothing"), [404, "404 page not found\n"])
        assert.deepStrictEqual(yield* read("/pods", { method: "PUT" }), [405, "405: Method Not Allowed"])
      }).pipe(Effect.scoped)
    )

    it.live("brings logs, with what was asked of them", () =>
      Effect.gen(function* () {
        const { read } = yield* asking
        assert.deepStrictEqual(yield* read("/containerLogs/default/web/c"), [200, "hello\n"])
        const query = new Map([["limitBytes", ["2"]]])
        assert.deepStrictEqual(yield* read("/containerLogs/default/web/c", { query }), [200, "he"])
        const [code, text] = yield* read("/containerLogs/default/a b%2F\r\n?x=1/c")
        assert.deepStrictEqual([code, text?.includes("does not exist")], [404, true])
      }).pipe(Effect.scoped)
    )

    it.live("connects to commands, and brings the refusal of others", () =>
      Effect.gen(function* () {
        const { read, send } = yield* asking
        const query = new Map([
          ["command", ["echo", "a b&c"]],
          ["output", ["1"]]
        ])
        const answer = yield* send("/exec/default/web/c", { ...webSocket, query })
        if (Result.isFailure(answer)) return assert.fail(answer.failure)
        assert.deepStrictEqual([answer.success.code, closeAnswer(answer.success)], [101, true])
        const [code] = yield* read("/exec/default/none/c", { ...webSocket, query })
        assert.strictEqual(code, 404)
      }).pipe(Effect.scoped)
    )

    it.live("says which address does not answer", () =>
      Effect.gen(function* () {
        const { unreachable, send } = yield* asking
        const answer = yield* send("/healthz", {}, unreachable)
        assert.strictEqual(
          Result.isFailure(answer) ? answer.failure : "answered",
          `dial tcp ${hostPort(unreachable)}: connect: connection refused`
        )
      }).pipe(Effect.scoped)
    )

    it.live("does not answer a request that has been cancelled", () =>
      Effect.gen(function* () {
        const { kubelet, send, transport } = yield* asking
        let isCancelled = false
        const late: Array<Answered> = []
        const request = { method: "GET", path: "/healthz", query: new Map(), body: new Uint8Array() }
        const cancel = transport.send(kubelet, request, (answer) => isCancelled && late.push(answer))
        isCancelled = true
        cancel()
        // Others are answered meanwhile.
        yield* send("/healthz")
        assert.lengthOf(late, 0)
      }).pipe(Effect.scoped)
    )
  })
}
