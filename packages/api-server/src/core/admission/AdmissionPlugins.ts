import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { AdmissionPlugin } from "./Admission.ts"

/** The port of admission plugins of one's own: the chain runs them after the server's own, in this order. Optional. */
export class AdmissionPlugins extends Context.Service<AdmissionPlugins, ReadonlyArray<AdmissionPlugin>>()(
  "@rollcall/api-server/AdmissionPlugins"
) {
  static readonly layer = (...plugins: ReadonlyArray<AdmissionPlugin>): Layer.Layer<AdmissionPlugins> =>
    Layer.succeed(AdmissionPlugins, plugins)
}
