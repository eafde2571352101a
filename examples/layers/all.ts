import { defineLayers } from "@rollcall/worlds"
import { Layer } from "effect"
import admissionPlugin from "./admission-plugin.ts"
import authorizers from "./authorizers.ts"
import cloudProvider from "./cloud-provider.ts"
import deviceDrivers from "./device-drivers.ts"
import inhibitors from "./inhibitors.ts"
import links from "./links.ts"
import metricsSource from "./metrics-source.ts"
import observers from "./observers.ts"
import podRuntime from "./pod-runtime.ts"
import schedulerPlugin from "./scheduler-plugin.ts"
import store from "./store.ts"

/** All layers in this folder, merged into one layer of several ports. */
export default defineLayers(
  Layer.mergeAll(
    admissionPlugin,
    authorizers,
    cloudProvider,
    deviceDrivers,
    inhibitors,
    links,
    metricsSource,
    observers,
    podRuntime,
    schedulerPlugin,
    store
  )
)
