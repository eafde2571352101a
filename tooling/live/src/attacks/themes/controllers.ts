import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { startRollcall } from "../../process/rollcall.ts"
import type { Attack } from "../Attack.ts"
import type { Answer } from "../Request.ts"
import type { Target } from "../Target.ts"

const PODS = "/api/v1/namespaces/default/pods"
const SERVICES = "/api/v1/namespaces/default/services"
const SLICES = "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices"
const NODES = "/api/v1/nodes"
const PATIENCE_MS = 30_000

const post = (target: Target, path: string, body: object) => target.ask("operator", { method: "POST", path, body })
const get = (target: Target, path: string) => target.ask("operator", { method: "GET", path })

const container = { name: "c", image: "registry.k8s.io/pause:3.10" }
const pod = (name: string) => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name, labels: { app: "odd" } },
  spec: { containers: [container] }
})
const service = (name: string) => ({
  apiVersion: "v1",
  kind: "Service",
  metadata: { name },
  spec: { selector: { app: "odd" }, ports: [{ port: 80 }] }
})

const node = {
  apiVersion: "v1",
  kind: "Node",
  metadata: { name: "odd" },
  spec: {},
  status: {
    capacity: { cpu: "8", memory: "8Gi", pods: "110" },
    allocatable: { cpu: "8", memory: "8Gi", pods: "110" },
    conditions: [{ type: "Ready", status: "True" }]
  }
}

/** Objects as a Go client with nil slices and nil pointers writes them: a genuine server accepts each. */
const odd: ReadonlyArray<readonly [path: string, body: object]> = [
  [
    SLICES,
    {
      apiVersion: "discovery.k8s.io/v1",
      kind: "EndpointSlice",
      metadata: {
        name: "odd-nulls",
        labels: {
          "kubernetes.io/service-name": "odd-first",
          "endpointslice.kubernetes.io/managed-by": "endpointslice-controller.k8s.io"
        },
        ownerReferences: null,
        annotations: null
      },
      addressType: "IPv4",
      endpoints: null,
      ports: null
    }
  ],
  [
    "/apis/storage.k8s.io/v1/csinodes",
    { apiVersion: "storage.k8s.io/v1", kind: "CSINode", metadata: { name: "odd" }, spec: { drivers: null } }
  ],
  [
    "/apis/apps/v1/namespaces/default/deployments",
    {
      apiVersion: "apps/v1",
      kind: "Deployment",
      metadata: { name: "odd", creationTimestamp: null },
      spec: {
        replicas: 1,
        selector: { matchLabels: { app: "odd-deployment" }, matchExpressions: null },
        strategy: {},
        template: {
          metadata: { creationTimestamp: null, labels: { app: "odd-deployment" } },
          spec: { containers: [{ ...container, env: null, resources: {} }], tolerations: null, volumes: null }
        }
      },
      status: {}
    }
  ],
  [
    "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
    {
      apiVersion: "policy/v1",
      kind: "PodDisruptionBudget",
      metadata: { name: "odd" },
      spec: { maxUnavailable: 1, selector: { matchLabels: null, matchExpressions: null } },
      status: {
        disruptedPods: null,
        conditions: null,
        currentHealthy: 0,
        desiredHealthy: 0,
        disruptionsAllowed: 0,
        expectedPods: 0
      }
    }
  ]
]

const oddStatus = {
  status: { conditions: null, images: null, volumesInUse: null, addresses: null, volumesAttached: null }
}

/** Repeats a request until the response matches; false: it never does. */
const eventually = Effect.fnUntraced(function* (ask: Effect.Effect<Answer>, wanted: (answer: Answer) => boolean) {
  const until = (yield* Clock.currentTimeMillis) + PATIENCE_MS
  while ((yield* Clock.currentTimeMillis) < until) {
    if (wanted(yield* ask)) return true
    yield* Effect.sleep(200)
  }
  return false
})

const isBound = ({ body }: Answer): boolean => /"nodeName":"odd"/.test(body)

const nulls: Attack = {
  name: "controllers/nulls",
  about: "lists written as null, before a controller manager and a scheduler",
  run: (target) =>
    Effect.gen(function* () {
      // The observer holds the leader election Lease.
      const alone = ["--kubeconfig", target.kubeconfig, "--secure-port", "0", "--leader-elect=false"]
      yield* startRollcall("controller-manager", ...alone)
      yield* startRollcall("scheduler", ...alone)
      yield* post(target, SERVICES, service("odd-first"))
      for (const [path, body] of odd) yield* post(target, path, body)
      yield* post(target, NODES, node)
      yield* target.ask("operator", {
        method: "PATCH",
        path: `${NODES}/odd-2/status`,
        headers: { "content-type": "application/merge-patch+json" },
        body: oddStatus
      })
      yield* Effect.sleep(2000)
      yield* post(target, PODS, pod("odd-pod"))
      yield* post(target, SERVICES, service("odd-second"))
      const bound = yield* eventually(get(target, `${PODS}/odd-pod`), isBound)
      const sliced = yield* eventually(
        get(target, `${SLICES}?labelSelector=kubernetes.io/service-name=odd-second`),
        ({ body }) => body.includes('"odd-second')
      )
      const deployed = yield* eventually(get(target, `${PODS}?labelSelector=app=odd-deployment`), isBound)
      for (const path of [
        `${NODES}/odd`,
        `${PODS}/odd-pod?gracePeriodSeconds=0`,
        `${SERVICES}/odd-first`,
        `${SERVICES}/odd-second`
      ])
        yield* target.ask("operator", { method: "DELETE", path })
      for (const [path, { metadata }] of odd as ReadonlyArray<
        readonly [string, { readonly metadata: { readonly name: string } }]
      >)
        yield* target.ask("operator", { method: "DELETE", path: `${path}/${metadata.name}` })
      return {
        finding: `pod bound: ${bound}, other Service has its slice: ${sliced}, Deployment runs: ${deployed}`,
        holds: bound && sliced && deployed
      }
    }).pipe(Effect.scoped)
}

/** Attacks by objects that are meant to crash controllers that watch them. */
export const controllers: ReadonlyArray<Attack> = [nulls]
