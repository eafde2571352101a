import { type HorizontalPodAutoscaler, type KubeObject, kinds, type Resource } from "@rollcall/api"
import { withStatus } from "@rollcall/api/values"
import { markedLike } from "@rollcall/api/wire"
import { printerOf } from "@rollcall/printers"
import { fromV1, toV1, withSpecOf, withStatusOf } from "./autoscalerV1.ts"
import { defineCustom } from "./defineCustom.ts"
import type { KindDefinition, ViewOf } from "./KindDefinition.ts"
import { versionsOf } from "./versions.ts"

const { defaults, resource: stored } = kinds.HorizontalPodAutoscaler

const resource: Resource = { ...stored, version: "v1" }

const v2 = (object: KubeObject) => fromV1(object) as HorizontalPodAutoscaler

/** The stored forms of shown objects: tables show metrics in their stored order, which an object of v1 does not keep. */
const storedOf = new WeakMap<KubeObject, KubeObject>()

const shown = (object: KubeObject): KubeObject => {
  const converted = toV1(object)
  storedOf.set(converted, object)
  return converted
}

/** What is stored is read with the defaults of v2. */
const view: ViewOf = {
  of: "HorizontalPodAutoscaler",
  toStorage: (object) => defaults(v2(object)),
  fromStorage: shown
}

export const autoscalerVersions = versionsOf(stored.kind, "autoscaling/v1", "autoscaling/v2", {
  toStorage: fromV1,
  fromStorage: toV1
})

const autoscalers = printerOf(resource)

/** Has the defaults of v1: one of the others, for metrics, is part of the conversion. Upstream: pkg/apis/autoscaling/v1/defaults.go. */
const withDefaults = (object: KubeObject): KubeObject => {
  const { spec, ...rest } = v2(object)
  const completed: HorizontalPodAutoscaler = { ...rest, spec: { ...spec, minReplicas: spec.minReplicas ?? 1 } }
  return toV1(completed)
}

/** Returns the form that is printed. The empty object of a bookmark was never converted, and so has no default metrics. */
const printed = (object: KubeObject): KubeObject =>
  storedOf.get(object) ?? (object.metadata.name === undefined ? object : v2(object))

const asReadBack = (object: KubeObject): KubeObject => toV1(defaults(v2(object)))

type Rules = typeof kinds.HorizontalPodAutoscaler.validation

/** HorizontalPodAutoscalers of autoscaling/v1: those of v2 in another form. A server adds it when it starts. */
export const autoscalersView = (validation: Rules): KindDefinition =>
  defineCustom(resource, {
    view,
    versions: autoscalerVersions,
    defaults: (object) => markedLike(object, withDefaults(object)),
    validate: (object) => validation.create(v2(object)),
    validateUpdate: (object, before) => validation.update(v2(object), v2(before)),
    validateStatusUpdate: (object, before) => (validation.updateStatus ?? validation.update)(v2(object), v2(before)),
    strategy: {
      asReadBack,
      prepareForCreate: (object) => withStatusOf(withStatus(object, { currentReplicas: 0, desiredReplicas: 0 })),
      prepareForUpdate: withStatusOf,
      // The status of an apply has not been converted yet: what v1 has no field for is in annotations.
      prepareForStatusUpdate: (object, before) => withSpecOf(asReadBack(object), before)
    },
    subresources: ["status"],
    printer: {
      ...autoscalers,
      row: (object, nowMs) => autoscalers.row(printed(object), nowMs)
    },
    allowUnconditionalUpdate: true
  })
