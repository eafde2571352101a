import {
  autoUpdateSpec,
  defaulters,
  type FlowSchema,
  type KubeObject,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  type PriorityLevelConfiguration,
  suggestedFlowSchemas,
  suggestedPriorityLevels
} from "@rollcall/api"
import { semanticEqual } from "@rollcall/api/validation"

/**
 * What the server does to its own objects of API Priority and Fairness. Upstream: pkg/registry/flowcontrol/ensurer/strategy.go.
 */

export type FlowControlObject = FlowSchema | PriorityLevelConfiguration

/** Levels come before the schemas that lead to them. */
export const defaultObjects: ReadonlyArray<FlowControlObject> = [
  ...suggestedPriorityLevels,
  ...mandatoryPriorityLevels,
  ...suggestedFlowSchemas,
  ...mandatoryFlowSchemas
]

const mandatory: ReadonlySet<FlowControlObject> = new Set<FlowControlObject>([
  ...mandatoryFlowSchemas,
  ...mandatoryPriorityLevels
])

const truths: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true]),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false])
])

const annotationOf = ({ metadata }: KubeObject): boolean | undefined => {
  const value = metadata.annotations?.[autoUpdateSpec]
  return value !== undefined && Object.hasOwn(truths, value) ? truths[value] : undefined
}

/** Of the level `exempt` an administrator may change the shares. */
const isAsWanted = (current: FlowControlObject, wanted: FlowControlObject): boolean => {
  if (wanted.kind === "FlowSchema") return semanticEqual(current.spec, defaulters.FlowSchema(wanted).spec)
  const { spec } = defaulters.PriorityLevelConfiguration(wanted)
  if (wanted.metadata.name !== "exempt") return semanticEqual(current.spec, spec)
  const exempt = (current as PriorityLevelConfiguration).spec?.exempt
  return exempt !== undefined && semanticEqual(current.spec, { ...spec, exempt })
}

/** The object as it ought to be; undefined when it is. */
export const revised = (current: FlowControlObject, wanted: FlowControlObject): KubeObject | undefined => {
  const annotated = annotationOf(current)
  // Without a readable annotation an object follows the defaults until its spec is changed.
  const follows = mandatory.has(wanted) || (annotated ?? current.metadata.generation === 1)
  const spec = follows && !isAsWanted(current, wanted) ? wanted.spec : current.spec
  if (spec === current.spec && annotated === follows) return undefined
  const annotations = { ...current.metadata.annotations, [autoUpdateSpec]: String(follows) }
  return Object.assign({ ...current, metadata: { ...current.metadata, annotations } }, { spec })
}

/** Whether the server may delete an object that is not, or no longer, among its defaults. */
export const isUnwanted = (object: KubeObject): boolean =>
  annotationOf(object) === true &&
  !defaultObjects.some(({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name)
