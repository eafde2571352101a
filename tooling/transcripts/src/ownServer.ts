import { join } from "node:path"
import * as NodeServices from "@effect/platform-node/NodeServices"
import { defaultRelease } from "@rollcall/api"
import { Host, layerServerStore, runComponent, ServerProcess } from "@rollcall/components"
import { defaultInFlightLimits } from "@rollcall/flow-control"
import { layerWallClock, Timers } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as FileSystem from "effect/FileSystem"
import * as Layer from "effect/Layer"
import { identitiesOf, type Target } from "./Target.ts"
import { temporaryFolder } from "./Workshop.ts"

const host = Layer.succeed(Host, {
  environment: {},
  hostname: "localhost",
  homeFolder: "",
  temporaryFolder: "",
  wallClockMs: Date.now,
  processId: 1,
  print: () => {},
  log: () => {},
  output: () => {},
  error: () => {},
  stdin: () => Promise.resolve("")
})

/** The settings of the server, as those of the recorded kube-apiserver: Node and RBAC authorization, which anonymous requests pass too. */
const settings = {
  release: defaultRelease,
  host: "127.0.0.1",
  port: 0,
  flagNames: { port: "--secure-port", host: "--bind-address" },
  names: [],
  inFlight: defaultInFlightLimits,
  eventTtlMs: 3_600_000,
  security: { modes: ["Node", "RBAC"], anonymous: true }
} as const

/** Runs kube-controller-manager against a server until the scope closes. */
const runControllers = (kubeconfig: string, folder: string, authority: string) =>
  Effect.gen(function* () {
    const rootCA = join(folder, "root-ca.pem")
    yield* (yield* FileSystem.FileSystem).writeFileString(rootCA, authority)
    const flags = ["--kubeconfig", kubeconfig, "--root-ca-file", rootCA, "--secure-port=0", "--leader-elect=false"]
    yield* Effect.forkScoped(runComponent("controller-manager", flags))
  }).pipe(Effect.provide(NodeServices.layer))

/**
 * Starts an API server in this process, with an empty temporary folder, until the scope closes. With `controlled`, a
 * kube-controller-manager runs against it.
 */
export const ownServer = Effect.fnUntraced(function* (controlled = false) {
  const folder = yield* temporaryFolder("transcripts-server-")
  const own = { ...settings, folder }
  const server = ServerProcess.layer(own).pipe(Layer.provide(layerServerStore(own)))
  const context = yield* Layer.build(server.pipe(Layer.provideMerge(Layer.mergeAll(layerWallClock(), host))))
  return yield* Effect.gen(function* () {
    const { kubeconfigFile, pki, url } = yield* ServerProcess
    const now = (yield* Timers).now()
    const issue = (commonName: string, organization: string) => {
      const made = pki.clientCertificate({ commonName, organizations: [organization] }, now)
      return { cert: made.certificatePem, key: made.keyPem }
    }
    const admin = issue("kubernetes-admin", "system:masters")
    const target: Target = {
      server: url,
      ca: pki.authorityPem,
      identities: identitiesOf(admin, issue("system:node:worker-1", "system:nodes"))
    }
    if (controlled) yield* runControllers(kubeconfigFile, folder, pki.authorityPem)
    return target
  }).pipe(Effect.provide(context))
})
