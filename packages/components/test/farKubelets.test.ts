import { connect as connectHttp2 } from "node:http2"
import type { Socket } from "node:net"
import { createServer, type Server, type TLSSocket } from "node:tls"
import { assert, describe, it } from "@effect/vitest"
import { makeWireTimers } from "@rollcall/api-server/http"
import { selfSigned } from "@rollcall/pki"
import * as Effect from "effect/Effect"
import { dialledTransport } from "../src/apiserver/kubelets/dialledTransport.ts"
import { startFarServer } from "./startFarServer.ts"

const LOG = (node: string) => `/api/v1/namespaces/default/pods/on-${node}/log`
const PROXY = (node: string) => `/api/v1/nodes/${node}/proxy`

interface Seen {
  readonly heads: Array<string>
  readonly names: Array<string>
  readonly sockets: Set<Socket>
}

/** A process that listens where a kubelet should, and does what `answer` does once a request has come. */
const startKubelet = (
  answer: (socket: TLSSocket, head: string) => void,
  { clientCa, names = [] }: { readonly clientCa?: string; readonly names?: ReadonlyArray<string> } = {}
) =>
  Effect.acquireRelease(
    Effect.callback<{
      readonly port: number
      readonly server: Server
      readonly certificate: string
      readonly seen: Seen
    }>((resume) => {
      const seen: Seen = { heads: [], names: [], sockets: new Set() }
      const { certificatePem: cert, keyPem: key } = selfSigned(names, Date.now())
      const ca = clientCa === undefined ? {} : { requestCert: true, rejectUnauthorized: false, ca: clientCa }
      const server = createServer({ cert, key, ...ca }, (socket) => {
        seen.sockets.add(socket)
        seen.names.push(String(socket.authorized && socket.getPeerCertificate().subject?.CN))
        let head = ""
        socket.on("error", () => {})
        socket.on("data", (chunk: Buffer) => {
          head += chunk.toString("latin1")
          if (!head.includes("\r\n\r\n")) return
          const whole = head
          head = ""
          seen.heads.push(whole)
          answer(socket, whole)
        })
      })
      server.listen(0, "127.0.0.1", () => {
        const at = server.address()
        const port = typeof at === "object" && at !== null ? at.port : 0
        resume(Effect.succeed({ port, server, certificate: cert, seen }))
      })
    }),
    ({ seen, server }) =>
      Effect.sync(() => {
        for (const socket of seen.sockets) socket.destroy()
        server.close()
      })
  )

const plain = (text: string, more = "") =>
  `HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n${more}Content-Length: ${text.length}\r\n\r\n${text}`

const messageOf = (text: string): string => JSON.parse(text).message

describe("an API server and the kubelet of another process", () => {
  it.live("show who asks, and nothing of the client's own credentials", () =>
    Effect.gen(function* () {
      const { addNode, ask, pki } = yield* startFarServer()
      const kubelet = yield* startKubelet((socket) => void socket.write(plain("first\nsecond\n")), {
        clientCa: pki.authorityPem
      })
      yield* addNode("n1", "127.0.0.1", kubelet.port)
      const answer = yield* ask(`${LOG("n1")}?tailLines=2`, { "x-remote-user": "root" })
      assert.deepStrictEqual([answer.code, answer.text], [200, "first\nsecond\n"])
      const [head = ""] = kubelet.seen.heads
      assert.match(head, /^GET \/containerLogs\/default\/on-n1\/c\?tailLines=2 HTTP\/1\.1\r\n/)
      assert.notMatch(head, /authorization|x-remote-user|admin-token/i)
      assert.deepStrictEqual(kubelet.seen.names, ["kube-apiserver-kubelet-client"])
    }).pipe(Effect.scoped)
  )

  it.live("say what Go says of those that cannot be reached, and of those that are not trusted", () =>
    Effect.gen(function* () {
      const other = selfSigned([], Date.now())
      const server = yield* startFarServer({ authorityPem: other.certificatePem })
      const { addNode, ask } = server
      const kubelet = yield* startKubelet((socket) => void socket.write(plain("log")))
      yield* addNode("n1", "127.0.0.1", kubelet.port)
      const url = `https://127.0.0.1:${kubelet.port}/containerLogs/default/on-n1/c`
      const untrusted = yield* ask(LOG("n1"))
      assert.strictEqual(
        messageOf(untrusted.text),
        `Get "${url}": tls: failed to verify certificate: x509: certificate signed by unknown authority`
      )
      yield* Effect.sync(() => kubelet.server.close())
      for (const socket of kubelet.seen.sockets) socket.destroy()
      const refused = yield* ask(LOG("n1"))
      assert.strictEqual(
        messageOf(refused.text),
        `Get "${url}": dial tcp 127.0.0.1:${kubelet.port}: connect: connection refused`
      )
      assert.deepStrictEqual([untrusted.code, refused.code], [500, 500])
      const upgrade = { connection: "Upgrade", upgrade: "SPDY/3.1" }
      const exec = yield* ask("/api/v1/namespaces/default/pods/on-n1/exec?command=x&stdout=1", upgrade, "POST")
      assert.strictEqual(
        messageOf(exec.text),
        `error dialing backend: dial tcp 127.0.0.1:${kubelet.port}: connect: connection refused`
      )
    }).pipe(Effect.scoped)
  )

  it.live("verify certificates that an authority has signed", () =>
    Effect.gen(function* () {
      const kubelet = yield* startKubelet((socket) => void socket.write(plain("log")), { names: ["127.0.0.1"] })
      const { addNode, ask } = yield* startFarServer({ authorityPem: kubelet.certificate })
      yield* addNode("n1", "127.0.0.1", kubelet.port)
      assert.strictEqual((yield* ask(LOG("n1"))).text, "log")
    }).pipe(Effect.scoped)
  )

  it.live("pass an upgrade on byte by byte, both ways, and its refusal as it is", () =>
    Effect.gen(function* () {
      const kubelet = yield* startKubelet((socket, head) => {
        if (head.includes("/exec/default/on-n2/")) {
          socket.end("HTTP/1.1 403 Forbidden\r\nContent-Type: text/plain\r\nContent-Length: 2\r\n\r\nno")
          return
        }
        socket.write(
          "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: SPDY/3.1\r\nX-Own: a\r\n\r\nhi"
        )
        socket.on("data", (chunk: Buffer) => socket.end(chunk))
      })
      const { addNode, ask, open } = yield* startFarServer()
      yield* addNode("n1", "127.0.0.1", kubelet.port)
      yield* addNode("n2", "127.0.0.1", kubelet.port)
      const headers = { connection: "Upgrade", upgrade: "SPDY/3.1", "x-stream-protocol-version": "v5.channel.k8s.io" }
      const exec = (node: string) =>
        `/api/v1/namespaces/default/pods/on-${node}/exec?command=a%0d%0ab&stdout=true&stdin=true&tty=false`
      const got = yield* Effect.callback<string>((resume) => {
        const request = open(exec("n1"), headers, "POST")
        request.on("upgrade", (response, socket, head) => {
          let text = `${response.headers["x-own"]} ${head.toString()}`
          socket.on("data", (chunk: Buffer) => {
            text += chunk.toString()
            if (text === "a hi") socket.write("bytes")
          })
          socket.on("close", () => resume(Effect.succeed(text)))
          if (text === "a hi") socket.write("bytes")
        })
        request.end()
      })
      assert.strictEqual(got, "a hibytes")
      const [head = ""] = kubelet.seen.heads
      assert.match(head, /^POST \/exec\/default\/on-n1\/c\?input=1&output=1&command=a%0D%0Ab HTTP\/1\.1\r\n/)
      // Nothing follows the head: that would be the first bytes of the other protocol.
      assert.match(head, /\r\nContent-Length: 0\r\n(?:.*\r\n)*\r\n$/)
      assert.notMatch(head, /transfer-encoding/i)
      assert.match(head, /\r\nX-Stream-Protocol-Version: v5\.channel\.k8s\.io\r\n/i)
      const refused = yield* ask(exec("n2"), headers, "POST")
      assert.deepStrictEqual([refused.code, refused.text], [403, "no"])
    }).pipe(Effect.scoped)
  )

  it.live("pass a proxied request on with its headers, and an upgrade, and the answer's headers back", () =>
    Effect.gen(function* () {
      const kubelet = yield* startKubelet((socket, head) => {
        if (/^upgrade:/im.test(head)) {
          socket.write("HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\nup")
          socket.end()
        } else {
          socket.write(
            plain("body", "X-Two: a\r\nX-Two: b\r\nLocation: /logs/?a=1\r\nAccess-Control-Allow-Origin: *\r\n")
          )
        }
      })
      // A proxy dials no address of its own machine, where the test is.
      const timers = yield* makeWireTimers
      const dialled = dialledTransport({ timers, client: () => undefined })
      const { addNode, ask, open } = yield* startFarServer(
        {},
        {
          send: (address, request, reply) => dialled.send({ ...address, host: "127.0.0.1" }, request, reply),
          relays: () => true
        }
      )
      yield* addNode("n1", "192.0.2.1", kubelet.port)
      const path = `${PROXY("n1")}/a b/%2F?x=1&x=2`.replace(" ", "%20")
      const answered = yield* Effect.callback<Readonly<Record<string, unknown>>>((resume) => {
        const request = open(path, { "x-mine": "1", "impersonate-user": "" }, "DELETE")
        request.on("response", (response) => {
          response.resume()
          resume(Effect.succeed(response.headers))
        })
        request.end()
      })
      assert.deepInclude(answered, { "x-two": "a, b", location: `${PROXY("n1")}/logs/?a=1` })
      assert.notProperty(answered, "access-control-allow-origin")
      const [head = ""] = kubelet.seen.heads
      assert.match(head, /^DELETE \/a%20b\/\?x=1&x=2 HTTP\/1\.1\r\n/)
      assert.match(head, /\r\nx-mine: 1\r\n/i)
      assert.match(head, /\r\nX-Forwarded-Uri: \/api\/v1\/nodes\/n1\/proxy\//i)
      const upgraded = yield* Effect.callback<string>((resume) => {
        const request = open(`${PROXY("n1")}/exec/a/b/c`, { connection: "Upgrade", upgrade: "websocket" })
        request.on("upgrade", (_, socket, first) => {
          socket.destroy()
          resume(Effect.succeed(first.toString() === "" ? "no bytes yet" : first.toString()))
        })
        request.end()
      })
      assert.include(["up", "no bytes yet"], upgraded)
      yield* ask("/readyz")
    }).pipe(Effect.scoped)
  )

  it.live("frame a log for a client that reads it over a WebSocket", () =>
    Effect.gen(function* () {
      const kubelet = yield* startKubelet((socket) => void socket.write(plain("line 1\nline 2\n")))
      const { addNode, open } = yield* startFarServer()
      yield* addNode("n1", "127.0.0.1", kubelet.port)
      const bytes = yield* Effect.callback<Buffer>((resume) => {
        const request = open(LOG("n1"), {
          connection: "Upgrade",
          upgrade: "websocket",
          "sec-websocket-version": "13",
          "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ=="
        })
        request.on("upgrade", (_, socket, first) => {
          const chunks: Array<Buffer> = [first]
          socket.on("data", (chunk: Buffer) => chunks.push(chunk))
          socket.on("end", () => resume(Effect.succeed(Buffer.concat(chunks))))
        })
        request.end()
      })
      assert.include(bytes.toString("latin1"), "line 1\nline 2\n")
    }).pipe(Effect.scoped)
  )
})

describe("an API server survives a kubelet", () => {
  const attacked = Effect.fnUntraced(function* (answer: (socket: TLSSocket, head: string) => void) {
    const kubelet = yield* startKubelet(answer)
    const server = yield* startFarServer()
    yield* server.addNode("n1", "127.0.0.1", kubelet.port)
    return { ...server, kubelet }
  })

  it.live("that breaks off in a chunk: the client sees that the log is cut", () =>
    Effect.gen(function* () {
      const { ask } = yield* attacked((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc")
        setImmediate(() => socket.destroy())
      })
      const { code, isWhole } = yield* ask(LOG("n1"))
      assert.deepStrictEqual([code === 200 || code === 0, isWhole], [true, false])
    }).pipe(Effect.scoped)
  )

  it.live("that answers what is no HTTP, closes at once, or has endless headers", () =>
    Effect.gen(function* () {
      const answers = ["garbage\r\n\r\n", "", `HTTP/1.1 200 OK\r\nX: ${"x".repeat(200_000)}\r\n\r\n`]
      const { ask } = yield* attacked((socket) => void socket.end(answers.shift() ?? plain("well")))
      const broken = "net/http: HTTP/1.x transport connection broken: "
      assert.include(messageOf((yield* ask(LOG("n1"))).text), `${broken}malformed HTTP response "garbage"`)
      assert.match(messageOf((yield* ask(LOG("n1"))).text), /: EOF$/)
      assert.match(messageOf((yield* ask(LOG("n1"))).text), /server response headers exceeded/)
      assert.strictEqual((yield* ask(LOG("n1"))).text, "well")
    }).pipe(Effect.scoped)
  )

  it.live("that answers an upgrade so, or changes the protocol unasked", () =>
    Effect.gen(function* () {
      const answers = [
        "",
        "garbage\r\n\r\n",
        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\n"
      ]
      const { ask } = yield* attacked((socket) => void socket.end(answers.shift() ?? ""))
      const exec = () =>
        ask(
          "/api/v1/namespaces/default/pods/on-n1/exec?command=x&stdout=1",
          { connection: "Upgrade", upgrade: "SPDY/3.1" },
          "POST"
        )
      assert.strictEqual(messageOf((yield* exec()).text), "unexpected EOF")
      assert.strictEqual(messageOf((yield* exec()).text), 'malformed HTTP response "garbage"')
      assert.match(
        messageOf((yield* ask(LOG("n1"))).text),
        /backend tried to switch protocol "x" when "" was requested$/
      )
    }).pipe(Effect.scoped)
  )

  it.live("that redirects: nobody follows it to another host", () =>
    Effect.gen(function* () {
      const other = yield* startKubelet((socket) => void socket.write(plain("secret")))
      const location = `https://127.0.0.1:${other.port}/secret`
      const { ask } = yield* attacked(
        (socket) => void socket.write(`HTTP/1.1 302 Found\r\nLocation: ${location}\r\nContent-Length: 0\r\n\r\n`)
      )
      const log = yield* ask(LOG("n1"))
      assert.deepStrictEqual([log.code, messageOf(log.text)], [500, `Get "${location}": redirects forbidden`])
      const exec = yield* ask(
        "/api/v1/namespaces/default/pods/on-n1/exec?command=x&stdout=1",
        { connection: "Upgrade", upgrade: "SPDY/3.1" },
        "POST"
      )
      assert.strictEqual(messageOf(exec.text), "invalid upgrade response: status code 302")
      assert.lengthOf(other.seen.heads, 0)
    }).pipe(Effect.scoped)
  )

  it.live("that sends without end to a client that does not read: it waits, and memory does not grow", () =>
    Effect.gen(function* () {
      let sent = 0
      const chunk = Buffer.alloc(64 * 1024, "x")
      const { kubelet, open } = yield* attacked((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        const pour = () => {
          do sent += chunk.length
          while (socket.write(chunk) && sent < 1e9)
        }
        socket.on("drain", pour)
        pour()
      })
      const request = open(LOG("n1"))
      const response = yield* Effect.callback<{ destroy: () => void }>((resume) => {
        request.on("response", (found) => {
          found.pause()
          resume(Effect.succeed(found))
        })
        request.on("error", () => {})
        request.end()
      })
      let before = -1
      while (before !== sent) {
        before = sent
        yield* Effect.sleep(100)
      }
      assert.isBelow(sent, 32 * 1024 * 1024)
      // The client's end ends the connection to the kubelet.
      response.destroy()
      const [socket] = kubelet.seen.sockets
      yield* Effect.callback<void>((resume) => {
        if (socket?.destroyed === true) resume(Effect.void)
        else socket?.on("close", () => resume(Effect.void))
      })
    }).pipe(Effect.scoped)
  )

  it.live("that sends without end to a client of HTTP/2 that does not read", () =>
    Effect.gen(function* () {
      let sent = 0
      const chunk = Buffer.alloc(64 * 1024, "x")
      const { pki, port } = yield* attacked((socket) => {
        socket.write("HTTP/1.1 200 OK\r\nContent-Length: 1000000000\r\n\r\n")
        const pour = () => {
          do sent += chunk.length
          while (socket.write(chunk) && sent < 1e9)
        }
        socket.on("drain", pour)
        pour()
      })
      const session = connectHttp2(`https://127.0.0.1:${port}`, { ca: pki.authorityPem })
      session.on("error", () => {})
      const stream = session.request({ ":path": LOG("n1"), authorization: "Bearer admin-token" })
      yield* Effect.callback<void>((resume) => {
        stream.on("error", () => {})
        stream.once("response", () => {
          stream.pause()
          resume(Effect.void)
        })
      })
      let before = -1
      while (before !== sent) {
        before = sent
        yield* Effect.sleep(100)
      }
      assert.isBelow(sent, 32 * 1024 * 1024)
      session.destroy()
    }).pipe(Effect.scoped)
  )

  it.live("that never answers: only those who wait for it wait, and no more than may", () =>
    Effect.gen(function* () {
      const { ask, kubelet, open } = yield* attacked(() => {})
      const requests = Array.from({ length: 101 }, () => open(LOG("n1")))
      const refused = yield* Effect.callback<number>((resume) => {
        for (const request of requests) {
          request.on("error", () => {})
          request.on("response", (response) => {
            response.resume()
            resume(Effect.succeed(response.statusCode ?? 0))
          })
          request.end()
        }
      })
      assert.strictEqual(refused, 429)
      assert.strictEqual((yield* ask("/readyz")).text, "ok")
      for (const request of requests) request.destroy()
      const openSockets = () => [...kubelet.seen.sockets].filter(({ destroyed }) => !destroyed).length
      while (openSockets() > 0) yield* Effect.sleep(10)
    }).pipe(Effect.scoped)
  )

  it.live("at an address of its own machine or of its link, which a proxy does not dial", () =>
    Effect.gen(function* () {
      const { addNode, ask, cluster, port } = yield* startFarServer()
      yield* addNode("own", "127.0.0.1", port)
      yield* addNode("metadata", "169.254.169.254", 80)
      yield* addNode("named", "localhost", port)
      for (const node of ["own", "metadata", "named"]) {
        const { code, text } = yield* ask(`${PROXY(node)}/api`)
        assert.deepStrictEqual([code, messageOf(text)], [400, "address not allowed"], node)
      }
      // A log of its own port is a path that is not there: the certificate opens no other.
      const log = yield* ask(LOG("own"))
      assert.deepInclude(JSON.parse(log.text), { code: 404, reason: "NotFound" })
      assert.lengthOf((yield* cluster.list("Node")).items, 3)
    }).pipe(Effect.scoped)
  )
})
