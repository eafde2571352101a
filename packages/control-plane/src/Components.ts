import * as Context from "effect/Context"
import * as Layer from "effect/Layer"
import type { Component } from "./Component.ts"

/** The processes of a world's control plane, which faults stop and start; none where the control plane is external. */
export class Components extends Context.Service<Components, ReadonlyArray<Component>>()(
  "@rollcall/control-plane/Components"
) {
  static readonly none: Layer.Layer<Components> = Layer.succeed(Components, [])
}
