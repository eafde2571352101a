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
 * The maintenance of the server's default objects of API Priority and Fairness. Upstream:
 * pkg/registry/flowcontrol/ensurer/strategy.go.
 */

export type FlowControlObject = FlowSchema | PriorityLevelConfiguration

/** Levels come before the FlowSchemas that refer to them. */
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

/** An administrator may change the shares of the level `exempt`. */
const isAsDesired = (current: FlowControlObject, wanted: FlowControlObject): boolean => {
  if (wanted.kind === "FlowSchema") return semanticEqual(current.spec, defaulters.FlowSchema(wanted).spec)
  const { spec } = defaulters.PriorityLevelConfiguration(wanted)
  if (wanted.metadata.name !== "exempt") return semanticEqual(current.spec, spec)
  const exempt = (current as PriorityLevelConfiguration).spec?.exempt
  return exempt !== undefined && semanticEqual(current.spec, { ...spec, exempt })
}

/** Returns the corrected object; undefined when it is correct. */
export const revised = (current: FlowControlObject, wanted: FlowControlObject): KubeObject | undefined => {
  const annotated = annotationOf(current)
  // Without a valid annotation an object follows the defaults until its spec is changed.
  const follows = mandatory.has(wanted) || (annotated ?? current.metadata.generation === 1)
  const spec = follows && !isAsDesired(current, wanted) ? wanted.spec : current.spec
  if (spec === current.spec && annotated === follows) return undefined
  const annotations = { ...current.metadata.annotations, [autoUpdateSpec]: String(follows) }
  return Object.assign({ ...current, metadata: { ...current.metadata, annotations } }, { spec })
}

/** Whether the server may delete an object that is not, or no longer, among its defaults. */
export const isUnwanted = (object: KubeObject): boolean =>
  annotationOf(object) === true &&
  !defaultObjects.some(({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name)
