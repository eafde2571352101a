import * as Schema from "effect/Schema"
import { opt, StringMap } from "../internal/fields.ts"
import { typed } from "../internal/typed.ts"
import { ReplicaSetStatus } from "./Apps.ts"
import { PodTemplateSpec } from "./Pod.ts"

/** Keeps a number of identical pods running: the predecessor of ReplicaSet. */
export const ReplicationController = Schema.Struct({
  ...typed("v1", "ReplicationController"),
  spec: opt(
    Schema.Struct({
      replicas: opt(Schema.Int),
      minReadySeconds: opt(Schema.Int),
      selector: opt(StringMap),
      template: opt(PodTemplateSpec)
    })
  ),
  status: opt(
    Schema.Struct({
      replicas: Schema.Int,
      fullyLabeledReplicas: opt(Schema.Int),
      readyReplicas: opt(Schema.Int),
      availableReplicas: opt(Schema.Int),
      observedGeneration: opt(Schema.Int),
      conditions: ReplicaSetStatus.fields.conditions
    })
  )
})
export interface ReplicationController extends Schema.Schema.Type<typeof ReplicationController> {}

/** A template of pods, for controllers that read it. */
export const PodTemplate = Schema.Struct({ ...typed("v1", "PodTemplate"), template: opt(PodTemplateSpec) })
export interface PodTemplate extends Schema.Schema.Type<typeof PodTemplate> {}
