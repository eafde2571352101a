import { defineLayers } from "@rollcall/worlds"
import { Layer } from "effect"
import admissionPlugin from "./admission-plugin.ts"
import cloudProvider from "./cloud-provider.ts"
import podRuntime from "./pod-runtime.ts"
import schedulerPlugin from "./scheduler-plugin.ts"
import store from "./store.ts"

/** The layers beside this file at once: one layer of several ports. */
export default defineLayers(Layer.mergeAll(admissionPlugin, cloudProvider, podRuntime, schedulerPlugin, store))
