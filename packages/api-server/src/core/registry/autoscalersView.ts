import { type HorizontalPodAutoscaler, type KubeObject, kinds, type Resource } from "@rollcall/api"
import { withStatus } from "@rollcall/api/values"
import { markedLike } from "@rollcall/api/wire"
import { printerOf } from "@rollcall/printers"
import { fromV1, toV1, withSpecOf, withStatusOf } from "./autoscalerV1.ts"
import { defineCustom } from "./defineCustom.ts"
import type { KindDefinition, ViewOf } from "./KindDefinition.ts"

const { defaults, resource: stored, validation } = kinds.HorizontalPodAutoscaler

const resource: Resource = { ...stored, version: "v1" }

const view: ViewOf = { of: "HorizontalPodAutoscaler", toStorage: fromV1, fromStorage: toV1 }

const autoscalers = printerOf(resource)

const v2 = (object: KubeObject) => fromV1(object) as HorizontalPodAutoscaler

/** HorizontalPodAutoscalers of autoscaling/v1: those of v2 in another form. A server adds it when it starts. */
export const autoscalersView: KindDefinition = defineCustom(resource, {
  view,
  defaults: (object) => markedLike(object, toV1(defaults(v2(object)))),
  validate: (object) => validation.create(v2(object)),
  validateUpdate: (object, before) => validation.update(v2(object), v2(before)),
  validateStatusUpdate: (object, before) => (validation.updateStatus ?? validation.update)(v2(object), v2(before)),
  strategy: {
    prepareForCreate: (object) => withStatusOf(withStatus(object, { currentReplicas: 0, desiredReplicas: 0 })),
    prepareForUpdate: withStatusOf,
    prepareForStatusUpdate: withSpecOf
  },
  subresources: ["status"],
  printer: {
    ...autoscalers,
    row: (object, nowMs) => autoscalers.row(v2(object), nowMs)
  },
  allowUnconditionalUpdate: true
})
