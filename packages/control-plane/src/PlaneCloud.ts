import type { CloudProviderShape, CloudSettings } from "@rollcall/node-controller"

/** The cloud of a control plane: its provider, and the settings of its controllers. */
export interface PlaneCloud {
  readonly provider: CloudProviderShape
  readonly controllers: Partial<CloudSettings>
}
