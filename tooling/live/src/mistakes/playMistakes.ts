import { writeFileSync } from "node:fs"
import { get } from "node:http"
import { createServer, get as getSecurely } from "node:https"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { formatMicroTime, formatTime, type Lease, type Node, nodeLeaseNamespace } from "@rollcall/api"
import { type ClusterShape, fromConnection } from "@rollcall/cluster"
import { openPki } from "@rollcall/pki"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { eventually } from "../process/eventually.ts"
import { configOf, connectionTo, freePort, rollcall, startRollcall, temporaryFolder } from "../process/rollcall.ts"
import { kubeconfigWith, type Mistake, type MistakeSetting, mistakes, type ProgramName, programs } from "./mistakes.ts"

/** The response of a health endpoint: its status code and the failed checks. */
export interface Health {
  readonly code: number
  readonly failed: ReadonlyArray<string>
}

/** The visible symptoms of a program that was started with a mistake. */
export interface Symptoms {
  readonly program: ProgramName
  readonly mistake: Mistake
  readonly node: string
  /** The log lines of the program, in klog format. */
  readonly log: ReadonlyArray<string>
  readonly healthz: Health
  readonly readyz: Health
  /** The output of `describe node` for the program's node. */
  readonly described: string
}

const DAY_MS = 86_400_000
/** A scenario with a short grace period, so that silent nodes are detected quickly. */
const scenario = {
  apiVersion: "rollcall.dev/v1alpha1",
  kind: "Scenario",
  metadata: { name: "mistakes" },
  spec: {
    duration: "1h",
    cluster: { nodes: [{ name: "own", count: 1 }] },
    config: {
      kubeControllerManager: {
        kubeCloudShared: { nodeMonitorPeriod: "1s" },
        nodeLifecycleController: { nodeMonitorGracePeriod: "8s" }
      },
      kubelet: { nodeLeaseDurationSeconds: 4 }
    }
  }
}

/** Asks a program for a page: a kubelet without TLS, the others with it. */
const answerOf = (program: ProgramName, port: number, path: string): Effect.Effect<Health> =>
  Effect.callback((resume) => {
    const ask = program === "kubelet" ? get : getSecurely
    const asked = ask({ host: "127.0.0.1", port, path, agent: false, rejectUnauthorized: false }, (response) => {
      let body = ""
      response.setEncoding("utf8")
      response.on("data", (text: string) => {
        body += text
      })
      response.on("end", () => {
        const failed = Array.from(body.matchAll(/^\[-\](\S+) failed/gm), ([, name = ""]) => name)
        resume(Effect.succeed({ code: response.statusCode ?? 0, failed }))
      })
    })
    asked.on("error", () => resume(Effect.succeed({ code: 0, failed: [] })))
  })

/** Starts a TLS server whose certificate is valid only in two days, like any server for a client whose clock is behind. */
const futureCertificateServer = Effect.fnUntraced(function* (folder: string, nowMs: number) {
  const pki = yield* openPki({ folder, nowMs: nowMs + 2 * DAY_MS })
  const server = createServer({ key: pki.server.keyPem, cert: pki.server.certificatePem }, (_, response) => {
    response.writeHead(500).end()
  })
  // Clients that do not trust the certificate close the connection.
  server.on("tlsClientError", () => undefined)
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )
  return { pki, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` }
})

/** Creates a node that was registered an hour ago and has been silent for ten minutes. */
const createSilentNode = Effect.fnUntraced(function* (cluster: ClusterShape, name: string, nowMs: number) {
  const at = (agoMs: number) => formatTime(nowMs - agoMs)
  const condition = { lastHeartbeatTime: at(600_000), lastTransitionTime: at(3_600_000) }
  const node: Node = {
    apiVersion: "v1",
    kind: "Node",
    metadata: { name, labels: { "kubernetes.io/hostname": name } },
    status: {
      conditions: [
        {
          type: "Ready",
          status: "True",
          reason: "KubeletReady",
          message: "kubelet is posting ready status",
          ...condition
        }
      ]
    }
  }
  const created = yield* cluster.create("Node", node)
  const lease: Lease = {
    apiVersion: "coordination.k8s.io/v1",
    kind: "Lease",
    metadata: {
      name,
      namespace: nodeLeaseNamespace,
      ownerReferences: [{ apiVersion: "v1", kind: "Node", name, uid: created.metadata.uid ?? "" }]
    },
    spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: formatMicroTime(nowMs - 600_000) }
  }
  yield* cluster.create("Lease", lease)
})

export interface MistakesCluster extends MistakeSetting {
  readonly folder: string
  readonly kubeconfig: string
  readonly cluster: ClusterShape
  /** Returns the log of the API server. */
  readonly serverLog: () => string
}

/** Starts a cluster to connect programs to. */
export const mistakesCluster = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const file = join(folder, "mistakes.yaml")
  writeFileSync(file, JSON.stringify(scenario))
  const data = join(folder, "data")
  const up = yield* startRollcall("up", "--config", file, "--port", "0", "--data-dir", data)
  const [, url = ""] = yield* up.waitForOutput(/nodes? (?:is|are) Ready after .*: (https:\S+)/)
  const nowMs = yield* Clock.currentTimeMillis
  const kubeconfig = join(data, "admin.conf")
  const made: MistakesCluster = {
    folder,
    kubeconfig,
    serverLog: up.stderr,
    url,
    nowMs,
    deadPort: yield* freePort,
    pki: yield* openPki({ folder: join(data, "pki"), nowMs }),
    other: yield* futureCertificateServer(join(folder, "other"), nowMs),
    cluster: fromConnection(yield* connectionTo(yield* configOf(kubeconfig)))
  }
  return made
})

const start = Effect.fnUntraced(function* (own: MistakesCluster, program: ProgramName, mistake: Mistake, node: string) {
  const file = join(own.folder, `${program}-${mistake}.conf`)
  writeFileSync(file, kubeconfigWith(mistake, program, node, own))
  const port = yield* freePort
  const name = mistake === "wrong name" ? `${node}x` : node
  const process = yield* startRollcall(
    program,
    "--kubeconfig",
    file,
    "--secure-port",
    String(port),
    ...(program === "kubelet" ? ["--hostname-override", name] : [])
  )
  return { port, process }
})

/** The last log line of each program's first attempt. */
const firstTry: Readonly<Record<ProgramName, RegExp>> = {
  kubelet: /^E.*"Unable to register node with API server/m,
  "controller-manager": /^E.*"Error retrieving lease lock"/m,
  scheduler: /^E.*"Error retrieving lease lock"/m
}

const isUnknown = ({ status }: Node): boolean =>
  (status?.conditions ?? []).some(({ status: is, type }) => type === "Ready" && is === "Unknown")

/** Returns the node of a program; for programs without a node, an unrelated one. */
const nodeOf = (program: ProgramName, mistake: Mistake): string =>
  program === "kubelet" ? `kubelet-${mistake.replaceAll(" ", "-")}` : "own-0"

const describeNode = ({ kubeconfig }: MistakesCluster, node: string): Effect.Effect<string> =>
  Effect.map(rollcall("describe", "node", node, "--kubeconfig", kubeconfig), ({ stdout }) => stdout)

/**
 * Starts a program with a mistake and collects its symptoms after its first attempt; without a mistake, after it is ready. A kubelet's node
 * is described once the node controller has detected that it is silent.
 */
const playMistake = (own: MistakesCluster, program: ProgramName, mistake: Mistake, described: Effect.Effect<string>) =>
  Effect.gen(function* () {
    const node = nodeOf(program, mistake)
    const { port, process } = yield* start(own, program, mistake, node)
    if (mistake === "none") yield* eventually("ready", answerOf(program, port, "/readyz"), ({ code }) => code === 200)
    else yield* process.waitForOutput(firstTry[program])
    if (program === "kubelet" && mistake !== "none") {
      yield* eventually("the node is Unknown", own.cluster.get("Node", { name: node }), isUnknown)
    }
    const sight: Symptoms = {
      program,
      mistake,
      node,
      described: yield* described,
      log: process.stderr().trim().split("\n"),
      healthz: yield* answerOf(program, port, "/healthz"),
      readyz: yield* answerOf(program, port, "/readyz")
    }
    return sight
  }).pipe(Effect.scoped)

/** Runs all programs with all mistakes, three processes at a time. */
export const playMistakes = Effect.gen(function* () {
  const own = yield* mistakesCluster
  for (const mistake of mistakes) {
    if (mistake !== "none") yield* createSilentNode(own.cluster, nodeOf("kubelet", mistake), own.nowMs)
  }
  const other = yield* Effect.cached(describeNode(own, "own-0"))
  const plays = programs.flatMap((program) => mistakes.map((mistake) => [program, mistake] as const))
  const symptoms = yield* Effect.forEach(
    plays,
    ([program, mistake]) =>
      playMistake(own, program, mistake, program === "kubelet" ? describeNode(own, nodeOf(program, mistake)) : other),
    { concurrency: 3 }
  )
  return { symptoms, serverLog: own.serverLog() }
})
