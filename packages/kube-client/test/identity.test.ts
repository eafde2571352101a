import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:http"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import { formatTime } from "@rollcall/api"
import type { ClusterError } from "@rollcall/cluster"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import type { ClientConfig, ExecConfig } from "../src/index.ts"
import { plainConfig, send, withServer } from "./client.ts"
import { listenForTest } from "./listenForTest.ts"
import { pki } from "./pki.ts"
import { respondWithJson, type Script } from "./ScriptedServer.ts"

const node = { apiVersion: "v1", kind: "Node", metadata: { name: "n1" } }
const get = { verb: "get", kind: "Node", name: "n1" } as const
const respondWithNode: Script = (_, response) => respondWithJson(response, 200, node)

const temporaryFolder = Effect.acquireRelease(
  Effect.sync(() => mkdtempSync(join(tmpdir(), "rollcall-identity-"))),
  (folder) => Effect.sync(() => rmSync(folder, { recursive: true, force: true }))
)

const messageOf = (answer: Result.Result<unknown, ClusterError>) =>
  Result.isFailure(answer) ? `${answer.failure._tag}: ${answer.failure.message}` : "success"

describe("TLS", () => {
  const secure = (tls: ClientConfig["tls"]) => (url: string) => ({ ...plainConfig(url), tls })
  const ask = (tls: ClientConfig["tls"]) =>
    withServer(
      respondWithNode,
      ({ client, server }) => Effect.map(send(client, get), (answer) => ({ answer, peer: server.seen[0]?.peer })),
      {
        tls: true,
        config: secure(tls)
      }
    )

  it.live("trusts the configured authority and shows the client's certificate", () =>
    Effect.gen(function* () {
      const { answer, peer } = yield* ask({ ca: pki().ca.cert, ...pki().client })
      assert.strictEqual(messageOf(answer), "success")
      assert.strictEqual(peer, "admin")
    })
  )

  it.live("refuses an unknown authority, unless verification is off", () =>
    Effect.gen(function* () {
      assert.match(
        messageOf((yield* ask({})).answer),
        /^ConnectionError: Get "https:\S+\/api\/v1\/nodes\/n1": tls: failed to verify certificate: x509: certificate signed by unknown authority$/
      )
      assert.strictEqual(messageOf((yield* ask({ insecure: true })).answer), "success")
    })
  )

  it.live("checks the configured server name instead of the URL's", () =>
    Effect.gen(function* () {
      const { ca } = pki()
      assert.strictEqual(messageOf((yield* ask({ ca: ca.cert, serverName: "api.test" })).answer), "success")
      assert.match(messageOf((yield* ask({ ca: ca.cert, serverName: "other.test" })).answer), /other\.test/)
    })
  )
})

describe("proxies", () => {
  it.live("are used through CONNECT tunnels", () =>
    Effect.gen(function* () {
      const asked: Array<string> = []
      const proxy = createServer().on("connect", (request, socket) => {
        asked.push(`${request.method} ${request.url}`)
        const upstream = connect(Number(request.url?.split(":")[1]), "127.0.0.1", () => {
          socket.write("HTTP/1.1 200 OK\r\n\r\n")
          upstream.pipe(socket).pipe(upstream)
        })
        for (const end of [socket, upstream]) end.on("error", () => upstream.destroy())
      })
      const port = yield* listenForTest(proxy)
      yield* withServer(
        respondWithNode,
        ({ client, server }) =>
          Effect.gen(function* () {
            assert.strictEqual(messageOf(yield* send(client, get)), "success")
            assert.deepStrictEqual(asked, [`CONNECT 127.0.0.1:${server.port}`])
          }),
        {
          tls: true,
          config: (url) => ({ ...plainConfig(url), tls: { ca: pki().ca.cert }, proxyUrl: `http://127.0.0.1:${port}` })
        }
      )
    }).pipe(Effect.scoped)
  )
})

describe("credentials", () => {
  it.live("are sent with each request: tokens, basic, and impersonation", () =>
    Effect.gen(function* () {
      const headers = (config: Partial<ClientConfig>) =>
        withServer(
          respondWithNode,
          ({ client, server }) => Effect.map(send(client, get), () => server.seen[0]?.headers ?? {}),
          {
            config: (url) => ({ ...plainConfig(url), ...config })
          }
        )
      assert.strictEqual((yield* headers({ auth: { type: "token", token: "abc" } })).authorization, "Bearer abc")
      const basic = yield* headers({ auth: { type: "basic", username: "a", password: "b" } })
      assert.strictEqual(basic.authorization, "Basic YTpi")
      const acting = yield* headers({
        impersonate: { user: "jane", uid: "7", groups: ["a", "b"], extra: { "x.io/Y": ["1"] } }
      })
      assert.strictEqual(acting["impersonate-user"], "jane")
      assert.strictEqual(acting["impersonate-uid"], "7")
      assert.strictEqual(acting["impersonate-group"], "a, b")
      assert.strictEqual(acting["impersonate-extra-x.io%2fy"], "1")
    })
  )

  it.live("can differ between requests over the same sockets", () =>
    withServer(respondWithNode, ({ client, server }) =>
      Effect.gen(function* () {
        const kubelet = client.as({ user: "system:node:n1", groups: ["system:nodes"] })
        yield* send(kubelet, get)
        kubelet.close()
        yield* send(client, get)
        assert.deepStrictEqual(
          server.seen.map(({ headers }) => headers["impersonate-user"]),
          ["system:node:n1", undefined]
        )
      })
    )
  )

  it.live("are read from their file again once the server has refused them", () =>
    Effect.gen(function* () {
      const file = join(yield* temporaryFolder, "token")
      writeFileSync(file, "old\n")
      yield* withServer(
        ({ headers }, response) => respondWithJson(response, headers.authorization === "Bearer new" ? 200 : 401, node),
        ({ client }) =>
          Effect.gen(function* () {
            assert.match(
              messageOf(yield* send(client, get)),
              /^ApiError: the server has asked for the client to provide credentials/
            )
            writeFileSync(file, "new\n")
            assert.match(messageOf(yield* send(client, get)), /success/)
            rmSync(file)
            assert.match(messageOf(yield* send(client, get)), /success/)
          }),
        { config: (url) => ({ ...plainConfig(url), auth: { type: "tokenFile", file } }) }
      )
    }).pipe(Effect.scoped)
  )
})

describe("credential plugins", () => {
  /** A plugin that notes each run with what it was told, and prints what stands in a file. */
  const plugin = Effect.gen(function* () {
    const folder = yield* temporaryFolder
    const command = join(folder, "plugin.sh")
    writeFileSync(
      command,
      '#!/bin/sh\necho "$1 $FROM_CONFIG $KUBERNETES_EXEC_INFO" >> "$DIR/runs"\nsleep 0.05\n. "$DIR/then"\n'
    )
    chmodSync(command, 0o755)
    const exec: ExecConfig = {
      apiVersion: "client.authentication.k8s.io/v1",
      command,
      args: ["login"],
      env: [{ name: "FROM_CONFIG", value: "yes" }],
      interactiveMode: "IfAvailable",
      provideClusterInfo: true,
      installHint: "install the plugin"
    }
    const says = (status: object, apiVersion = exec.apiVersion as string) =>
      writeFileSync(join(folder, "then"), `echo '${JSON.stringify({ kind: "ExecCredential", apiVersion, status })}'\n`)
    const does = (script: string) => writeFileSync(join(folder, "then"), script)
    const runs = () => readFileSync(join(folder, "runs"), "utf8").trim().split("\n")
    const options = {
      exec: { environment: { DIR: folder, PATH: "/usr/bin:/bin" } },
      config: (url: string): ClientConfig => ({
        ...plainConfig(url),
        auth: { type: "exec", exec, cluster: { server: url } }
      })
    }
    return { exec, says, does, runs, options }
  })

  it.live("run once for concurrent requests, and again when the credential has expired or was refused", () =>
    Effect.gen(function* () {
      const { options, runs, says } = yield* plugin
      yield* withServer(
        ({ headers }, response) =>
          respondWithJson(response, headers.authorization === "Bearer refused" ? 401 : 200, node),
        ({ client, server, timers }) =>
          Effect.gen(function* () {
            says({ token: "one", expirationTimestamp: formatTime(timers.now() - 1000) })
            yield* Effect.all([send(client, get), send(client, get), send(client, get)], { concurrency: "unbounded" })
            assert.strictEqual(runs().length, 1)
            const [said = ""] = runs()
            assert.isTrue(said.startsWith("login yes {"))
            assert.deepStrictEqual(JSON.parse(said.slice("login yes ".length)), {
              kind: "ExecCredential",
              apiVersion: "client.authentication.k8s.io/v1",
              spec: { cluster: { server: server.url }, interactive: false }
            })
            says({ token: "refused" })
            assert.match(messageOf(yield* send(client, get)), /^ApiError/)
            says({ token: "two" })
            assert.strictEqual(messageOf(yield* send(client, get)), "success")
            yield* send(client, get)
            assert.strictEqual(runs().length, 3)
            assert.strictEqual(server.seen.at(-1)?.headers.authorization, "Bearer two")
          }),
        options
      )
    }).pipe(Effect.scoped)
  )

  it.live("may give a client certificate", () =>
    Effect.gen(function* () {
      const { options, says } = yield* plugin
      const { cert, key } = pki().client
      says({ clientCertificateData: cert.replaceAll("\n", "\\n"), clientKeyData: key.replaceAll("\n", "\\n") })
      yield* withServer(
        respondWithNode,
        ({ client, server }) =>
          Effect.gen(function* () {
            assert.strictEqual(messageOf(yield* send(client, get)), "success")
            assert.strictEqual(server.seen[0]?.peer, "admin")
          }),
        { ...options, tls: true, config: (url) => ({ ...options.config(url), tls: { ca: pki().ca.cert } }) }
      )
    }).pipe(Effect.scoped)
  )

  it.live("that fail are reported with the cause and the remedy", () =>
    Effect.gen(function* () {
      const { does, exec, options, says } = yield* plugin
      const ask = withServer(respondWithNode, ({ client }) => Effect.map(send(client, get), messageOf), options)
      does("echo no login >&2; exit 3")
      assert.strictEqual(
        yield* ask,
        `ConnectionError: the credential plugin ${exec.command} ended with exit code 3: no login\ninstall the plugin`
      )
      does("echo hello")
      assert.include(yield* ask, 'printed "hello\\n", expected an ExecCredential in JSON')
      says({ token: "a" }, "client.authentication.k8s.io/v1beta1")
      assert.include(yield* ask, 'expected "client.authentication.k8s.io/v1"')
      says({})
      assert.include(yield* ask, "printed neither status.token nor status.clientCertificateData")
      const missing = withServer(respondWithNode, ({ client }) => Effect.map(send(client, get), messageOf), {
        ...options,
        config: (url) => ({
          ...plainConfig(url),
          auth: { type: "exec", exec: { ...exec, command: "/no/such" }, cluster: { server: url } }
        })
      })
      assert.include(yield* missing, "the credential plugin /no/such cannot be run: spawn /no/such ENOENT")
    }).pipe(Effect.scoped)
  )
})
