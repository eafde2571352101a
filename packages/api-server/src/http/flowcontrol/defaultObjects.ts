import {
  autoUpdateSpec,
  type FlowSchema,
  type KubeObject,
  kinds,
  mandatoryFlowSchemas,
  mandatoryPriorityLevels,
  type PriorityLevelConfiguration,
  suggestedFlowSchemas,
  suggestedPriorityLevels
} from "@rollcall/api"
import { semanticEqual } from "@rollcall/api/validation"

// The server's default objects of API Priority and Fairness, and how existing objects must be corrected.
// Upstream: pkg/registry/flowcontrol/ensurer/strategy.go.

export type FlowControlObject = FlowSchema | PriorityLevelConfiguration

/** All default objects; levels come before the FlowSchemas that refer to them. */
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

/** The texts that Go's strconv.ParseBool accepts. */
const booleans: Readonly<Record<string, boolean>> = Object.fromEntries([
  ...["1", "t", "T", "TRUE", "true", "True"].map((text) => [text, true]),
  ...["0", "f", "F", "FALSE", "false", "False"].map((text) => [text, false])
])

/** Returns whether the annotation says that the server updates the object; undefined without a valid one. */
const autoUpdateOf = ({ metadata }: KubeObject): boolean | undefined => {
  const value = metadata.annotations?.[autoUpdateSpec]
  return value !== undefined && Object.hasOwn(booleans, value) ? booleans[value] : undefined
}

/** Whether an object has the default spec; an administrator may change the shares of the level `exempt`. */
const isAsDesired = (current: FlowControlObject, wanted: FlowControlObject): boolean => {
  if (wanted.kind === "FlowSchema") return semanticEqual(current.spec, kinds.FlowSchema.defaults(wanted).spec)
  const { spec } = kinds.PriorityLevelConfiguration.defaults(wanted)
  if (wanted.metadata.name !== "exempt") return semanticEqual(current.spec, spec)
  const exempt = (current as PriorityLevelConfiguration).spec?.exempt
  return exempt !== undefined && semanticEqual(current.spec, { ...spec, exempt })
}

/** Returns the object with the spec and annotation that it should have; undefined if it has them. */
export const correctionOf = (current: FlowControlObject, wanted: FlowControlObject): KubeObject | undefined => {
  const annotated = autoUpdateOf(current)
  // Without a valid annotation an object follows the defaults until its spec is changed.
  const followsDefaults = mandatory.has(wanted) || (annotated ?? current.metadata.generation === 1)
  const spec = followsDefaults && !isAsDesired(current, wanted) ? wanted.spec : current.spec
  if (spec === current.spec && annotated === followsDefaults) return undefined
  const annotations = { ...current.metadata.annotations, [autoUpdateSpec]: String(followsDefaults) }
  return Object.assign({ ...current, metadata: { ...current.metadata, annotations } }, { spec })
}

/** Whether the server may delete an object that is not, or no longer, among its defaults. */
export const isObsolete = (object: KubeObject): boolean =>
  autoUpdateOf(object) === true &&
  !defaultObjects.some(({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name)
