import { it } from "@effect/vitest"
import type { Pod } from "@rollcall/api"
import { metricsText } from "@rollcall/time"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import { assert, describe } from "vitest"
import { gaugeKubelets, type LocalPod, makeKubeletMeter } from "../src/index.ts"

const localPod = (name: string, stage: LocalPod["stage"], isStatic = false): LocalPod => ({
  uid: name,
  namespace: "default",
  name,
  stage,
  isStatic,
  hasContainers: stage === "running" || stage === "starting"
})
const pod = (name: string, containers: number): Pod => ({
  apiVersion: "v1",
  kind: "Pod",
  metadata: { name },
  spec: { containers: Array.from({ length: containers }, (_, index) => ({ name: `c${index}` })) }
})

const lines = (text: string) => text.split("\n").filter((line) => line.startsWith("kubelet_"))

describe("a kubelet's metrics", () => {
  it.effect("are gauges over all kubelets of the process, and counters of their events", () =>
    Effect.gen(function* () {
      const context = yield* Effect.context<never>()
      gaugeKubelets(
        [
          {
            name: "n1",
            pods: () => [localPod("a", "running"), localPod("b", "starting"), localPod("s", "running", true)],
            activePods: () => [pod("a", 2), pod("b", 1), pod("s", 1)]
          },
          {
            name: "n2",
            pods: () => [localPod("c", "running"), localPod("d", "rejected")],
            activePods: () => [pod("c", 3)]
          }
        ],
        context
      )
      const meter = makeKubeletMeter(context)
      meter.evicted("memory.available")
      meter.rejected("OutOfexample.com/gpu")
      meter.rejected("NodeAffinity")
      meter.preempted("cpu")
      const found = lines(yield* Effect.map(Effect.context<never>(), (context) => metricsText(context)))
      for (const expected of [
        'kubelet_node_name{node="n1"} 1',
        'kubelet_node_name{node="n2"} 1',
        "kubelet_running_pods 3",
        'kubelet_running_containers{container_state="running"} 7',
        'kubelet_desired_pods{static=""} 4',
        'kubelet_desired_pods{static="true"} 1',
        'kubelet_active_pods{static=""} 3',
        'kubelet_active_pods{static="true"} 1',
        "kubelet_mirror_pods 1",
        'kubelet_evictions{eviction_signal="memory.available"} 1',
        'kubelet_admission_rejections_total{reason="OutOfExtendedResources"} 1',
        'kubelet_admission_rejections_total{reason="Other"} 1',
        'kubelet_preemptions{preemption_signal="cpu"} 1'
      ]) {
        assert.include(found, expected)
      }
    }).pipe(Effect.provideService(Metric.MetricRegistry, new Map()))
  )
})
