import { Count, Duration, Fields, Quantity, SelectorText, Share, TextMap, Texts } from "@rollcall/input"
import * as Schema from "effect/Schema"
import { TopologySpec } from "./topology.ts"

export const taintEffects = ["NoSchedule", "PreferNoSchedule", "NoExecute"] as const

const TaintSpec = Schema.Struct({
  key: Schema.String,
  value: Schema.optionalKey(Schema.String),
  effect: Schema.Literals(taintEffects)
})

/** The schema of the images of a group of machines, and of the registry that their kubelets ask. */
export const ImagesSpec = Schema.Struct({
  present: Schema.optionalKey(Texts),
  pullTime: Schema.optionalKey(Duration),
  pullTimes: Schema.optionalKey(Schema.Record(Schema.String, Duration)),
  missing: Schema.optionalKey(Texts),
  size: Schema.optionalKey(Quantity),
  sizes: Schema.optionalKey(Schema.Record(Schema.String, Quantity)),
  credentials: Schema.optionalKey(Schema.Record(Schema.String, Schema.String)),
  dockerConfig: Schema.optionalKey(Schema.Record(Schema.String, Schema.String))
})
export interface ImagesSpec extends Schema.Schema.Type<typeof ImagesSpec> {}

/** The schema of a group of machines in a scenario or in the configuration of a live fleet. */
export const NodeGroup = Schema.Struct({
  name: Schema.String,
  count: Schema.optionalKey(Count),
  zone: Schema.optionalKey(Schema.String),
  region: Schema.optionalKey(Schema.String),
  labels: Schema.optionalKey(TextMap),
  taints: Schema.optionalKey(Schema.Array(TaintSpec)),
  capacity: Schema.optionalKey(Schema.Record(Schema.String, Quantity)),
  kubelet: Schema.optionalKey(Fields),
  topology: Schema.optionalKey(TopologySpec),
  /** The swap of each machine. */
  swap: Schema.optionalKey(Quantity),
  /** Their images; absent if every image is on each of them. */
  images: Schema.optionalKey(ImagesSpec),
  /** The handlers of RuntimeClasses that they have; absent if they have all. */
  runtimeHandlers: Schema.optionalKey(Texts),
  staticPods: Schema.optionalKey(Schema.Array(Fields))
})
export interface NodeGroup extends Schema.Schema.Type<typeof NodeGroup> {}

/**
 * The schema of a selection of nodes: those that meet all given criteria, or with `fraction` or `count` some of them.
 */
export const NodeSelection = Schema.Struct({
  names: Schema.optionalKey(Texts),
  group: Schema.optionalKey(Schema.String),
  zone: Schema.optionalKey(Schema.String),
  selector: Schema.optionalKey(SelectorText),
  fraction: Schema.optionalKey(Share),
  count: Schema.optionalKey(Count)
})
export interface NodeSelection extends Schema.Schema.Type<typeof NodeSelection> {}
