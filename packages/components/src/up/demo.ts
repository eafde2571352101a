import type { Deployment, PodDisruptionBudget } from "@rollcall/api"
import { type ClusterError, type ClusterShape, isAlreadyExists } from "@rollcall/cluster"
import * as Effect from "effect/Effect"

const labels = { app: "web" }
const name = "web"
const namespace = "default"

const web: Deployment = {
  apiVersion: "apps/v1",
  kind: "Deployment",
  metadata: { name, namespace, labels },
  spec: {
    replicas: 12,
    selector: { matchLabels: labels },
    template: {
      metadata: { labels },
      spec: {
        topologySpreadConstraints: [
          {
            maxSkew: 1,
            topologyKey: "topology.kubernetes.io/zone",
            whenUnsatisfiable: "ScheduleAnyway",
            labelSelector: { matchLabels: labels }
          }
        ],
        containers: [
          { name, image: "registry.k8s.io/pause:3.10", resources: { requests: { cpu: "250m", memory: "256Mi" } } }
        ]
      }
    }
  }
}

const budget: PodDisruptionBudget = {
  apiVersion: "policy/v1",
  kind: "PodDisruptionBudget",
  metadata: { name, namespace },
  spec: { maxUnavailable: 1, selector: { matchLabels: labels } }
}

const ignoreExisting = (created: Effect.Effect<unknown, ClusterError>) =>
  Effect.catchIf(Effect.asVoid(created), isAlreadyExists, () => Effect.void)

/** Creates a demo workload: a Deployment that is spread over the zones, and a PodDisruptionBudget. */
export const createDemo = (cluster: ClusterShape): Effect.Effect<void, ClusterError> =>
  Effect.andThen(
    ignoreExisting(cluster.create("Deployment", web)),
    ignoreExisting(cluster.create("PodDisruptionBudget", budget))
  )

/** If a package script runs the program, it is not on the path of other terminals. */
const pathLine = '  export PATH="$PWD/.start/bin:$PATH"                    # rollcall, in this folder'

/** Returns suggested commands for another terminal. `byScript` says whether npm or pnpm runs this process. */
export const suggestions = (byScript: boolean): ReadonlyArray<string> => [
  "Try, in another terminal, with the line above:",
  ...(byScript ? [pathLine] : []),
  "  rollcall get nodes --watch                             # or kubectl, here and below",
  "  rollcall fault partition --zone zone-b --for 12m       # zone b drops out; its pods move after six minutes",
  "  rollcall drain a-0 --ignore-daemonsets                 # the budget lets one pod of web go at a time",
  "  rollcall get events -A --watch",
  "  rollcall nodes add --zone zone-d --count 5             # a fourth zone"
]
