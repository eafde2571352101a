import { apiOutage, clockSkew, leaderChange } from "./controlPlane.ts"
import { evictionDelay, failedReplacements } from "./evictions.ts"
import type { Facts, Finder } from "./Facts.ts"
import { deletedNodes, unfinishedDrains } from "./machines.ts"
import { blockedDrains, classWithoutPriority, earlyPowerOff, lateTolerations } from "./mistakes.ts"
import { nodePressure, rejectedPods } from "./nodes.ts"
import { delayedDeletions, flappingNodes, stuckTerminating } from "./returns.ts"
import { runtimeDown } from "./runtime.ts"
import { podsNotReady, silenceDetection } from "./silence.ts"
import { everyZone, fullDisruption, normalZone, partialDisruption } from "./zones.ts"

/** The finders in report order: what was detected, what was decided, what followed. */
const finders: ReadonlyArray<Finder> = [
  silenceDetection,
  apiOutage,
  clockSkew,
  podsNotReady,
  runtimeDown,
  fullDisruption,
  partialDisruption,
  everyZone,
  normalZone,
  deletedNodes,
  evictionDelay,
  failedReplacements,
  flappingNodes,
  delayedDeletions,
  stuckTerminating,
  leaderChange,
  nodePressure,
  rejectedPods,
  lateTolerations,
  classWithoutPriority,
  blockedDrains,
  unfinishedDrains,
  earlyPowerOff
]

/** Returns the causes of what happened in a run. Each states its rule, its number, and what would have changed the outcome. */
export const findings = (facts: Facts): ReadonlyArray<string> => finders.flatMap((find) => find(facts))
