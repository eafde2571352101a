import { writeFileSync } from "node:fs"
import { get } from "node:http"
import { createServer } from "node:https"
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

/** An answer of a health endpoint: its code, and the names of the checks that failed. */
export interface Health {
  readonly code: number
  readonly failed: ReadonlyArray<string>
}

/** What a person sees of a program that was started with a mistake. */
export interface Sight {
  readonly program: ProgramName
  readonly mistake: Mistake
  readonly node: string
  /** The program's lines, as klog wrote them. */
  readonly log: ReadonlyArray<string>
  readonly healthz: Health
  readonly readyz: Health
  /** What `describe node` prints of the program's node. */
  readonly described: string
}

const DAY_MS = 86_400_000
/** A node controller that is quick to notice a silent node. */
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

const answerOf = (port: number, path: string): Effect.Effect<Health> =>
  Effect.callback((resume) => {
    const asked = get({ host: "127.0.0.1", port, path, agent: false }, (response) => {
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

/** A TLS server whose certificate begins in two days: what one is to a client whose clock is behind. */
const serverOfTomorrow = Effect.fnUntraced(function* (folder: string, nowMs: number) {
  const pki = yield* openPki({ folder, nowMs: nowMs + 2 * DAY_MS })
  const server = createServer({ key: pki.server.keyPem, cert: pki.server.certificatePem }, (_, response) => {
    response.writeHead(500).end()
  })
  // Clients that do not trust the certificate hang up.
  server.on("tlsClientError", () => undefined)
  yield* Effect.acquireRelease(
    Effect.callback<void>((resume) => void server.listen(0, "127.0.0.1", () => resume(Effect.void))),
    () => Effect.callback<void>((resume) => void server.close(() => resume(Effect.void)))
  )
  return { pki, url: `https://127.0.0.1:${(server.address() as AddressInfo).port}` }
})

/** A node that a kubelet registered an hour ago, and that has been silent for ten minutes. */
const leaveNode = Effect.fnUntraced(function* (cluster: ClusterShape, name: string, nowMs: number) {
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
  /** What the API server has logged. */
  readonly serverLog: () => string
}

/** A cluster to connect programs to. */
export const mistakesCluster = Effect.gen(function* () {
  const folder = yield* temporaryFolder
  const file = join(folder, "mistakes.yaml")
  writeFileSync(file, JSON.stringify(scenario))
  const data = join(folder, "data")
  const up = yield* startRollcall("up", "--config", file, "--port", "0", "--data-dir", data)
  const [, url = ""] = yield* up.says(/nodes? (?:is|are) Ready after .*: (https:\S+)/)
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
    other: yield* serverOfTomorrow(join(folder, "other"), nowMs),
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

/** What a program writes last of all that it writes of its first try. */
const firstTry: Readonly<Record<ProgramName, RegExp>> = {
  kubelet: /^E.*"Unable to register node with API server/m,
  "controller-manager": /^E.*"Error retrieving lease lock"/m,
  scheduler: /^E.*"Error retrieving lease lock"/m
}

const isUnknown = ({ status }: Node): boolean =>
  (status?.conditions ?? []).some(({ status: is, type }) => type === "Ready" && is === "Unknown")

/** The node that a program is of, or, for those that are of none, one that has nothing to do with it. */
const nodeOf = (program: ProgramName, mistake: Mistake): string =>
  program === "kubelet" ? `kubelet-${mistake.replaceAll(" ", "-")}` : "own-0"

const describeNode = ({ kubeconfig }: MistakesCluster, node: string): Effect.Effect<string> =>
  Effect.map(rollcall("describe", "node", node, "--kubeconfig", kubeconfig), ({ stdout }) => stdout)

/**
 * Starts a program with a mistake and looks at what it tells once it has tried, or without one once it is ready. A kubelet's node
 * is looked at once the node controller has noticed that it is silent.
 */
const playMistake = (own: MistakesCluster, program: ProgramName, mistake: Mistake, described: Effect.Effect<string>) =>
  Effect.gen(function* () {
    const node = nodeOf(program, mistake)
    const { port, process } = yield* start(own, program, mistake, node)
    if (mistake === "none") yield* eventually("ready", answerOf(port, "/readyz"), ({ code }) => code === 200)
    else yield* process.says(firstTry[program])
    if (program === "kubelet" && mistake !== "none") {
      yield* eventually("the node is Unknown", own.cluster.get("Node", { name: node }), isUnknown)
    }
    const sight: Sight = {
      program,
      mistake,
      node,
      described: yield* described,
      log: process.stderr().trim().split("\n"),
      healthz: yield* answerOf(port, "/healthz"),
      readyz: yield* answerOf(port, "/readyz")
    }
    return sight
  }).pipe(Effect.scoped)

/** All programs with all mistakes, three at a time: each is a process that starts. */
export const playMistakes = Effect.gen(function* () {
  const own = yield* mistakesCluster
  for (const mistake of mistakes) {
    if (mistake !== "none") yield* leaveNode(own.cluster, nodeOf("kubelet", mistake), own.nowMs)
  }
  const other = yield* Effect.cached(describeNode(own, "own-0"))
  const plays = programs.flatMap((program) => mistakes.map((mistake) => [program, mistake] as const))
  const sights = yield* Effect.forEach(
    plays,
    ([program, mistake]) =>
      playMistake(own, program, mistake, program === "kubelet" ? describeNode(own, nodeOf(program, mistake)) : other),
    { concurrency: 3 }
  )
  return { sights, serverLog: own.serverLog() }
})
