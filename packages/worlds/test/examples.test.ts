import { readFileSync } from "node:fs"
import type { Node } from "@rollcall/api"
import { admissionPluginContract, authorizerContract } from "@rollcall/api-server/testing"
import { observersContract } from "@rollcall/control-plane/testing"
import { deviceDriversContract, nodeHostContract, podRuntimeContract } from "@rollcall/kubelet/testing"
import { inhibitorsContract, linkContract } from "@rollcall/machines/testing"
import { CloudProvider } from "@rollcall/node-controller"
import { cloudProviderContract } from "@rollcall/node-controller/testing"
import { schedulerPluginContract } from "@rollcall/scheduler/testing"
import { storeContract } from "@rollcall/store/testing"
import { layerWallClock } from "@rollcall/time"
import { metricsSourceContract } from "@rollcall/workloads/testing"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { assert, describe, it } from "vitest"
import admissionPlugin from "../../../examples/layers/admission-plugin.ts"
import authorizers from "../../../examples/layers/authorizers.ts"
import cloudProvider from "../../../examples/layers/cloud-provider.ts"
import deviceDrivers from "../../../examples/layers/device-drivers.ts"
import inhibitors from "../../../examples/layers/inhibitors.ts"
import links from "../../../examples/layers/links.ts"
import metricsSource from "../../../examples/layers/metrics-source.ts"
import observers from "../../../examples/layers/observers.ts"
import podRuntime from "../../../examples/layers/pod-runtime.ts"
import schedulerPlugin from "../../../examples/layers/scheduler-plugin.ts"
import store from "../../../examples/layers/store.ts"
import type { PortName } from "../src/ports.ts"

/** A port without a suite does not compile. */
const suites = {
  Store: storeContract,
  PodRuntimes: podRuntimeContract,
  NodeHosts: nodeHostContract,
  DeviceDrivers: deviceDriversContract,
  Links: linkContract,
  Inhibitors: inhibitorsContract,
  CloudProvider: cloudProviderContract,
  SchedulerPlugins: schedulerPluginContract,
  AdmissionPlugins: admissionPluginContract,
  Authorizers: authorizerContract,
  MetricsSource: metricsSourceContract,
  Observers: observersContract
} satisfies Readonly<Record<PortName, unknown>>

describe("docs/how-to/write-a-layer.md", () => {
  it("shows examples/layers/scheduler-plugin.ts", () => {
    const page = readFileSync(new URL("../../../docs/how-to/write-a-layer.md", import.meta.url), "utf8")
    const file = readFileSync(new URL("../../../examples/layers/scheduler-plugin.ts", import.meta.url), "utf8")
    assert.include(page, `\`\`\`ts\n${file}\`\`\`\n`)
  })
})

describe("docs/extending.md", () => {
  const page = readFileSync(new URL("../../../docs/extending.md", import.meta.url), "utf8")
  for (const [port, suite] of Object.entries(suites)) {
    it(`names the suite of ${port}`, () => assert.include(page, `| \`${port}\` | \`${suite.name}(name, `))
  }
})

// What the examples show people to write keeps the contracts of its ports.

const node = (name: string): Node => ({ apiVersion: "v1", kind: "Node", metadata: { name } })
const member = { user: "bob", groups: ["team:default", "system:authenticated"] }

// A slow disk, as seen by one for whom time passes a thousand times as fast.
storeContract("examples/layers/store.ts", Layer.provide(store, layerWallClock({ speed: 1000 })))
podRuntimeContract("examples/layers/pod-runtime.ts", podRuntime)
deviceDriversContract("examples/layers/device-drivers.ts", deviceDrivers)
linkContract("examples/layers/links.ts", links, { machines: ["dear-0", "cheap-0"] })
inhibitorsContract("examples/layers/inhibitors.ts", inhibitors)
admissionPluginContract("examples/layers/admission-plugin.ts", admissionPlugin)
authorizerContract("examples/layers/authorizers.ts", authorizers, [member])
schedulerPluginContract("examples/layers/scheduler-plugin.ts", schedulerPlugin, {
  nodes: [{ ...node("cheap-0"), metadata: { name: "cheap-0", labels: { price: "low" } } }]
})
observersContract("examples/layers/observers.ts", observers)
metricsSourceContract("examples/layers/metrics-source.ts", metricsSource)
cloudProviderContract(
  "examples/layers/cloud-provider.ts",
  Effect.map(CloudProvider, (provider) => ({ provider, known: node("cheap-0"), unknown: node("nowhere-0") })).pipe(
    Effect.provide(cloudProvider)
  )
)
