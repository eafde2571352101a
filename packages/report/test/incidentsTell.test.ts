import { loadScenarioText } from "@rollcall/simulator"
import * as Effect from "effect/Effect"
import { assert, describe, it } from "vitest"
import { read, runIncident } from "./incidents.ts"

/** A change of each incident that its expectations must detect. */
const changes: ReadonlyArray<readonly [file: string, scenario: string, change: string]> = [
  ["etcd-stall", "etcd-stall-at-40s", "spec.release='1.35'"],
  ["etcd-stall", "etcd-stall-at-50s", "spec.release='1.31'"],
  [
    "etcd-stall",
    "etcd-stall-and-the-leader-goes",
    "spec.config.kubeControllerManager.generic.leaderElection.leaderElect=false"
  ],
  ["api-servers-return", "api-servers-return-but-for-one-node", "spec.release='1.36'"],
  [
    "small-zone-in-a-large-cluster",
    "small-zone-in-a-large-cluster",
    "spec.flags.kube-controller-manager=[--large-cluster-size-threshold=30]"
  ],
  [
    "full-zone-and-partial-zone",
    "full-zone-and-partial-zone",
    "spec.flags.kube-controller-manager=[--unhealthy-zone-threshold=0.9]"
  ],
  ["flapping-node", "flapping-node", "spec.flags.kube-apiserver=[--default-unreachable-toleration-seconds=100]"],
  ["heals-with-deletions-queued", "heals-with-deletions-queued", "spec.events[0].for=4m"],
  ["endpoints-vanish", "endpoints-vanish", "spec.events[0].for=20s"],
  ["leader-fails-over", "leader-fails-over", "spec.events[1].at=17m"],
  ["toleration-lengthened-too-late", "toleration-lengthened-too-late", "spec.events[2].at=90s"],
  ["clock-step", "clock-step", "spec.events[0].by=1m"],
  ["statefulset-on-a-dead-node", "statefulset-on-a-dead-node", "spec.release='1.4'"],
  [
    "static-pods-die-first",
    "static-pods-die-first",
    "spec.cluster.nodes[1].kubelet.shutdownGracePeriodCriticalPods=70s"
  ],
  [
    "small-zone-in-a-large-cluster",
    "small-zone-with-a-threshold-of-its-own",
    "spec.flags.kube-controller-manager=[--large-cluster-size-threshold=50]"
  ],
  ["certificates-expire", "certificates-expire", "spec.events[2].for=20s"],
  ["cloud-forgets-a-node", "cloud-forgets-a-node", "spec.events[0].for=1m"],
  ["spot-reclaimed", "spot-reclaimed", "spec.cluster.objects[0].spec.maxUnavailable=12"],
  ["zonal-disks", "zonal-disks", "spec.cluster.objects[0].parameters={reach: everywhere}"],
  ["zonal-disks", "disks-of-two-zones", "spec.cluster.objects[0].parameters={type: pd-balanced}"],
  ["drain-walled", "drain-not-walled", "spec.cluster.objects[0].spec.unhealthyPodEvictionPolicy=IfHealthyBudget"]
]

describe("an incident's expectations", () => {
  for (const [file, scenario, change] of changes) {
    it(`fail after ${change} in ${scenario}`, () => {
      const files = { "manifests/web.yaml": read("manifests/web.yaml") }
      const name = `incidents/${file}.yaml`
      // Only this scenario: others in the file may lack the changed field.
      const text = read(name)
        .split(/^---$/m)
        .find((document) => document.includes(`\n  name: ${scenario}\n`))
      const [plan] = Effect.runSync(loadScenarioText(text ?? "", { name, files, set: [change] }))
      assert.isDefined(plan)
      if (plan === undefined) return
      const { expectations } = runIncident(plan).result
      assert.isTrue(expectations.some(({ held }) => !held))
    })
  }
})
