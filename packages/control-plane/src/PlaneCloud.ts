import type { CloudProviderShape, CloudSettings } from "@rollcall/node-controller"

/** The cloud of a control plane: who answers for it, and how its controllers run. */
export interface PlaneCloud {
  readonly provider: CloudProviderShape
  readonly controllers: Partial<CloudSettings>
}
