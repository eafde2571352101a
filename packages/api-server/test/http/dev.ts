import { execFileSync } from "node:child_process"
import { generateKeyPairSync } from "node:crypto"
import { mkdtempSync, readFileSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { layerMemory } from "@rollcall/store"
import { layerWallClock, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { ApiServer, type ApiServerOptions } from "../../src/core/index.ts"
import { makeUid, SeededRandom } from "../../src/core/registry/SeededRandom.ts"
import { customResources } from "../../src/custom/index.ts"
import { listen, makeHandler, verifiedCertificate, versionInfo } from "../../src/http/index.ts"
import { securityPlan } from "../../src/security/index.ts"

/**
 * A server for development: objects in memory, roles as in a genuine cluster, and the token `admin` may do everything.
 *
 *     node packages/api-server/test/http/dev.ts --port 18080 --kubeconfig /tmp/dev.conf [--tls]
 */
const { values } = parseArgs({
  options: { port: { type: "string", default: "18080" }, kubeconfig: { type: "string" }, tls: { type: "boolean" } }
})

const selfSigned = () => {
  const folder = mkdtempSync(join(tmpdir(), "rollcall-dev-"))
  const [key, cert] = [join(folder, "key"), join(folder, "cert")]
  const san = ["-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost"]
  const subject = ["-subj", "/CN=localhost", "-days", "2", "-keyout", key, "-out", cert]
  execFileSync(
    "openssl",
    ["req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", ...san, ...subject],
    {
      stdio: "ignore"
    }
  )
  return { key: readFileSync(key, "utf8"), cert: readFileSync(cert, "utf8") }
}

const kubeconfig = (url: string, ca: string | undefined) => ({
  apiVersion: "v1",
  kind: "Config",
  "current-context": "dev",
  clusters: [
    {
      name: "dev",
      cluster: {
        server: url,
        ...(ca === undefined ? {} : { "certificate-authority-data": Buffer.from(ca).toString("base64") })
      }
    }
  ],
  users: [{ name: "admin", user: { token: "admin" } }],
  contexts: [{ name: "dev", context: { cluster: "dev", user: "admin" } }]
})

const main = Effect.gen(function* () {
  const server = yield* ApiServer
  const timers = yield* Timers
  const { security } = server
  if (security === undefined) return
  const random = new SeededRandom([yield* Random.nextInt, yield* Random.nextInt, yield* Random.nextInt])
  const tls = values.tls === true ? selfSigned() : undefined
  const handler = makeHandler({
    server,
    timers,
    ...security,
    certificateOf: ({ request }) => verifiedCertificate(request),
    random: () => random.nextUint32() / 2 ** 32,
    makeId: () => makeUid(random),
    version: versionInfo("v1.36.2"),
    address: () => `127.0.0.1:${values.port}`
  })
  const { port } = yield* listen(handler, { host: "127.0.0.1", port: Number(values.port), ...(tls && { tls }) })
  const url = `${tls ? "https" : "http"}://127.0.0.1:${port}`
  if (values.kubeconfig !== undefined) writeFileSync(values.kubeconfig, JSON.stringify(kubeconfig(url, tls?.cert)))
  process.stdout.write(`${url}\n`)
  yield* Effect.never
})

const options: ApiServerOptions = {
  managedFields: true,
  customResources,
  security: securityPlan({
    modes: ["Node", "RBAC"],
    tokens: [{ token: "admin", user: "admin", groups: ["system:masters"] }],
    serviceAccounts: {
      issuer: "https://kubernetes.default.svc.cluster.local",
      privateKeyPem: generateKeyPairSync("ec", { namedCurve: "P-256" })
        .privateKey.export({ type: "pkcs8", format: "pem" })
        .toString()
    }
  })
}
const live = ApiServer.layer(options).pipe(Layer.provide(layerMemory()), Layer.provideMerge(layerWallClock()))
const fiber = Effect.runFork(Effect.scoped(main).pipe(Effect.provide(live)))
for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => fiber.interruptUnsafe())
fiber.addObserver((exit) => {
  if (exit._tag === "Failure") process.stderr.write(`${String(exit.cause)}\n`)
  process.exitCode = exit._tag === "Success" ? 0 : 1
})
